"""The exact index against numpy done by hand."""

from __future__ import annotations

import numpy as np
import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.model.ids import ChunkKey
from octavo.model.search_result import ScoredChunk
from octavo.model.stored_rows import VectorRow
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex

PROFILE = samples.embedding_profile(dimensions=8)


def _unit(seed: int) -> np.ndarray:
    vector = np.random.default_rng(seed).normal(size=PROFILE.dimensions).astype(np.float16).astype(np.float32)
    return vector / np.linalg.norm(vector)


def _library(count: int, windows: int = 1) -> tuple[SqliteStore, ExactIndex, list[ChunkKey]]:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        keys = samples.put(store, within, samples.prepared(within, "a.md", *_paragraphs(count), windows=windows))
    return store, ExactIndex(store, within.project_id, PROFILE), list(keys)


def _paragraphs(count: int) -> list[str]:
    return [f"paragraph number {number} with some more words" for number in range(count)]


def _embed(store: SqliteStore, limit: int | None = None) -> dict[int, np.ndarray]:
    """Gives pending inputs a vector each, seeded by the input's key, and returns them as stored."""
    project = samples.collection().project_id
    pending = store.embeddings.pending(project, PROFILE)[:limit]
    stored = {key: _unit(key).astype("<f2") for key in pending}
    with store.transaction():
        rows = [VectorRow(key, vector.tobytes()) for key, vector in stored.items()]
        store.embeddings.put(project, PROFILE, rows)
    return {key: vector.astype(np.float32) for key, vector in stored.items()}


def test_an_empty_library_has_no_nearest_chunk() -> None:
    _, index, _ = _library(3)
    assert index.search(_unit(1), 10) == ()
    assert index.score(_unit(1), [ChunkKey(1)]) == {}
    assert index.coverage() == 0.0


@settings(max_examples=examples(25), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 12), windows=st.integers(1, 3), limit=st.integers(1, 15))
def test_search_equals_sorting_every_cosine(seed: int, count: int, windows: int, limit: int) -> None:
    store, index, _ = _library(count, windows)
    vectors = _embed(store)
    query = _unit(seed)
    best: dict[int, float] = {}
    for chunk, key in store.embeddings.assignments(samples.collection().project_id).tolist():
        best[chunk] = max(best.get(chunk, -2.0), float(vectors[key] @ query))
    expected = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]
    found = index.search(query, limit)
    assert [one.score for one in found] == pytest.approx([score for _, score in expected], abs=1e-5)
    assert {one.key for one in found[: limit - 1]} <= set(best)


def test_only_admitted_chunks_are_found() -> None:
    store, index, keys = _library(6)
    _embed(store)
    admitted = np.array(keys[2:4], dtype=np.int64)
    assert {one.key for one in index.search(_unit(3), 10, admitted)} == set(keys[2:4])


def test_named_chunks_get_the_same_score_as_a_search_gives_them() -> None:
    store, index, keys = _library(5, windows=2)
    _embed(store)
    query = _unit(9)
    searched = {one.key: one.score for one in index.search(query, 10)}
    assert index.score(query, keys) == pytest.approx(searched, abs=1e-6)


def test_vectors_written_after_the_first_look_are_found() -> None:
    store, index, _ = _library(4)
    _embed(store, limit=2)
    assert len(index.search(_unit(1), 10)) == 2
    assert index.coverage() == 0.5
    _embed(store)
    assert len(index.search(_unit(1), 10)) == 4
    assert index.coverage() == 1.0


def test_a_removed_document_is_not_found_again() -> None:
    store, index, _ = _library(4)
    _embed(store)
    within = samples.collection()
    assert len(index.search(_unit(1), 10)) == 4
    with store.transaction():
        store.documents.remove(within.project_id, samples.prepared(within, "a.md", "x").document.id)
    assert index.search(_unit(1), 10) == ()


def test_equal_scores_are_ordered_by_key() -> None:
    store, index, keys = _library(5)
    project = samples.collection().project_id
    same = _unit(1).astype("<f2").tobytes()
    with store.transaction():
        rows = [VectorRow(key, same) for key in store.embeddings.pending(project, PROFILE)]
        store.embeddings.put(project, PROFILE, rows)
    found = index.search(_unit(1), 3)
    assert found == tuple(ScoredChunk(key, found[0].score) for key in keys[:3])


def test_a_chunk_with_several_windows_has_one_unit_vector_between_them() -> None:
    store, index, keys = _library(3, windows=2)
    vectors = _embed(store)
    windows: dict[int, list[np.ndarray]] = {}
    for chunk, key in store.embeddings.assignments(samples.collection().project_id).tolist():
        windows.setdefault(chunk, []).append(vectors[key])
    found = index.vectors_of([*keys, ChunkKey(999)])
    assert sorted(found) == sorted(keys)
    for key, vector in found.items():
        mean = np.sum(windows[key], axis=0)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
