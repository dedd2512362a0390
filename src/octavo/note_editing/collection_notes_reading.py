"""Reads the notes of a collection from disk and resolves their links, for lint and for moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from octavo.algorithms.links.document_link_names import at_path
from octavo.algorithms.text.document_name_normalisation import folded, last
from octavo.errors import OctavoError
from octavo.fast_dataclass import dataclass
from octavo.graph.edge_extraction import references_of
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.note_files import SUFFIXES, everything_below, read
from octavo.note_editing.note_link_resolution import LinkedNotes
from octavo.note_editing.project_notes import ProjectNotes
from octavo.observability.progress import NoProgress, Progress


@dataclass(frozen=True, slots=True)
class CollectionNotes:
    """`unread` are uris of notes that are not UTF-8, or could not be read."""

    linked: LinkedNotes
    unread: tuple[str, ...]


def collection_notes(
    notes: ProjectNotes,
    collection: Collection,
    progress: Progress | None = None,
    *,
    parse: Callable[[str, str], bool] | None = None,
) -> CollectionNotes:
    """Reads every note. Those that `parse` does not ask for, by uri and text, are known by their file's name alone."""
    progress = progress or NoProgress()
    files = notes.library.scan(collection).files
    markdown = [file for file in files if Path(file.uri).suffix.lower() in SUFFIXES]
    largest = notes.settings.max_file_bytes
    texts: dict[str, str] = {}
    unread: list[str] = []
    progress.start(f"reading {collection.name}", len(markdown), "notes")
    for note in markdown:
        try:
            texts[note.uri] = read(note.path, note.uri, largest).text
        except OctavoError:
            unread.append(note.uri)
        progress.advance(1, note.uri)
    progress.finish()
    linked = LinkedNotes(texts, everything_below(collection.root))
    for uri, text in texts.items():
        if parse is None or parse(uri, text):
            linked.document(uri)
    return CollectionNotes(_with_other_collections(notes, collection, linked), tuple(unread))


def _with_other_collections(notes: ProjectNotes, collection: Collection, linked: LinkedNotes) -> LinkedNotes:
    """Wikilinks may lead to another collection: what the library knows there by the names that are asked for."""
    if len(notes.library.collections()) < 2:
        return linked
    names = {
        reference.name
        for uri in linked.parsed
        for link in linked.links(uri)
        if link.target is None
        for reference in references_of(linked.parsed[uri], link.link)
    }
    matches = notes.library.store.graph.named(notes.library.project.id, sorted(names)) if names else ()
    elsewhere = [
        (name, match)
        for match in matches
        if match.collection != collection.id
        for name in (folded(last(match.path or match.uri)), at_path(match.path or match.uri))
    ]
    return LinkedNotes(linked.texts, linked.others, elsewhere, linked.parsed) if elsewhere else linked
