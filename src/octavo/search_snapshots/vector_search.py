"""Vector search over a snapshot's shards and the vectors embedded since."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.sorted_array_set_operations import are_among, distinct, either
from octavo.algorithms.ranking.vector_nearest_neighbors import best_of_each, cosines, directions, nearest, top
from octavo.errors import DamagedSnapshot
from octavo.fast_dataclass import dataclass, replace
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey
from octavo.model.search_result import ScoredChunk, scored_chunks
from octavo.model.search_snapshot import Watermark, WindowVectors
from octavo.ports import TieredIndex, VectorIndex
from octavo.search_snapshots.reader import OpenSnapshot, SnapshotReader
from octavo.search_snapshots.vector_shards import joined, without
from octavo.sql_repositories.store import Store

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _State:
    """The vectors in the shards, except for `tombstones`, and those written or embedded after the snapshot."""

    snapshot: OpenSnapshot
    seen: Watermark
    tombstones: NDArray[np.int64]
    alive: NDArray[np.bool_] | None
    recent: WindowVectors
    matrix: NDArray[np.float32]


class SnapshotVectors:
    """Fits `ports.VectorIndex`. Without a matching snapshot it falls back to the exact index."""

    def __init__(
        self,
        snapshots: SnapshotReader,
        store: Store,
        profiles: Sequence[EmbeddingProfile],
        exact: Callable[[], VectorIndex],
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._profiles = profiles
        self._comparable = tuple(profile.canonical() for profile in profiles)
        self._make_exact = exact
        self._exact_index: VectorIndex | None = None
        self._lock = threading.Lock()
        self._state: _State | None = None

    def prepare(self) -> None:
        if self._current() is None:
            self._exact.prepare()

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[ScoredChunk, ...]:
        return self._answer(
            lambda state: _scored(*_search(state, vector, limit, admitted)),
            lambda exact: exact.search(vector, limit, admitted),
        )

    def search_near_sections(
        self,
        vector: NDArray[np.float32],
        limit: int,
        sections: int,
        shards: int,
        admitted: NDArray[np.int64] | None = None,
    ) -> tuple[tuple[ScoredChunk, ...], str]:
        def routed(state: _State) -> tuple[tuple[ScoredChunk, ...], str]:
            outline = state.snapshot.outline
            if outline is None:
                detail = "the snapshot has no outline (snapshots.outline): everything was searched"
                return _scored(*_search(state, vector, limit, admitted)), detail
            within = outline.route(vector, sections, shards)
            detail = f"{len(within)} of {len(state.snapshot.shards.paths)} shards, by {sections} sections"
            return _scored(*_search(state, vector, limit, admitted, within)), detail

        return self._answer(
            routed,
            lambda exact: (exact.search(vector, limit, admitted), "there is no snapshot: everything was searched"),
        )

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        return self._answer(
            lambda state: _cosines(state, vector, keys),
            lambda exact: exact.score(vector, keys),
        )

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        return self._answer(
            lambda state: _directions(state, keys),
            lambda exact: exact.vectors_of(keys),
        )

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        return self._answer(lambda state: _fast_among(state, keys), lambda exact: _fast_in(exact, keys))

    @property
    def _exact(self) -> VectorIndex:
        if self._exact_index is None:
            self._exact_index = self._make_exact()
        return self._exact_index

    def _answer(self, of_state: Callable[[_State], _T], of_exact: Callable[[VectorIndex], _T]) -> _T:
        state = self._current()
        if state is None:
            return of_exact(self._exact)
        try:
            return of_state(state)
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.mark_damaged(state.snapshot, error)
            return of_exact(self._exact)

    def _current(self) -> _State | None:
        snapshot = self._snapshots.current()
        if snapshot is None or snapshot.manifest.profiles != self._comparable:
            return None
        with self._lock:
            state = self._state
            try:
                if state is None or state.snapshot is not snapshot:
                    self._state = self._updated(self._initial_state(snapshot))
                elif state.seen.generation < self._store.generation():
                    self._state = self._updated(state)
            except (IndexError, ValueError, DamagedSnapshot) as error:
                self._state = None
                self._snapshots.mark_damaged(snapshot, error)
            return self._state

    def _initial_state(self, snapshot: OpenSnapshot) -> _State:
        dimensions = snapshot.manifest.dimensions
        nothing = np.zeros(0, dtype=np.int64)
        none = WindowVectors(nothing, nothing, np.zeros(0, np.uint8), np.zeros((0, dimensions), np.float16))
        assert len(snapshot.shards) >= 0  # opens the shards here, where damage is handled
        return _State(snapshot, snapshot.manifest.mark, nothing, None, none, none.matrix.astype(np.float32))

    def _updated(self, state: _State) -> _State:
        """The state with everything included that was written or embedded since."""
        source, project = self._snapshots.source, self._snapshots.project
        now = source.mark(project)
        fresh = source.embedded_since(project, self._profiles, state.seen.vector)
        written, _ = source.written(project, state.seen.block, now.block)
        changed = np.array([*fresh, *source.changed(project, state.seen)], dtype=np.int64)
        touched = either(changed, written)
        if not len(touched):
            return replace(state, seen=now)
        recent = joined(without(state.recent, touched), source.windows(project, self._profiles, touched.tolist()))
        tombstones = either(state.tombstones, touched)
        shards = state.snapshot.shards
        alive = np.ones(len(shards), dtype=bool)
        alive[shards.rows_of(tombstones)] = False
        return replace(
            state, seen=now, tombstones=tombstones, alive=alive, recent=recent, matrix=recent.matrix.astype(np.float32)
        )


def _search(
    state: _State,
    vector: NDArray[np.float32],
    limit: int,
    admitted: NDArray[np.int64] | None,
    within: Sequence[int] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    shards, alive = state.snapshot.shards, state.alive
    if admitted is None and not len(state.recent):
        return shards.search(vector, limit, alive, within)
    chunks, vectors = state.recent.chunks, state.matrix
    if admitted is not None:
        newest = max(shards.chunks.max(initial=0), chunks.max(initial=0), admitted.max(initial=0))
        table = np.zeros(int(newest) + 1, dtype=bool)
        table[admitted] = True
        selected = table[chunks]
        chunks, vectors = chunks[selected], vectors[selected]
        alive = table[shards.chunks] if alive is None else table[shards.chunks] & alive
    keys, scores = shards.search(vector, limit, alive, within)
    recent, recent_scores = nearest(chunks, vectors, vector, limit)
    return top(np.concatenate([keys, recent]), np.concatenate([scores, recent_scores]), limit)


def _cosines(state: _State, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> dict[ChunkKey, float]:
    """Cosines of the named chunks that have vectors, each by its best window."""
    distinct_keys = distinct(np.array(keys, dtype=np.int64))
    parts = [state.snapshot.shards.score(vector, _without_tombstones(state, distinct_keys))]
    if len(state.recent):
        rows = np.flatnonzero(are_among(state.recent.chunks, distinct_keys))
        parts.append(best_of_each(state.recent.chunks[rows], cosines(state.matrix[rows], vector)))
    return {
        ChunkKey(key): cosine
        for chunks, scores in parts
        for key, cosine in zip(chunks.tolist(), scores.tolist(), strict=True)
    }


def _directions(state: _State, keys: Sequence[ChunkKey]) -> dict[ChunkKey, NDArray[np.float32]]:
    distinct_keys = distinct(np.array(keys, dtype=np.int64))
    shards = state.snapshot.shards
    rows = shards.rows_of(_without_tombstones(state, distinct_keys))
    recent = np.flatnonzero(are_among(state.recent.chunks, distinct_keys))
    pairs = chain(
        directions(shards.chunks[rows], shards.vectors(rows)),
        directions(state.recent.chunks[recent], state.matrix[recent]),
    )
    return {ChunkKey(key): vector for key, vector in pairs}


def _fast_among(state: _State, keys: Sequence[ChunkKey]) -> int:
    shards = state.snapshot.shards
    if not shards.fast and not state.recent.tiers.any():
        return 0
    distinct_keys = distinct(np.array(keys, dtype=np.int64))
    if shards.all_fast and not len(state.recent):
        return len(distinct_keys)
    rows = shards.rows_of(_without_tombstones(state, distinct_keys))
    fast_keys = shards.chunks[rows[shards.tiers[rows] > 0]]
    if len(state.recent):
        recent = are_among(state.recent.chunks, distinct_keys) & (state.recent.tiers > 0)
        fast_keys = np.concatenate([fast_keys, state.recent.chunks[recent]])
    return len(distinct(fast_keys))


def _without_tombstones(state: _State, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The keys whose vectors in the shards are current: nearly always all of them."""
    return keys[~are_among(keys, state.tombstones)] if len(state.tombstones) else keys


def _fast_in(index: VectorIndex, keys: Sequence[ChunkKey]) -> int:
    return index.fast_among(keys) if isinstance(index, TieredIndex) else 0


def _scored(chunks: NDArray[np.int64], scores: NDArray[np.float64]) -> tuple[ScoredChunk, ...]:
    return scored_chunks(chunks.tolist(), scores.tolist())
