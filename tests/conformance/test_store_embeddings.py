"""Which inputs stand for which chunks, and the vectors there are for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import samples

from octavo.errors import Conflict
from octavo.model.document import Kind
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, text_hash
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import PendingInput, PostponedChunk, VectorRow
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()


def embed(store: Store, within: Collection, profile: EmbeddingProfile = PROFILE, limit: int | None = None) -> int:
    """Gives what is pending its vectors, up to a limit; returns how many."""
    pending = store.embeddings.pending(within.project_id, profile)[:limit]
    with store.transaction():
        rows = [samples.vector_row(key, profile) for key in pending]
        store.embeddings.put(within.project_id, profile, rows)
    return len(pending)


def test_vectors_alone_make_another_generation_of_the_same_content(store: Store, notes: Collection) -> None:
    def embedded() -> None:
        pending = store.embeddings.pending(notes.project_id, PROFILE)[:1]
        with store.transaction():
            store.vectors_alone()
            store.embeddings.put(notes.project_id, PROFILE, [samples.vector_row(key, PROFILE) for key in pending])

    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one two", "three four", "five six"))
    generation, content = store.generation(), store.content_generation()
    embedded()
    embedded()
    assert (store.generation(), store.content_generation()) == (generation + 2, content)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "b.md", "seven"))
    changed = store.content_generation()
    assert changed > content, "what was cached of the content before is of another one"
    embedded()
    assert (store.generation(), store.content_generation()) == (generation + 4, changed)


def test_a_transaction_that_rolls_back_or_says_nothing_of_vectors_is_not_taken_for_one_of_vectors_alone(
    store: Store, notes: Collection
) -> None:
    content = store.content_generation()
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.vectors_alone()
        raise ZeroDivisionError
    assert store.content_generation() == content
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one two"))
    assert store.content_generation() > content


def test_every_window_of_every_chunk_is_pending_in_chunk_order_until_it_has_a_vector(
    store: Store, notes: Collection
) -> None:
    project = notes.project_id
    with store.transaction():
        first = samples.put(store, notes, samples.prepared(notes, "a.md", "one two", "three four", windows=2))
        second = samples.put(store, notes, samples.prepared(notes, "b.md", "five six"))
    pairs = store.embeddings.assignments(project)
    assert pairs.dtype == np.int64
    assert pairs[:, 0].tolist() == [first[0], first[0], first[1], first[1], second[0]]
    assert store.embeddings.pending(project, PROFILE) == tuple(pairs[:, 1].tolist())
    assert store.embeddings.coverage(project, PROFILE) == (0, 3)
    assert embed(store, notes, limit=1) == 1
    assert store.embeddings.coverage(project, PROFILE) == (0, 3)
    assert embed(store, notes, limit=1) == 1
    assert store.embeddings.coverage(project, PROFILE) == (1, 3)
    assert embed(store, notes) == 3
    assert store.embeddings.pending(project, PROFILE) == ()
    assert store.embeddings.coverage(project, PROFILE) == (3, 3)


def test_of_each_chunk_of_a_document_its_length_and_its_vectors_are_told(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        first = samples.put(store, notes, samples.prepared(notes, "a.md", "one two", "three four", windows=2))
        samples.put(store, notes, samples.prepared(notes, "b.md", "five six"))
    (document,) = store.documents.find(project, "a.md")
    embed(store, notes, limit=3)
    rows = store.embeddings.chunk_vectors(project, document.id, PROFILE, None)
    assert [(row.key, row.windows, row.full, row.fast) for row in rows] == [(first[0], 2, 2, 0), (first[1], 2, 1, 0)]
    assert [row.fast for row in store.embeddings.chunk_vectors(project, document.id, PROFILE, PROFILE)] == [2, 1]
    assert all(row.tokens > 0 for row in rows)


def test_what_some_chunks_wait_for_is_told_without_the_others(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        first = samples.put(store, notes, samples.prepared(notes, "a.md", "one two", "three four", windows=2))
        second = samples.put(store, notes, samples.prepared(notes, "b.md", "five six"))
    pending = store.embeddings.pending(project, PROFILE)
    assert store.embeddings.pending(project, PROFILE, chunks=[first[1], second[0]]) == pending[2:]
    embed(store, notes, limit=3)
    assert store.embeddings.pending(project, PROFILE, chunks=[*first, *second]) == pending[3:]
    assert store.embeddings.pending(project, PROFILE, chunks=[]) == ()


def test_a_chunk_whose_vector_is_nothing_but_zeros_was_not_read(store: Store, notes: Collection) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two", windows=2))
    read, *unread = store.embeddings.pending(notes.project_id, PROFILE)
    with store.transaction():
        nothing = [VectorRow(key, bytes(2 * PROFILE.dimensions)) for key in unread]
        store.embeddings.put(notes.project_id, PROFILE, [samples.vector_row(read, PROFILE), *nothing])
    assert store.embeddings.unread(notes.project_id, PROFILE) == 2
    assert store.embeddings.unread(notes.project_id, replace(PROFILE, revision="another")) == 0


def test_an_input_is_described_by_where_its_slice_is_and_what_goes_in_front(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "# Title\nand text", "## Below\nmore", windows=2)
    with store.transaction():
        samples.put(store, notes, sample)
    pending = store.embeddings.pending(notes.project_id, PROFILE)
    inputs = [window for indexed in sample.chunks for window in indexed.inputs]
    described = store.embeddings.describe(notes.project_id, pending)
    assert described == tuple(
        PendingInput(key, one.hash, one.context, sample.document.content_hash, one.span, described[0].document_key)
        for key, one in zip(pending, inputs, strict=True)
    )
    assert store.embeddings.of_document(notes.project_id, described[0].document_key) == tuple(sorted(pending))
    texts = [f"{one.context}\n{one.span.of(sample.document.text)}" for one in described]
    assert [text_hash(text) for text in texts] == [window.hash for window in inputs]


def test_only_inputs_never_met_before_are_told_with_their_keys(store: Store, notes: Collection) -> None:
    first, second = (samples.prepared(notes, name, "# Title\nand text", windows=2) for name in ("a.md", "b.md"))
    with store.transaction():
        (key,) = samples.put(store, notes, first)
        again = store.embeddings.expect(notes.project_id, [(key, first.chunks[0].inputs)])
        other = store.embeddings.expect(
            notes.project_id,
            [(key, [window._replace(hash=text_hash(window.hash)) for window in second.chunks[0].inputs])],
        )
    assert again == {}
    assert tuple(other.values()) == store.embeddings.pending(notes.project_id, PROFILE)


def test_descriptions_come_by_key_once_each_and_unknown_keys_are_left_out(store: Store, notes: Collection) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two", "three"))
    keys = store.embeddings.pending(notes.project_id, PROFILE)
    asked = [keys[2], keys[0], 10_000, keys[2]]
    found = store.embeddings.describe(notes.project_id, asked)
    assert [one.input_key for one in found] == [keys[0], keys[2]]


def test_the_same_input_under_two_chunks_is_pending_once(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        (a,) = samples.put(store, notes, samples.prepared(notes, "a.md", "# Same\ntext"))
        (b,) = samples.put(store, notes, samples.prepared(notes, "b.md", "# Same\ntext"))
    (key,) = store.embeddings.pending(project, PROFILE)
    assert store.embeddings.assignments(project).tolist() == [[a, key], [b, key]]
    assert len(store.embeddings.describe(project, [key])) == 1
    embed(store, notes)
    assert store.embeddings.coverage(project, PROFILE) == (2, 2)


def test_a_shared_input_is_still_described_when_its_first_document_is_gone(store: Store, notes: Collection) -> None:
    first = samples.prepared(notes, "a.md", "# Same\ntext", "and more")
    with store.transaction():
        samples.put(store, notes, first)
        second = samples.prepared(notes, "b.md", "before", "# Same\ntext")
        samples.put(store, notes, second)
        store.documents.remove(notes.project_id, first.document.id)
    described = store.embeddings.describe(notes.project_id, store.embeddings.pending(notes.project_id, PROFILE))
    assert {one.hash for one in described} == {chunk.inputs[0].hash for chunk in second.chunks}
    assert {one.text_hash for one in described} == {second.document.content_hash}
    assert {one.span for one in described} == {chunk.chunk.span for chunk in second.chunks}


def test_vectors_survive_removal_and_change_so_nothing_is_embedded_twice(store: Store, notes: Collection) -> None:
    project, sample = notes.project_id, samples.prepared(notes, "a.md", "# T", "one", "two")
    with store.transaction():
        samples.put(store, notes, sample)
    embed(store, notes)
    with store.transaction():
        store.documents.remove(project, sample.document.id)
    assert store.embeddings.assignments(project).shape == (0, 2)
    assert store.embeddings.coverage(project, PROFILE) == (0, 0)
    with store.transaction():
        samples.put(store, notes, sample)
    assert store.embeddings.pending(project, PROFILE) == ()
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "# T", "one", "new", "two"))
    assert len(store.embeddings.pending(project, PROFILE)) == 1
    assert store.embeddings.coverage(project, PROFILE) == (3, 4)


def test_vectors_come_back_by_key_from_where_one_left_off(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two", "three"))
    keys = store.embeddings.pending(project, PROFILE)
    rows = [VectorRow(key, np.array([key, 0.5, -1, 0], dtype="<f2").tobytes()) for key in keys]
    with store.transaction():
        store.embeddings.put(project, PROFILE, rows[:2])
    first = store.embeddings.vectors(project, PROFILE, 0)
    assert first.inputs.tolist() == list(keys[:2])
    assert first.matrix.dtype == np.float32
    assert first.matrix.tolist() == [[key, 0.5, -1, 0] for key in keys[:2]]
    newest = int(first.keys.max())
    assert store.embeddings.vectors(project, PROFILE, newest).keys.tolist() == []
    with store.transaction():
        store.embeddings.put(project, PROFILE, rows)
    later = store.embeddings.vectors(project, PROFILE, newest)
    assert later.inputs.tolist() == [keys[2]]
    assert later.keys.min() > newest
    assert sorted(first.keys.tolist()) == first.keys.tolist()


def test_a_vector_that_is_there_is_not_replaced(store: Store, notes: Collection) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
    (key,) = store.embeddings.pending(notes.project_id, PROFILE)
    for first in (1.0, 2.0):
        with store.transaction():
            data = np.array([first, 0, 0, 0], dtype="<f2").tobytes()
            store.embeddings.put(notes.project_id, PROFILE, [VectorRow(key, data)])
    assert store.embeddings.vectors(notes.project_id, PROFILE, 0).matrix.tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize(
    "other",
    [
        samples.embedding_profile("other"),
        samples.embedding_profile(revision="2"),
        samples.embedding_profile(dimensions=8),
    ],
    ids=["name", "revision", "dimensions"],
)
def test_vectors_of_another_profile_are_never_seen(store: Store, notes: Collection, other: EmbeddingProfile) -> None:
    project = notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two"))
    assert embed(store, notes, PROFILE) == 2
    assert len(store.embeddings.pending(project, other)) == 2
    assert store.embeddings.coverage(project, other) == (0, 2)
    assert store.embeddings.vectors(project, other, 0).matrix.shape == (0, other.dimensions)
    assert embed(store, notes, other, limit=1) == 1
    assert store.embeddings.vectors(project, other, 0).matrix.shape == (1, other.dimensions)
    assert store.embeddings.vectors(project, PROFILE, 0).matrix.shape == (2, 4)


def test_expecting_again_replaces_what_a_chunk_was_expected_to_embed(store: Store, notes: Collection) -> None:
    project = notes.project_id
    two = samples.prepared(notes, "a.md", "one two", windows=2)
    one = samples.prepared(notes, "a.md", "one two", windows=1)
    with store.transaction():
        (key,) = samples.put(store, notes, two)
    with store.transaction():
        store.embeddings.expect(project, [(key, one.chunks[0].inputs)])
    (described,) = store.embeddings.describe(project, store.embeddings.pending(project, PROFILE))
    assert described.hash == one.chunks[0].inputs[0].hash
    with store.transaction():
        store.embeddings.expect(project, [(key, ())])
    assert store.embeddings.pending(project, PROFILE) == ()


def test_a_vector_of_the_wrong_size_is_refused_before_it_is_stored(store: Store, notes: Collection) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
    (key,) = store.embeddings.pending(notes.project_id, PROFILE)
    with pytest.raises(ValueError, match="8 bytes"), store.transaction():
        store.embeddings.put(notes.project_id, PROFILE, [VectorRow(key, b"\0" * 6)])
    assert store.embeddings.pending(notes.project_id, PROFILE) == (key,)


def test_inputs_of_unknown_chunks_and_vectors_of_unknown_inputs_are_refused(store: Store, notes: Collection) -> None:
    inputs = samples.prepared(notes, "a.md", "one").chunks[0].inputs
    with pytest.raises(Conflict), store.transaction():
        store.embeddings.expect(notes.project_id, [(ChunkKey(999), inputs)])
    with pytest.raises(Conflict), store.transaction():
        store.embeddings.put(notes.project_id, PROFILE, [samples.vector_row(999, PROFILE)])
    assert store.check() == ()


def test_what_was_hit_most_often_is_wanted_first_then_what_was_changed_last(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        for uri, modified in (("old.md", 10.0), ("new.md", 30.0), ("between.md", 20.0)):
            samples.put(
                store, notes, samples.prepared(notes, uri, f"one of {uri}", f"two of {uri}", modified_at=modified)
            )
    inputs = dict(store.embeddings.assignments(project).tolist())
    old, new, between = (sorted(inputs)[start : start + 2] for start in (0, 2, 4))
    assert store.embeddings.pending(project, PROFILE, wanted_first=True) == tuple(
        inputs[key] for key in (*new, *between, *old)
    )
    store.embeddings.note_hits(project, PROFILE, {ChunkKey(old[1]): 1, ChunkKey(between[0]): 1, ChunkKey(999): 4})
    store.embeddings.note_hits(project, PROFILE, {ChunkKey(old[1]): 2})
    assert store.embeddings.pending(project, PROFILE, wanted_first=True) == tuple(
        inputs[key] for key in (old[1], between[0], *new, between[1], old[0])
    )


def test_hits_are_kept_only_of_what_waits_and_only_while_anything_does(store: Store, notes: Collection) -> None:
    project, generation = notes.project_id, store.generation()
    with store.transaction():
        first = samples.put(store, notes, samples.prepared(notes, "a.md", "one", modified_at=1.0))
    assert embed(store, notes) == 1
    with store.transaction():
        second = samples.put(store, notes, samples.prepared(notes, "b.md", "two", modified_at=2.0))
    assert not store.embeddings.mark_complete(project, PROFILE)
    generation = store.generation()
    store.embeddings.note_hits(project, PROFILE, {first[0]: 5, second[0]: 1})
    assert embed(store, notes) == 1
    assert store.embeddings.mark_complete(project, PROFILE)
    assert store.generation() == generation + 1
    other = samples.embedding_profile("other")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "c.md", "three", modified_at=3.0))
    inputs = dict(store.embeddings.assignments(project).tolist())
    assert store.embeddings.pending(project, other, wanted_first=True) == tuple(sorted(inputs.values(), reverse=True))


def test_what_is_settled_is_pending_again_when_an_input_comes_back_that_never_had_its_vector(
    store: Store, notes: Collection
) -> None:
    project = notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "never embedded"))
    (lost,) = store.embeddings.pending(project, PROFILE)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "embedded instead"))
    assert embed(store, notes) == 1
    assert store.embeddings.mark_complete(project, PROFILE)
    assert store.embeddings.pending(project, PROFILE) == ()
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "never embedded"))
    assert store.embeddings.pending(project, PROFILE) == (lost,)
    assert store.embeddings.coverage(project, PROFILE) == (0, 1)
    assert not store.embeddings.mark_complete(project, PROFILE)
    assert embed(store, notes) == 1
    assert store.embeddings.mark_complete(project, PROFILE)
    assert store.embeddings.coverage(project, PROFILE) == (1, 1)


def test_settling_says_whether_anything_waits_and_holds_for_one_profile_and_project(
    store: Store, notes: Collection
) -> None:
    assert store.embeddings.mark_complete(notes.project_id, PROFILE)
    elsewhere = samples.ensure(store, project="elsewhere")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
        samples.put(store, elsewhere, samples.prepared(elsewhere, "a.md", "one"))
    assert embed(store, notes) == 1
    assert store.embeddings.mark_complete(notes.project_id, PROFILE)
    assert not store.embeddings.mark_complete(elsewhere.project_id, PROFILE)
    assert not store.embeddings.mark_complete(notes.project_id, samples.embedding_profile("other"))
    assert len(store.embeddings.pending(elsewhere.project_id, PROFILE)) == 1


def test_vectors_that_were_replaced_can_be_removed_and_are_pending_again(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two"))
    assert embed(store, notes) == 2
    assert store.embeddings.mark_complete(project, PROFILE)
    one, two = store.embeddings.assignments(project)[:, 1].tolist()
    with store.transaction():
        store.embeddings.remove(project, PROFILE, [one])
    assert store.embeddings.vectors(project, PROFILE, 0).inputs.tolist() == [two]
    assert store.embeddings.pending(project, PROFILE) == (one,)


def test_the_first_so_many_are_those_of_the_whole_order(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        for number in range(4):
            kind = Kind.COMMIT if number == 2 else Kind.NOTE
            sample = samples.prepared(notes, f"{number}.md", "said twice", f"only {number}", windows=2, kind=kind)
            samples.put(store, notes, sample)
    assert embed(store, notes, limit=3) == 3
    for how in ({}, {"newest_first": True}, {"wanted_first": True}):
        whole = store.embeddings.pending(project, PROFILE, **how)
        assert len(whole) > 4
        for most in range(len(whole) + 2):
            assert store.embeddings.pending(project, PROFILE, **how, most=most) == whole[:most]


def test_chunks_whose_inputs_are_postponed_are_told_and_count_as_not_covered_until_they_have_them(
    store: Store, notes: Collection
) -> None:
    project = notes.project_id
    sample = samples.prepared(notes, "a.md", "# Title\none", "## Below\ntwo", "three")
    with store.transaction():
        keys = samples.put(store, notes, sample)
    embed(store, notes)
    with store.transaction():
        store.embeddings.postpone(project, keys[1:])
    assert store.embeddings.coverage(project, PROFILE) == (1, 3)
    assert store.embeddings.pending(project, PROFILE) == ()
    waiting = store.embeddings.postponed(project, 0, 10)
    paths = {section.id: section.path for section in sample.document.sections}
    assert waiting == tuple(
        PostponedChunk(
            key,
            sample.document.id,
            paths[one.chunk.section_id],
            one.chunk.span,
            one.chunk.tokens,
            one.chunk.signature,
        )
        for key, one in zip(keys[1:], sample.chunks[1:], strict=True)
    )
    assert store.embeddings.postponed(project, keys[1], 10) == waiting[1:]
    assert store.embeddings.postponed(project, 0, 1) == waiting[:1]
    with store.transaction():
        store.embeddings.expect(project, [(keys[1], sample.chunks[1].inputs)])
    store.embeddings.finish_postponed(project)
    assert store.embeddings.postponed(project, 0, 10) == waiting[1:]
    assert store.embeddings.coverage(project, PROFILE) == (2, 3)
    with store.transaction():
        store.embeddings.expect(project, [(keys[2], sample.chunks[2].inputs)])
    store.embeddings.finish_postponed(project)
    assert store.embeddings.postponed(project, 0, 10) == ()
    assert store.embeddings.coverage(project, PROFILE) == (3, 3)


def test_a_chunk_that_goes_need_not_be_given_its_inputs(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one", "two")
    with store.transaction():
        store.embeddings.postpone(notes.project_id, samples.put(store, notes, sample))
    with store.transaction():
        store.documents.remove(notes.project_id, sample.document.id)
    assert store.embeddings.postponed(notes.project_id, 0, 10) == ()
