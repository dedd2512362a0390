"""Writes to notes: numbered by file, with the bytes they replaced, and gone with their collection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from octavo.model.ids import collection_id
from octavo.model.note_write_record import NoteWrite, Replaced, ReplacedPart
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

WHOLE = Replaced((ReplacedPart(b"\xef\xbb\xbfold\r\n\x00"),))
PARTS = Replaced((ReplacedPart(b"", 3, 10_000_000), ReplacedPart(b"two", 10_000_000, 3)))


def test_writes_are_numbered_by_file_and_keep_the_bytes_they_replaced(store: Store) -> None:
    with store.transaction():
        project = store.catalog.ensure_project("writes")
        place = collection_id(project.id, "notes")
        store.catalog.put_collection(Collection(place, project.id, "notes", Path("/notes")))
    made = NoteWrite("doc_create", "ann", "a start", "1" * 64, None)
    changed = NoteWrite("doc_replace_section", "", "", "2" * 64, WHOLE)
    part = NoteWrite("undo", "", "", "3" * 64, PARTS)
    for number, write in enumerate((made, changed, part), 1):
        assert list(store.note_writes.put(project.id, place, {"a.md": write})) == [number]
    assert list(store.note_writes.put(project.id, place, {"b.md": made})) == [1]
    found = store.note_writes.of(project.id, place, "a.md")
    assert [(one.number, one.operation, one.author, one.reason, one.hash, one.before) for one in found] == [
        (1, "doc_create", "ann", "a start", "1" * 64, None),
        (2, "doc_replace_section", "", "", "2" * 64, WHOLE),
        (3, "undo", "", "", "3" * 64, PARTS),
    ]
    renamed = NoteWrite("doc_rename", "", "", "4" * 64, WHOLE, renamed_from='a|"ä".md')
    linked = NoteWrite("doc_rename", "", "", "5" * 64, PARTS)
    assert list(store.note_writes.put(project.id, place, {"c.md": renamed, "b.md": linked})) == [1, 2]
    (last,) = store.note_writes.of(project.id, place, "c.md")
    assert (last.renamed_from, dict(last.together), last.before) == ('a|"ä".md', {"c.md": 1, "b.md": 2}, WHOLE)
    *_, last = store.note_writes.of(project.id, place, "b.md")
    assert (last.renamed_from, dict(last.together), last.before) == (None, {"c.md": 1, "b.md": 2}, PARTS)
    into_new_folders = replace(renamed, made_folders=("new/ü", "new"))
    store.note_writes.put(project.id, place, {"f.md": into_new_folders})
    assert [write.made_folders for write in store.note_writes.of(project.id, place, "f.md")] == [("new/ü", "new")]
    store.note_writes.put(project.id, place, {"d.md": renamed})
    (last,) = store.note_writes.of(project.id, place, "d.md")
    assert (last.renamed_from, last.together) == ('a|"ä".md', ())
    with store.transaction():
        store.catalog.remove_collection(project.id, place)
        store.catalog.put_collection(Collection(place, project.id, "notes", Path("/notes")))
    assert list(store.note_writes.of(project.id, place, "a.md")) == []
