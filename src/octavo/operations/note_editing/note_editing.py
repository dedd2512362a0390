"""The operations on notes and their sections. Arguments are checked first, then the uri, the file, its hash, and last
the headings."""

from __future__ import annotations

from dataclasses import asdict

from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument
from octavo.fast_dataclass import replace
from octavo.memory import memory_changes
from octavo.memory.draft import Provenance
from octavo.model.memory import MemoryLink
from octavo.note_editing.blank_lines_and_line_endings import content_lines
from octavo.note_editing.front_matter_property_edits import check_key, set_property
from octavo.note_editing.heading_checks import violations, without_jumps
from octavo.note_editing.heading_lines import heading_text, one_line
from octavo.note_editing.moves_and_renames import move_section, rename_file, rename_section
from octavo.note_editing.new_and_daily_notes import append_to_note, new_note_in_collection, note_of_today
from octavo.note_editing.new_note_text import from_template, new_note
from octavo.note_editing.note_change_transaction import LinkedWriteAnswer, NoteChange, WriteAnswer
from octavo.note_editing.note_files import encoded, refuse_changed, refuse_no_place
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_redaction import hidden
from octavo.note_editing.section_edits import (
    EditedText,
    append,
    check_new_section,
    check_section_path,
    insert,
    position_of,
)
from octavo.note_editing.section_edits import replace as replace_section
from octavo.note_editing.undo_and_restore import restore_version, undo
from octavo.operations.answer_conversion import filled
from octavo.operations.memory.memory_reading_and_writing import memory_get, remember
from octavo.operations.memory.named_memory_lookup import item_named
from octavo.operations.memory.requests import MemoryGetRequest, RememberRequest
from octavo.operations.memory.results import MemoryState
from octavo.operations.note_editing.requests import (
    DocAppendToSectionRequest,
    DocAutoFixRequest,
    DocCreateRequest,
    DocInsertSectionRequest,
    DocMoveSectionRequest,
    DocRenameRequest,
    DocReplaceSectionRequest,
    DocRestoreRequest,
    DocSetPropertyRequest,
    DocValidateRequest,
    MemoryFromNoteRequest,
    MemoryToNoteRequest,
    NotesAppendRequest,
    NotesNewRequest,
    NotesTodayRequest,
    WriteRequest,
)
from octavo.operations.note_editing.results import AutoFixAnswer, ValidateAnswer
from octavo.retrieval.reference_resolution import read_passage


def doc_validate(engine: Engine, request: DocValidateRequest) -> ValidateAnswer:
    notes = engine.notes
    note = notes.find(request.uri, request.collection)
    file = notes.read(note)
    violated = violations(NoteOutline(file.text), single_h1=notes.settings.single_h1)
    return ValidateAnswer(note.collection.name, note.uri, file.hash, not violated, hidden(note.collection, violated))


def doc_auto_fix(engine: Engine, request: DocAutoFixRequest) -> AutoFixAnswer:
    note = engine.notes.writable(request.uri, request.collection)
    fixed: list[NoteOutline] = []

    def edit(document: NoteOutline) -> EditedText:
        fixed.append(NoteOutline(without_jumps(document)))
        return EditedText(fixed[0].text, 0, len(fixed[0].text))

    answer = engine.notes.change(note, request, "doc_auto_fix", edit)
    remaining = violations(fixed[0], single_h1=engine.notes.settings.single_h1)
    return AutoFixAnswer(**asdict(answer), violations=hidden(note.collection, remaining))


def doc_create(engine: Engine, request: DocCreateRequest) -> WriteAnswer:
    title, content, notes = one_line(request.title, "title"), request.content_md or "", engine.notes
    note = notes.find(request.uri, request.collection, new=True)
    template = notes.find(request.template, note.collection.name) if request.template is not None else None
    notes.refuse_unwritable(note.collection)
    with notes.locked(note.collection):
        text = from_template(notes.read(template).text, title, content) if template else new_note(title, content)
        refuse_no_place(note.path, note.uri)
        file = notes.read(note) if note.path.exists() else None
        if file is not None and not request.overwrite:
            raise Conflict(f"there is a file {note.uri} already", hint="edit it, or pass overwrite to replace it whole")
        refuse_changed(file, request.expected_hash, note.uri)
        written = NoteChange(file, encoded(text))
        written.refuse_marks(note)
        return notes.put(note, request, "doc_create", written)


def doc_insert_section(engine: Engine, request: DocInsertSectionRequest) -> WriteAnswer:
    check_new_section(request.heading, request.level)
    position = position_of(request.position)
    note = engine.notes.writable(request.uri, request.collection)

    def edit(document: NoteOutline) -> EditedText:
        parent, heading = request.parent_heading_path, request.heading
        return insert(document, parent, heading, request.content_md, request.level, position)

    return engine.notes.change(note, request, "doc_insert_section", edit)


def doc_replace_section(engine: Engine, request: DocReplaceSectionRequest) -> WriteAnswer:
    path, content = request.heading_path, request.content_md
    check_section_path(path)
    note = engine.notes.writable(request.uri, request.collection)
    return engine.notes.change(
        note, request, "doc_replace_section", lambda document: replace_section(document, path, content)
    )


def doc_append_to_section(engine: Engine, request: DocAppendToSectionRequest) -> WriteAnswer:
    path, content = request.heading_path, request.content_md
    check_section_path(path)
    if not content_lines(content):
        raise InvalidArgument("there is nothing to append", hint="give it a text")
    note = engine.notes.writable(request.uri, request.collection)
    return engine.notes.change(note, request, "doc_append_to_section", lambda document: append(document, path, content))


def doc_move_section(engine: Engine, request: DocMoveSectionRequest) -> LinkedWriteAnswer:
    check_section_path(request.from_heading_path)
    note = engine.notes.writable(request.uri, request.collection)
    return move_section(engine.notes, note, request.from_heading_path, request.to_parent_heading_path, request)


def doc_rename(engine: Engine, request: DocRenameRequest) -> LinkedWriteAnswer:
    to, path, heading = request.to, request.heading_path, request.heading
    if (to is None) == (heading is None) or bool(path) != (heading is not None):
        raise InvalidArgument(
            "a rename needs either the file's new path, or a section and its new heading",
            hint="give --to, or --section and --heading",
        )
    if heading is not None:
        heading_text(heading)
    note = engine.notes.writable(request.uri, request.collection)
    if to is not None:
        # Who names the file with its collection, as every hit does, names its new place so, too.
        named = f"{note.collection.name}/"
        to = to.removeprefix(named) if request.uri.startswith(named) and request.uri != note.uri else to
        return rename_file(engine.notes, note, to, request)
    return rename_section(engine.notes, note, path, heading or "", request)


def doc_restore(engine: Engine, request: DocRestoreRequest) -> WriteAnswer:
    note = engine.notes.writable(request.uri, request.collection)
    if request.version is None:
        return undo(engine.notes, note, request)
    return restore_version(engine.notes, note, request.version, request)


def doc_set_property(engine: Engine, request: DocSetPropertyRequest) -> WriteAnswer:
    key, value, remove = request.key, request.value, request.remove
    check_key(key)
    note = engine.notes.writable(request.uri, request.collection)
    return engine.notes.change(
        note, request, "doc_set_property", lambda document: set_property(document, key, value, remove=remove)
    )


def notes_new(engine: Engine, request: NotesNewRequest) -> WriteAnswer:
    template, content = request.template, request.content_md
    return new_note_in_collection(
        engine.notes, request.collection, request.folder, request.title, template, content, _terms(request)
    )


def notes_append(engine: Engine, request: NotesAppendRequest) -> WriteAnswer:
    path, content = request.heading_path, request.content_md
    return append_to_note(engine.notes, request.collection, request.note, path, content, _terms(request))


def notes_today(engine: Engine, request: NotesTodayRequest) -> WriteAnswer:
    return note_of_today(engine.notes, request.collection, request.content_md, _terms(request))


def _terms(request: NotesNewRequest | NotesAppendRequest | NotesTodayRequest) -> WriteRequest:
    return WriteRequest(dry_run=request.dry_run, author=request.author, reason=request.reason)


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
