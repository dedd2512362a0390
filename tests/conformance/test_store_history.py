"""Commits are found by hash, by author and by the files they touched, and leave with their documents."""

from __future__ import annotations

import pytest
import samples

from octavo.model.document import Kind
from octavo.model.indexed_commit import HistoryEntry
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

OLD, NEW = "a" * 40, "ab" + "c" * 38


def put(
    store: Store, within: Collection, hash_: str, *files: str, author: str = "Ann Lee <ann@x>", at: float = 1.0
) -> HistoryEntry:
    uri = f".git/commits/{hash_}"
    sample = samples.prepared(within, uri, f"Message of {hash_}", title=f"Title {at}", kind=Kind.COMMIT)
    entry = HistoryEntry("", hash_, sample.document.id, author, at, "made", files)
    with store.transaction():
        samples.put(store, within, sample)
        store.history.put(within.project_id, within.id, [entry])
    return entry


def test_a_commit_is_known_by_its_hash_and_by_what_made_it(store: Store, notes: Collection) -> None:
    put(store, notes, OLD)
    put(store, notes, NEW)
    assert store.history.known(notes.project_id, notes.id) == {"": {OLD: "made", NEW: "made"}}


def test_a_commit_put_again_is_known_once_by_what_made_it_last(store: Store, notes: Collection) -> None:
    entry = put(store, notes, OLD, "a.py")
    with store.transaction():
        again = HistoryEntry("", OLD, entry.document_id, entry.author, 1.0, "anew", ("a.py",))
        store.history.put(notes.project_id, notes.id, [again])
    assert store.history.known(notes.project_id, notes.id) == {"": {OLD: "anew"}}
    assert len(store.history.touching(notes.project_id, ["a.py"], None, 10)) == 1


@pytest.mark.parametrize(("start", "found"), [("a", [OLD, NEW]), ("abc", [NEW]), (OLD, [OLD]), ("b", [])])
def test_a_commit_is_found_by_how_its_hash_starts(
    store: Store, notes: Collection, start: str, found: list[str]
) -> None:
    put(store, notes, OLD)
    put(store, notes, NEW)
    assert [one.hash for one in store.history.find(notes.project_id, start)] == found


def test_the_commits_that_touched_a_file_come_newest_first(store: Store, notes: Collection) -> None:
    put(store, notes, OLD, "a.py", "b.py", at=1.0)
    put(store, notes, NEW, "a.py", at=2.0)
    touching = store.history.touching(notes.project_id, ["a.py", "b.py"], notes.id, 10)
    assert [(one.hash, one.title, one.committed_at) for one in touching] == [
        (NEW, "Title 2.0", 2.0),
        (OLD, "Title 1.0", 1.0),
    ]
    assert [one.hash for one in store.history.touching(notes.project_id, ["b.py"], None, 10)] == [OLD]
    assert [one.hash for one in store.history.touching(notes.project_id, ["a.py"], None, 1)] == [NEW]


def test_a_history_stays_in_its_collection(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, "other")
    put(store, notes, OLD, "a.py")
    assert store.history.touching(notes.project_id, ["a.py"], other.id, 10) == ()
    assert store.history.known(other.project_id, other.id) == {}


def test_authors_are_compared_whatever_the_case_and_files_by_the_caller(store: Store, notes: Collection) -> None:
    put(store, notes, OLD, "src/a.py", author="Ann Lee <ann@x>")
    put(store, notes, NEW, "docs/b.md", author="Zoë Quill <zoe@y>")
    admitted, project = store.history.admitted, notes.project_id
    assert admitted(project, "ANN", None) == (f".git/commits/{OLD}",)
    assert admitted(project, "zoë", None) == (f".git/commits/{NEW}",)
    assert admitted(project, None, lambda path: path.endswith(".py")) == (f".git/commits/{OLD}",)
    assert admitted(project, "zoe@y", lambda path: path.endswith(".py")) == ()
    assert len(admitted(project, None, None)) == 2


def test_a_commit_leaves_with_its_document(store: Store, notes: Collection) -> None:
    assert not store.history.any(notes.project_id)
    entry = put(store, notes, OLD, "a.py")
    assert store.history.any(notes.project_id)
    with store.transaction():
        store.documents.remove(notes.project_id, entry.document_id)
    assert store.history.known(notes.project_id, notes.id) == {}
    assert store.history.touching(notes.project_id, ["a.py"], None, 10) == ()
    assert store.history.find(notes.project_id, OLD) == ()
    assert not store.history.any(notes.project_id)


def test_commits_leave_with_their_collection(store: Store, notes: Collection) -> None:
    put(store, notes, OLD, "a.py")
    with store.transaction():
        store.catalog.remove_collection(notes.project_id, notes.id)
    assert store.history.find(notes.project_id, OLD) == ()
    assert store.check() == ()


def test_commits_are_embedded_after_everything_else(store: Store, notes: Collection) -> None:
    project, profile = notes.project_id, samples.embedding_profile()
    with store.transaction():
        keys = [
            samples.put(store, notes, samples.prepared(notes, f"{name}.md", name, kind=kind))[0]
            for name, kind in (("one", Kind.COMMIT), ("two", Kind.NOTE), ("three", Kind.COMMIT), ("four", Kind.NOTE))
        ]
    chunk_of = {one: chunk for chunk, one in store.embeddings.assignments(project).tolist()}
    orders = [store.embeddings.pending(project, profile, newest_first=newest) for newest in (False, True)]
    assert [[keys.index(chunk_of[one]) for one in order] for order in orders] == [[1, 3, 0, 2], [3, 1, 0, 2]]


def test_the_newest_commits_come_whatever_they_touched(store: Store, notes: Collection) -> None:
    put(store, notes, OLD, "a.py", at=1.0)
    put(store, notes, NEW, at=2.0)
    assert [found.hash for found in store.history.touching(notes.project_id, None, notes.id, 10)] == [NEW, OLD]
    assert [found.hash for found in store.history.touching(notes.project_id, None, None, 1)] == [NEW]
