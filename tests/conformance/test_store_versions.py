"""Earlier texts stay reachable: through change, move, removal and return."""

from __future__ import annotations

import samples
from set_clock import SetClock

from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters
from octavo.model.stored_rows import DocumentVersion
from octavo.sql_repositories.store import Store


def put_at(
    now: float, clock: SetClock, store: Store, within: Collection, sample: PreparedDocument
) -> tuple[ChunkKey, ...]:
    clock.now = now
    with store.transaction():
        return samples.put(store, within, sample)


def move_at(
    now: float, clock: SetClock, store: Store, within: Collection, old_uri: str, sample: PreparedDocument
) -> tuple[ChunkKey, ...]:
    clock.now = now
    with store.transaction():
        return samples.move(store, within, old_uri, sample)


def remove_at(now: float, clock: SetClock, store: Store, within: Collection, sample: PreparedDocument) -> None:
    clock.now = now
    with store.transaction():
        store.documents.remove(within.project_id, sample.document.id)


def version(
    number: int, sample: PreparedDocument, indexed_at: float, removed_at: float | None = None
) -> DocumentVersion:
    document = sample.document
    return DocumentVersion(
        number, document.uri, document.title, document.content_hash, document.modified_at, indexed_at, removed_at
    )


def versions(store: Store, within: Collection, sample: PreparedDocument) -> tuple[DocumentVersion, ...]:
    return store.documents.versions(within.project_id, sample.document.id)


def current_version(store: Store, within: Collection, sample: PreparedDocument) -> int | None:
    stored = store.documents.get(within.project_id, sample.document.id)
    return stored.version if stored else None


def test_a_changed_document_keeps_its_earlier_text(store: Store, notes: Collection, clock: SetClock) -> None:
    old = samples.prepared(notes, "a.md", "# Old", "old text", modified_at=1.0)
    new = samples.prepared(notes, "a.md", "# New", "new text", modified_at=2.0)
    put_at(10, clock, store, notes, old)
    put_at(20, clock, store, notes, new)
    assert versions(store, notes, new) == (version(1, old, 10), version(2, new, 20))
    assert current_version(store, notes, new) == 2
    hashes = [old.document.content_hash, new.document.content_hash]
    texts = store.documents.texts(notes.project_id, hashes)
    assert [texts[one] for one in hashes] == [old.document.text, new.document.text]


def test_putting_the_same_content_again_makes_no_new_version(store: Store, notes: Collection, clock: SetClock) -> None:
    sample = samples.prepared(notes, "a.md", "same")
    put_at(10, clock, store, notes, sample)
    again = samples.prepared(notes, "a.md", "same", tags=("new",), modified_at=samples.MODIFIED + 5)
    put_at(20, clock, store, notes, again)
    assert versions(store, notes, sample) == (version(1, sample, 10),)
    stored = store.documents.get(notes.project_id, sample.document.id)
    assert stored is not None
    assert (stored.version, stored.tags, stored.modified_at) == (1, ("new",), samples.MODIFIED + 5)


def test_going_back_to_an_earlier_text_is_a_new_version(store: Store, notes: Collection, clock: SetClock) -> None:
    first, second = samples.prepared(notes, "a.md", "first"), samples.prepared(notes, "a.md", "second")
    for now, sample in ((1, first), (2, second), (3, first)):
        put_at(now, clock, store, notes, sample)
    assert versions(store, notes, first) == (version(1, first, 1), version(2, second, 2), version(3, first, 3))


def test_a_removed_document_keeps_its_versions_and_says_when_it_went(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    old, new = samples.prepared(notes, "a.md", "old"), samples.prepared(notes, "a.md", "new")
    put_at(1, clock, store, notes, old)
    put_at(2, clock, store, notes, new)
    remove_at(3, clock, store, notes, new)
    assert versions(store, notes, new) == (version(1, old, 1), version(2, new, 2, removed_at=3))
    remove_at(4, clock, store, notes, new)
    assert versions(store, notes, new)[-1].removed_at == 3
    assert new.document.content_hash in store.documents.texts(notes.project_id, [new.document.content_hash])


def test_a_document_that_comes_back_changed_continues_its_versions(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    old, new = samples.prepared(notes, "a.md", "old"), samples.prepared(notes, "a.md", "new")
    put_at(1, clock, store, notes, old)
    remove_at(2, clock, store, notes, old)
    put_at(3, clock, store, notes, new)
    assert versions(store, notes, new) == (version(1, old, 1, removed_at=2), version(2, new, 3))
    assert current_version(store, notes, new) == 2


def test_a_document_that_comes_back_as_it_was_is_no_longer_removed(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    sample = samples.prepared(notes, "a.md", "same")
    put_at(1, clock, store, notes, sample)
    remove_at(2, clock, store, notes, sample)
    put_at(3, clock, store, notes, sample)
    assert versions(store, notes, sample) == (version(1, sample, 1),)
    assert current_version(store, notes, sample) == 1


def test_a_moved_document_keeps_its_chunk_keys_and_its_versions(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    first = samples.prepared(notes, "old.md", "# T", "first")
    second = samples.prepared(notes, "old.md", "# T", "second", "## Deep", tags=("before",))
    moved = samples.prepared(notes, "new.md", "# T", "second", "## Deep", tags=("after",), modified_at=9.0)
    put_at(1, clock, store, notes, first)
    keys = put_at(2, clock, store, notes, second)
    assert move_at(3, clock, store, notes, "old.md", moved) == keys
    project = notes.project_id
    assert versions(store, notes, moved) == (version(1, first, 1), version(2, second, 2))
    assert versions(store, notes, second) == ()
    assert store.documents.find(project, "old.md") == ()
    (stored,) = store.documents.find(project, "new.md")
    assert (stored.id, stored.version, stored.tags, stored.modified_at) == (moved.document.id, 2, ("after",), 9.0)
    assert store.documents.sections(project, moved.document.id) == moved.document.sections
    found = store.documents.candidates(project, keys)
    assert [found[key].chunk_id for key in keys] == [indexed.chunk.id for indexed in moved.chunks]
    assert [store.documents.chunk_key(project, indexed.chunk.id) for indexed in second.chunks] == [None] * 3
    assert store.documents.admitted(project, Filters(uris=("new.md",), tags_all=("after",))) == list(keys)
    assert store.documents.admitted(project, Filters(tags_all=("before",))) == []
    assert store.lexical.containing(project, ["second"]) == [keys[1]]
    assert store.check() == ()


def test_a_move_costs_no_embedding_when_what_is_embedded_stays(store: Store, notes: Collection) -> None:
    profile, project = samples.embedding_profile(), notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "old.md", "# T", "text"))
        pending = store.embeddings.pending(project, profile)
        store.embeddings.put(project, profile, [samples.vector_row(key, profile) for key in pending])
    with store.transaction():
        samples.move(store, notes, "old.md", samples.prepared(notes, "new.md", "# T", "text"))
    assert store.embeddings.pending(project, profile) == ()
    assert store.embeddings.coverage(project, profile) == (2, 2)


def test_a_document_may_move_there_and_back(store: Store, notes: Collection, clock: SetClock) -> None:
    here, there = samples.prepared(notes, "here.md", "# T"), samples.prepared(notes, "there.md", "# T")
    keys = put_at(1, clock, store, notes, here)
    assert move_at(2, clock, store, notes, "here.md", there) == keys
    assert move_at(3, clock, store, notes, "there.md", here) == keys
    assert versions(store, notes, here) == (version(1, here, 1),)
    assert versions(store, notes, there) == ()


def test_moving_to_the_same_uri_changes_nothing(store: Store, notes: Collection, clock: SetClock) -> None:
    sample = samples.prepared(notes, "a.md", "# T", "text")
    keys = put_at(1, clock, store, notes, sample)
    assert move_at(2, clock, store, notes, "a.md", sample) == keys
    assert versions(store, notes, sample) == (version(1, sample, 1),)


def test_the_uri_a_document_left_starts_anew(store: Store, notes: Collection, clock: SetClock) -> None:
    old, moved = samples.prepared(notes, "a.md", "# T"), samples.prepared(notes, "b.md", "# T")
    put_at(1, clock, store, notes, old)
    move_at(2, clock, store, notes, "a.md", moved)
    newcomer = samples.prepared(notes, "a.md", "# Newcomer")
    put_at(3, clock, store, notes, newcomer)
    assert versions(store, notes, newcomer) == (version(1, newcomer, 3),)
    assert versions(store, notes, moved) == (version(1, old, 1),)


def test_moving_from_an_unknown_uri_is_putting(store: Store, notes: Collection, clock: SetClock) -> None:
    sample = samples.prepared(notes, "a.md", "text")
    keys = move_at(1, clock, store, notes, "never.md", sample)
    assert store.documents.admitted(notes.project_id, Filters()) == list(keys)
    assert versions(store, notes, sample) == (version(1, sample, 1),)


def test_a_move_with_other_content_is_a_removal_and_a_new_document(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    old, new = samples.prepared(notes, "old.md", "old"), samples.prepared(notes, "new.md", "new")
    before = put_at(1, clock, store, notes, old)
    after = move_at(2, clock, store, notes, "old.md", new)
    assert set(before).isdisjoint(after)
    assert versions(store, notes, old) == (version(1, old, 1, removed_at=2),)
    assert versions(store, notes, new) == (version(1, new, 2),)
    assert store.documents.admitted(notes.project_id, Filters()) == list(after)


def test_a_move_that_was_cut_into_other_chunks_gets_new_ones(store: Store, notes: Collection, clock: SetClock) -> None:
    old, new = samples.prepared(notes, "old.md", "one", "two"), samples.prepared(notes, "new.md", "one\n\ntwo")
    assert old.document.content_hash == new.document.content_hash
    before = put_at(1, clock, store, notes, old)
    after = move_at(2, clock, store, notes, "old.md", new)
    assert set(before).isdisjoint(after)
    found = store.documents.candidates(notes.project_id, after)
    assert [found[key].span for key in after] == [new.chunks[0].chunk.span]


def test_a_move_that_was_cut_at_other_places_gets_new_chunks(store: Store, notes: Collection) -> None:
    old = samples.prepared(notes, "old.md", "one", "two\n\nthree")
    new = samples.prepared(notes, "new.md", "one\n\ntwo", "three")
    with store.transaction():
        before = samples.put(store, notes, old)
    with store.transaction():
        after = samples.move(store, notes, "old.md", new)
    assert set(before).isdisjoint(after)
    found = store.documents.candidates(notes.project_id, after)
    assert [found[key].span for key in after] == [indexed.chunk.span for indexed in new.chunks]


def test_a_move_onto_another_document_is_a_change_there_and_both_histories_stay_whole(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    source, target = samples.prepared(notes, "source.md", "# S"), samples.prepared(notes, "target.md", "# T")
    arrived = samples.prepared(notes, "target.md", "# S")
    put_at(1, clock, store, notes, source)
    put_at(2, clock, store, notes, target)
    keys = move_at(3, clock, store, notes, "source.md", arrived)
    assert versions(store, notes, source) == (version(1, source, 1, removed_at=3),)
    assert versions(store, notes, target) == (version(1, target, 2), version(2, arrived, 3))
    assert store.documents.admitted(notes.project_id, Filters()) == list(keys)
    assert store.counts(notes.project_id).documents == 1
    assert store.check() == ()


def test_a_move_to_where_a_document_once_was_continues_that_history(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    source, former = samples.prepared(notes, "source.md", "# S"), samples.prepared(notes, "target.md", "# T")
    arrived = samples.prepared(notes, "target.md", "# S")
    put_at(1, clock, store, notes, former)
    remove_at(2, clock, store, notes, former)
    put_at(3, clock, store, notes, source)
    move_at(4, clock, store, notes, "source.md", arrived)
    assert versions(store, notes, source) == (version(1, source, 3, removed_at=4),)
    assert versions(store, notes, arrived) == (version(1, former, 1, removed_at=2), version(2, arrived, 4))
    assert current_version(store, notes, arrived) == 2


def test_a_moved_document_changes_and_goes_like_any_other(store: Store, notes: Collection, clock: SetClock) -> None:
    old, moved = samples.prepared(notes, "old.md", "# T"), samples.prepared(notes, "new.md", "# T")
    changed = samples.prepared(notes, "new.md", "# T", "changed")
    put_at(1, clock, store, notes, old)
    move_at(2, clock, store, notes, "old.md", moved)
    put_at(3, clock, store, notes, changed)
    remove_at(4, clock, store, notes, changed)
    history = versions(store, notes, changed)
    assert history == (version(1, old, 1), version(2, changed, 3, removed_at=4))
    put_at(5, clock, store, notes, changed)
    assert versions(store, notes, changed) == (history[0], history[1]._replace(removed_at=None))


def held_at(store: Store, within: Collection, at: float) -> dict[str, int]:
    """The version of each document that a search as of this time looks at."""
    past = {found.version.uri: found.version.version for found in store.documents.past(within.project_id, at)}
    present = store.documents.listed(within.project_id, Filters(as_of=at))
    return past | {document.uri: document.version for document in present}


def test_a_version_begins_no_earlier_than_the_one_before_it_was_indexed_or_removed(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    first = samples.prepared(notes, "a.md", "first", modified_at=5.0)
    copied = samples.prepared(notes, "a.md", "copied with its time", modified_at=1.0)
    edited = samples.prepared(notes, "a.md", "edited", modified_at=25.0)
    back = samples.prepared(notes, "a.md", "copied back after its removal", modified_at=28.0)
    put_at(10, clock, store, notes, first)
    put_at(20, clock, store, notes, copied)
    put_at(30, clock, store, notes, edited)
    remove_at(40, clock, store, notes, edited)
    put_at(50, clock, store, notes, back)
    expected = {4: None, 5: 1, 12: 1, 19: 1, 20: 2, 24: 2, 25: 3, 30: 3, 39: 3, 40: None, 49: None, 50: 4, 60: 4}
    assert {at: held_at(store, notes, at).get("a.md") for at in expected} == expected


def test_the_first_version_of_a_document_begins_when_its_file_was_modified(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    put_at(10, clock, store, notes, samples.prepared(notes, "a.md", "text", modified_at=2.0))
    assert [held_at(store, notes, at) for at in (1.0, 2.0, 10.0)] == [{}, {"a.md": 1}, {"a.md": 1}]
