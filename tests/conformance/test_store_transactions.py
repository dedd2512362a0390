"""What is written together appears together or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import samples
from observation import observed

from octavo.errors import NotFound
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()


class Trouble(Exception):
    """Anything that may go wrong half-way."""


def fill(store: Store, notes: Collection) -> PreparedDocument:
    sample = samples.prepared(notes, "kept.md", "# Kept", "some words", tags=("t",))
    with store.transaction():
        samples.put(store, notes, sample)
        store.catalog.record_recipe(notes.project_id, samples.recipe())
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("kept.md")])
        pending = store.embeddings.pending(notes.project_id, PROFILE)
        store.embeddings.put(notes.project_id, PROFILE, [samples.vector_row(pending[0], PROFILE)])
    return sample


def change_everything(store: Store, notes: Collection, kept: PreparedDocument) -> None:
    project = notes.project_id
    store.catalog.ensure_project("another")
    store.catalog.put_collection(samples.collection("another", "another"))
    store.catalog.put_collection(samples.collection("more", tags=("x",)))
    store.catalog.record_recipe(project, samples.recipe("sample-2"))
    samples.put(store, notes, samples.prepared(notes, "new.md", "# New", "new words", tags=("t",)))
    samples.put(store, notes, samples.prepared(notes, "kept.md", "# Changed", "other words"))
    samples.move(store, notes, "new.md", samples.prepared(notes, "moved.md", "# New", "new words"))
    other = samples.embedding_profile("other")
    for profile in (PROFILE, other):
        for key in store.embeddings.pending(project, profile):
            store.embeddings.put(project, profile, [samples.vector_row(key, profile)])
    store.documents.remove(project, kept.document.id)
    store.ledger.record(project, notes.id, [samples.ledger_entry("new.md")])
    store.ledger.forget(project, notes.id, ["kept.md"])


def seen(store: Store, notes: Collection, kept: PreparedDocument) -> object:
    profiles = (PROFILE, samples.embedding_profile("other"))
    words = ("some", "words", "new", "other")
    return observed(store, profiles, [(notes.project_id, kept.document.id)], words), store.generation()


@pytest.mark.parametrize("trouble", [Trouble, KeyboardInterrupt, SystemExit])
def test_a_rolled_back_transaction_leaves_nothing_behind(
    store: Store, notes: Collection, trouble: type[BaseException]
) -> None:
    kept = fill(store, notes)
    before = seen(store, notes, kept)
    with pytest.raises(trouble), store.transaction():
        change_everything(store, notes, kept)
        raise trouble
    assert seen(store, notes, kept) == before
    assert store.check() == ()


def test_the_same_changes_work_after_they_were_rolled_back(store: Store, notes: Collection) -> None:
    kept = fill(store, notes)
    before = seen(store, notes, kept)
    with pytest.raises(Trouble), store.transaction():
        change_everything(store, notes, kept)
        raise Trouble
    with store.transaction():
        change_everything(store, notes, kept)
    assert seen(store, notes, kept) != before
    assert store.check() == ()


def test_a_project_that_was_rolled_back_lends_its_place_to_nobody(store: Store) -> None:
    notes = samples.collection("notes", "lost")
    with pytest.raises(Trouble), store.transaction():
        lost = store.catalog.ensure_project("lost").id
        store.catalog.put_collection(notes)
        samples.put(store, notes, samples.prepared(notes, "a.md", "a"))
        raise Trouble
    there = samples.ensure(store, "notes", "there")
    with store.transaction():
        samples.put(store, there, samples.prepared(there, "a.md", "secret"))
    with pytest.raises(NotFound):
        store.documents.admitted(lost, Filters())
    with pytest.raises(NotFound):
        store.documents.find(lost, "a.md")


def test_a_collection_that_was_rolled_back_lends_its_place_to_nobody(store: Store, notes: Collection) -> None:
    lost = samples.collection("lost")
    with pytest.raises(Trouble), store.transaction():
        store.catalog.put_collection(lost)
        samples.put(store, lost, samples.prepared(lost, "a.md", "a"))
        raise Trouble
    there = samples.ensure(store, "there")
    with pytest.raises(NotFound), store.transaction():
        samples.put(store, lost, samples.prepared(lost, "b.md", "b"))
    assert store.documents.find(there.project_id, "b.md") == ()


def test_a_profile_that_was_rolled_back_lends_its_place_to_nobody(store: Store, notes: Collection) -> None:
    project, lost, there = notes.project_id, samples.embedding_profile("lost"), samples.embedding_profile("there")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
    (key,) = store.embeddings.pending(project, lost)
    with pytest.raises(Trouble), store.transaction():
        store.embeddings.put(project, lost, [samples.vector_row(key, lost)])
        assert store.embeddings.pending(project, lost) == ()
        raise Trouble
    with store.transaction():
        store.embeddings.put(project, there, [samples.vector_row(key, there)])
    assert store.embeddings.pending(project, lost) == (key,)
    assert store.embeddings.vectors(project, lost, 0).keys.tolist() == []


def test_the_generation_grows_with_each_committed_transaction_and_with_no_other(store: Store) -> None:
    start = store.generation()
    for number in range(3):
        with store.transaction():
            store.catalog.ensure_project(f"p{number}")
            assert store.generation() == start + number
        assert store.generation() == start + number + 1
        with pytest.raises(Trouble), store.transaction():
            store.catalog.ensure_project("never")
            raise Trouble
        assert store.generation() == start + number + 1
    with store.reading():
        store.catalog.projects()
    assert store.generation() == start + 3


def test_a_transaction_reads_its_own_writes(store: Store, notes: Collection) -> None:
    with store.transaction():
        keys = samples.put(store, notes, samples.prepared(notes, "a.md", "inside words"))
        assert list(store.documents.admitted(notes.project_id, Filters())) == list(keys)
        assert list(store.lexical.containing(notes.project_id, ["inside"])) == list(keys)
        hits = store.lexical.search(notes.project_id, samples.terms("inside"), Filters(), 10)
        assert [hit.key for hit in hits] == list(keys)
        with store.reading():
            assert len(store.embeddings.pending(notes.project_id, PROFILE)) == 1


def test_a_transaction_does_not_nest_and_the_outer_one_goes_on(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("outer")
        with pytest.raises(RuntimeError, match="nest"), store.transaction():
            pytest.fail("a second transaction began inside the first")
        store.catalog.ensure_project("still")
    assert [project.name for project in store.catalog.projects()] == ["outer", "still"]


def test_a_transaction_does_not_begin_inside_a_reading(store: Store) -> None:
    with store.reading():
        with pytest.raises(RuntimeError, match="nest"), store.transaction():
            pytest.fail("a transaction began inside a reading")
        assert store.catalog.projects() == ()


@pytest.mark.parametrize("inside_a_reading", [False, True])
def test_a_write_outside_a_transaction_is_refused(store: Store, notes: Collection, inside_a_reading: bool) -> None:
    kept = fill(store, notes)
    before = seen(store, notes, kept)
    project, entry = notes.project_id, samples.ledger_entry("x.md")
    sample = samples.prepared(notes, "x.md", "x")
    writes: tuple[Callable[[], object], ...] = (
        lambda: store.catalog.ensure_project("x"),
        lambda: store.catalog.put_collection(samples.collection("x")),
        lambda: store.catalog.remove_collection(project, notes.id),
        lambda: store.catalog.record_recipe(project, samples.recipe("x")),
        lambda: store.documents.put(project, notes.id, sample),
        lambda: store.documents.move(project, notes.id, "kept.md", sample),
        lambda: store.documents.remove(project, kept.document.id),
        lambda: store.lexical.put(project, []),
        lambda: store.embeddings.expect(project, []),
        lambda: store.embeddings.put(project, PROFILE, []),
        lambda: store.ledger.record(project, notes.id, [entry]),
        lambda: store.ledger.forget(project, notes.id, ["kept.md"]),
    )
    for write in writes:
        with pytest.raises(RuntimeError, match="transaction"):
            if inside_a_reading:
                with store.reading():
                    write()
            else:
                write()
    assert seen(store, notes, kept) == before


def test_a_reading_sees_one_state_while_another_thread_writes(store: Store, notes: Collection) -> None:
    fill(store, notes)

    def write() -> None:
        with store.transaction():
            samples.put(store, notes, samples.prepared(notes, "late.md", "late words"))

    with store.reading():
        before = (store.counts(notes.project_id), store.generation())
        _in_thread(write)
        assert (store.counts(notes.project_id), store.generation()) == before
        assert list(store.lexical.containing(notes.project_id, ["late"])) == []
        with store.reading():
            assert store.generation() == before[1]
        assert store.generation() == before[1]
    assert store.generation() == before[1] + 1
    assert len(store.lexical.containing(notes.project_id, ["late"])) == 1


def test_another_thread_sees_a_transaction_only_once_it_is_committed(store: Store, notes: Collection) -> None:
    counted: list[int] = []

    def count() -> None:
        counted.append(store.counts(notes.project_id).documents)

    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "a"))
        _in_thread(count)
    _in_thread(count)
    assert counted == [0, 1]


def test_transactions_of_several_threads_queue_and_none_is_lost(store: Store, notes: Collection) -> None:
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(5):
                with store.transaction():
                    samples.put(store, notes, samples.prepared(notes, f"{name}{number}.md", "word"))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.counts(notes.project_id).documents == 20
    assert len(set(store.lexical.containing(notes.project_id, ["word"]))) == 20
    assert store.check() == ()


def test_closing_twice_is_closing(store: Store) -> None:
    store.close()
    store.close()


def _in_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_read_transaction_has_one_generation_and_the_next_has_its_own(store: Store, notes: Collection) -> None:
    with store.reading():
        before = store.generation()
        writing = threading.Thread(target=fill, args=(store, notes))
        writing.start()
        writing.join()
        assert store.generation() == before
    with store.reading():
        assert store.generation() > before
    assert store.generation() > before
