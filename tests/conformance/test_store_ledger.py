"""What happened to each file, written down and read back."""

from __future__ import annotations

import samples
from set_clock import SetClock

from octavo.model.ids import DocumentId, RecipeId
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store


def test_entries_come_back_whole_under_their_uris(store: Store, notes: Collection) -> None:
    entries = [
        LedgerEntry(
            uri="a.md",
            outcome=FileOutcome.INDEXED,
            stamp=FileStamp(size=2**40, mtime_ns=1_700_000_000_123_456_789, inode=2**63 - 1),
            content_hash="ab" * 32,
            recipe_id=RecipeId("rec_1"),
            document_id=DocumentId("doc_1"),
            warnings=("first", 'second "quoted" ü'),
        ),
        LedgerEntry("b.env", FileOutcome.SKIPPED, FileStamp(0, 0, 0), reason="looks like a secret"),
        LedgerEntry("c\n😀.md", FileOutcome.FAILED, FileStamp(1, -1, 1), reason="not UTF-8"),
    ]
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, iter(entries))
    assert store.ledger.entries(notes.project_id, notes.id) == {entry.uri: entry for entry in entries}
    counts = store.counts(notes.project_id)
    assert (counts.indexed, counts.skipped, counts.failed) == (1, 1, 1)


def test_recording_again_replaces_the_whole_entry(store: Store, notes: Collection) -> None:
    with store.transaction():
        before = samples.ledger_entry("a.md", reason="r", warnings=("w",), document_id=DocumentId("doc_1"))
        store.ledger.record(notes.project_id, notes.id, [before])
    after = samples.ledger_entry("a.md", FileOutcome.FAILED)
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, [after])
    assert store.ledger.entries(notes.project_id, notes.id) == {"a.md": after}


def test_what_is_forgotten_is_gone_and_the_rest_stays(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry(uri) for uri in ("a", "b", "c")])
    with store.transaction():
        store.ledger.forget(notes.project_id, notes.id, iter(["a", "c", "never"]))
    assert list(store.ledger.entries(notes.project_id, notes.id)) == ["b"]


def test_what_is_distrusted_is_known_and_no_longer_vouches_for_its_content(store: Store, notes: Collection) -> None:
    entries = [samples.ledger_entry(uri, document_id=DocumentId(f"doc_{uri}"), content_hash="ab") for uri in ("a", "b")]
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, entries)
        store.ledger.distrust(notes.project_id, notes.id, ["a", "never"])
    known = store.ledger.entries(notes.project_id, notes.id)
    assert known == {"a": entries[0]._replace(content_hash=""), "b": entries[1]}


def test_each_collection_has_its_own_ledger(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, "other")
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("a.md")])
        store.ledger.record(other.project_id, other.id, [samples.ledger_entry("a.md", FileOutcome.FAILED)])
        store.ledger.forget(notes.project_id, notes.id, ["a.md"])
    assert store.ledger.entries(notes.project_id, notes.id) == {}
    assert list(store.ledger.entries(other.project_id, other.id)) == ["a.md"]


def test_removing_a_document_leaves_the_ledger_to_the_flow(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one")
    with store.transaction():
        samples.put(store, notes, sample)
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("a.md")])
        store.documents.remove(notes.project_id, sample.document.id)
    assert list(store.ledger.entries(notes.project_id, notes.id)) == ["a.md"]


def test_what_lies_at_and_below_paths_is_told_without_the_rest(store: Store, notes: Collection) -> None:
    uris = ("a.md", "a/b.md", "a/b/c.md", "a0.md", "ab/c.md", "b.md", "é/ü.md", "a.md.bak")
    entries = [LedgerEntry(uri, FileOutcome.INDEXED, FileStamp(1, 2, 3)) for uri in uris]
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, entries)
    for paths, wanted in (
        (["a"], {"a/b.md", "a/b/c.md"}),
        (["a.md", "a.md", "é"], {"a.md", "é/ü.md"}),
        (["a/b", "a/b.md", "nowhere"], {"a/b.md", "a/b/c.md"}),
        ([], set()),
    ):
        found = store.ledger.at(notes.project_id, notes.id, paths)
        assert set(found) == wanted
        assert found == {uri: store.ledger.entries(notes.project_id, notes.id)[uri] for uri in wanted}


def test_a_check_is_noted_with_its_time_and_moves_no_generation(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    assert store.ledger.checks(notes.project_id) == {}
    generation = store.generation()
    store.ledger.note_check(notes.project_id, notes.id)
    clock.now += 5.0
    store.ledger.note_check(notes.project_id, notes.id)
    assert store.ledger.checks(notes.project_id) == {notes.id: clock.now}
    assert store.generation() == generation
    with store.transaction():
        store.catalog.remove_collection(notes.project_id, notes.id)
    assert store.ledger.checks(notes.project_id) == {}


def test_the_stamps_of_files_are_read_without_those_below_them(store: Store, notes: Collection) -> None:
    entries = [samples.ledger_entry(uri)._replace(stamp=FileStamp(5, 6, 7)) for uri in ("a.zip", "a.zip/b.md", "c.md")]
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, entries)
    stamps = store.ledger.stamps(notes.project_id, notes.id, ["a.zip", "nowhere.md"])
    assert stamps == {"a.zip": FileStamp(5, 6, 7)}


def test_files_are_told_by_how_their_names_end_whatever_their_case(store: Store, notes: Collection) -> None:
    uris = ("b.PDF", "a.md", "a.pdf", "deep/ü.docx", "pdf", "a.pdf.txt")
    other = samples.ensure(store, "other")
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry(uri) for uri in uris])
        store.ledger.record(other.project_id, other.id, [samples.ledger_entry("c.pdf")])
    assert set(store.ledger.ending(notes.project_id, notes.id, [".pdf", ".docx"])) == {"b.PDF", "a.pdf", "deep/ü.docx"}
    assert store.ledger.ending(notes.project_id, notes.id, []) == ()


def test_documents_and_files_that_failed_are_counted_by_themselves(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, "other")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
        failed = samples.ledger_entry("b.md", FileOutcome.FAILED)
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("a.md"), failed])
        store.ledger.record(other.project_id, other.id, [samples.ledger_entry("c.md", FileOutcome.SKIPPED)])
    counts = store.counts(notes.project_id)
    assert store.documents_and_failed(notes.project_id) == (counts.documents, counts.failed) == (1, 1)


def test_the_lines_of_repositories_are_read_without_those_of_files(store: Store, notes: Collection) -> None:
    uris = (".git", "lib/.git", "a.git", ".git/a.md", "lib/.GIT", "a.md")
    entries = {uri: samples.ledger_entry(uri) for uri in uris}
    with store.transaction():
        store.ledger.record(notes.project_id, notes.id, entries.values())
    repositories = store.ledger.repositories(notes.project_id, notes.id)
    assert repositories == {uri: entries[uri] for uri in (".git", "lib/.git")}
