"""Looking after a library: what is earlier or unused is counted and let go, what is current is out of reach."""

from __future__ import annotations

import threading

import samples
from set_clock import SetClock

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import EarlierVersion, UnusedContent, VectorRow
from octavo.sql_repositories.store import Store

PROFILE = EmbeddingProfile("test-4", "test", "1", 4, 128)


def put(store: Store, notes: Collection, uri: str, *texts: str) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, uri, *texts))


def embed(store: Store, notes: Collection) -> None:
    with store.transaction():
        rows = [VectorRow(key, bytes(8)) for key in store.embeddings.pending(notes.project_id, PROFILE)]
        store.embeddings.put(notes.project_id, PROFILE, rows)


def history(store: Store, notes: Collection, clock: SetClock) -> None:
    """Three texts of one document, and another document that is gone."""
    for number, text in enumerate(("first", "second", "third")):
        clock.now = 100.0 + number
        put(store, notes, "a.md", text)
        embed(store, notes)
    put(store, notes, "b.md", "gone")
    embed(store, notes)
    clock.now = 200.0
    with store.transaction():
        (held,) = store.documents.find(notes.project_id, "b.md")
        store.documents.remove(notes.project_id, held.id)


def told(versions: tuple[EarlierVersion, ...]) -> list[tuple[int, float, bool]]:
    return [(version.version, version.replaced_at, version.size > 0) for version in versions]


def test_earlier_versions_are_told_by_when_they_were_replaced(store: Store, notes: Collection, clock: SetClock) -> None:
    history(store, notes, clock)
    assert told(store.pruning.earlier(notes.project_id)) == [(1, 101.0, True), (2, 102.0, True), (1, 200.0, True)]


def test_what_was_let_go_is_gone_and_what_is_current_stays(store: Store, notes: Collection, clock: SetClock) -> None:
    history(store, notes, clock)
    project = notes.project_id
    assert store.pruning.unused(project) == UnusedContent(0, 0, 3)
    with store.transaction():
        store.pruning.remove(project, store.pruning.earlier(project))
        unused = store.pruning.unused(project)
        store.pruning.remove_unused(project)
    assert (unused.texts, unused.vectors) == (3, 3)
    assert unused.bytes > 0
    assert store.pruning.earlier(project) == ()
    assert store.pruning.unused(project) == UnusedContent(0, 0, 0)
    (held,) = store.documents.find(project, "a.md")
    assert held.version == 3
    assert "third" in store.documents.texts(project, [held.text_hash])[held.text_hash]
    assert store.embeddings.coverage(project, PROFILE) == (1, 1)
    assert store.check() == ()


def test_versions_go_on_counting_where_earlier_ones_were_let_go(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    history(store, notes, clock)
    project = notes.project_id
    with store.transaction():
        store.pruning.remove(project, store.pruning.earlier(project))
    put(store, notes, "a.md", "fourth")
    (held,) = store.documents.find(project, "a.md")
    assert held.version == 4
    assert [version.version for version in store.documents.versions(project, held.id)] == [3, 4]


def test_another_projects_leftovers_are_nobodys_business(store: Store, notes: Collection, clock: SetClock) -> None:
    history(store, notes, clock)
    other = samples.ensure(store, project="other")
    assert store.pruning.earlier(other.project_id) == ()
    assert store.pruning.unused(other.project_id) == UnusedContent(0, 0, 0)
    with store.transaction():
        store.pruning.remove(other.project_id, store.pruning.earlier(notes.project_id))
        store.pruning.remove_unused(other.project_id)
    assert len(store.pruning.earlier(notes.project_id)) == 3


def test_settling_changes_no_answer_and_no_generation(store: Store, notes: Collection, clock: SetClock) -> None:
    history(store, notes, clock)
    generation = store.generation()
    assert store.maintain(notes.project_id, PROFILE) is False
    assert store.generation() == generation
    assert store.check() == ()


def test_a_library_with_more_in_it_takes_no_less_room(store: Store, notes: Collection) -> None:
    before = store.size()
    for number in range(20):
        put(store, notes, f"{number}.md", f"text {number} " * 200)
    assert store.size() >= before > -1


def test_who_waits_for_work_and_is_told_to_stop_stops(store: Store) -> None:
    stop = threading.Event()
    stop.set()
    store.wait_for_work(stop, 3_600.0)
    stop.clear()
    store.wait_for_work(stop, 0.01)


def test_what_answers_is_named_only_where_a_server_does(store: Store) -> None:
    assert store.server() == "" or store.server().startswith("PostgreSQL ")
