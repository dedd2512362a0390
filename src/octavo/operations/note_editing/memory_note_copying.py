"""Memories as notes: one written out into a note's section, a section remembered, each citing the other."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.memory import memory_changes
from octavo.memory.draft import Provenance
from octavo.model.memory import MemoryLink
from octavo.note_editing.note_change_transaction import WriteAnswer
from octavo.note_editing.section_edits import append, check_section_path
from octavo.operations.memory.memory_reading_and_history import memory_get
from octavo.operations.memory.memory_writing import remember
from octavo.operations.memory.named_memory_lookup import item_named
from octavo.operations.memory.requests import MemoryGetRequest, RememberRequest
from octavo.operations.memory.results import MemoryState
from octavo.operations.note_editing.requests import MemoryFromNoteRequest, MemoryToNoteRequest
from octavo.operations.same_named_fields import filled
from octavo.retrieval.reference_resolution import read_passage

WRITTEN_TO = "written_to"
"""The type of a link from a memory to the section that it was written out to."""


def memory_from_note(engine: Engine, request: MemoryFromNoteRequest) -> MemoryState:
    """Remembers a section as it is in the library; the memory's text ends with a link back to it."""
    passage = read_passage(engine, request.source, request.collection)
    place = "#".join((passage.document.uri, *passage.heading_path[-1:]))
    text = passage.text.strip()
    cited = f"From [[{place}]], lines {passage.lines.first}-{passage.lines.last}."
    title = request.title or (passage.heading_path[-1] if passage.heading_path else passage.document.title)
    return remember(engine, filled(RememberRequest, request, text=f"{text}\n\n{cited}", title=title))


def memory_to_note(engine: Engine, request: MemoryToNoteRequest) -> WriteAnswer:
    """Appends a memory's text to a section, with who said it when; the memory gets a link to that section."""
    check_section_path(request.heading_path)
    memory = memory_get(engine, MemoryGetRequest(request.item))
    note = engine.notes.writable(request.uri, request.collection)
    by = f" by {memory.author}" if memory.author else ""
    why = f": {memory.reason.rstrip('.')}" if memory.reason else ""
    sentence = f"{memory.kind.capitalize()} remembered on {memory.created_at[:10]}{by}{why}"
    content = f"{memory.text.strip()}\n\n*{sentence} ({memory.item}, version {memory.version}).*"
    answer = engine.notes.change(
        note, request, "memory_to_note", lambda document: append(document, request.heading_path, content)
    )
    if request.dry_run:
        return answer
    link = MemoryLink(f"{note.uri}#{request.heading_path[-1]}", WRITTEN_TO)
    item = item_named(engine, memory.item)
    memory_changes.link(engine.memories, item.id, link, Provenance(request.author, request.reason))
    return replace(answer, note=answer.note or f"{memory.item} links to {link.target}")
