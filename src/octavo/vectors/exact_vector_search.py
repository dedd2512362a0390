"""Exact search by brute force, over vectors of chunks and of summaries: the reference for every approximate index."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.sorted_array_set_operations import are_among, distinct
from octavo.algorithms.ranking.vector_nearest_neighbors import (
    best_of_each,
    contenders,
    cosines,
    directions,
    rows_of,
    top,
)
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.search_result import ScoredChunk, scored_chunks

if TYPE_CHECKING:
    from octavo.model.summary import NodeType
    from octavo.sql_repositories.store import Store


class _State(NamedTuple):
    """The vectors of one generation, ascending by chunk: `rows[i]` of the matrix is a window of `chunks[i]`.

    `several` is whether any chunk has more than one window; `total` counts the inputs, with or without a vector.
    """

    generation: int
    chunks: NDArray[np.int64]
    rows: NDArray[np.int64]
    several: bool
    total: int
    fast: NDArray[np.bool_]
    """For each row of the matrix whether it is a fast vector."""


class ExactIndex:
    """Fits `ports.VectorIndex`. Caches the vectors in memory and reads only those written since the last search.

    With a `fast` profile in the same space, its vectors are used until the full ones are computed.
    """

    def __init__(
        self, store: Store, project: ProjectId, profile: EmbeddingProfile, fast: EmbeddingProfile | None = None
    ) -> None:
        self._store = store
        self._project = project
        # The full profile is read last: of several vectors for one input the last counts.
        self._profiles = (profile,) if fast is None else (fast, profile)
        self._newest = dict.fromkeys(self._profiles, 0)
        self._lock = threading.Lock()
        self._inputs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None
        self._fast: NDArray[np.bool_] | None = None
        self._state: _State | None = None

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[ScoredChunk, ...]:
        state, matrix = self._current()
        if not len(state.chunks) or limit < 1:
            return ()
        chunks, rows = state.chunks, state.rows
        if admitted is not None:
            allowed = are_among(chunks, admitted)
            chunks, rows = chunks[allowed], rows[allowed]
        approximate = (matrix @ vector)[rows]
        best = best_of_each(chunks, approximate)[1] if state.several else approximate
        near = contenders(approximate, best, limit, len(vector))
        chunks, scores = top(*best_of_each(chunks[near], cosines(matrix[rows[near]], vector)), limit)
        return scored_chunks(chunks.tolist(), scores.tolist())

    def prepare(self) -> None:
        self._current()

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        chunks, windows = self._windows(keys)
        chunks, scores = best_of_each(chunks, cosines(windows, vector))
        return dict(zip(map(ChunkKey, chunks.tolist()), scores.tolist(), strict=True))

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        return {ChunkKey(key): vector for key, vector in directions(*self._windows(keys))}

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        state, _ = self._current()
        among = are_among(state.chunks, np.array(keys, dtype=np.int64))
        return len(distinct(state.chunks[among & state.fast[state.rows]]))

    def _windows(self, keys: Sequence[ChunkKey]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The chunk of each window, ascending, and its vector, for the given chunks that have vectors."""
        state, matrix = self._current()
        places = rows_of(state.chunks, distinct(np.array(keys, dtype=np.int64)))
        return state.chunks[places], matrix[state.rows[places]]

    def coverage(self) -> float:
        """The share of embedding inputs that have a vector, between 0 and 1."""
        state, _ = self._current()
        return len(state.chunks) / state.total if state.total else 1.0

    def _current(self) -> tuple[_State, NDArray[np.float32]]:
        with self._lock:
            generation = self._store.generation()
            if self._state is None or self._state.generation != generation:
                self._refresh(generation)
            assert self._state is not None and self._matrix is not None
            return self._state, self._matrix

    def _refresh(self, generation: int) -> None:
        if self._state is not None and self._state.generation < self._store.restored():
            self._newest = dict.fromkeys(self._profiles, 0)
            self._inputs = self._matrix = self._fast = None
        for profile in self._profiles:
            self._read_new(profile)
        assert self._inputs is not None and self._fast is not None
        pairs = self._store.embeddings.assignments(self._project)
        order = np.argsort(self._inputs, kind="stable")
        at = np.searchsorted(self._inputs, pairs[:, 1], side="right", sorter=order) - 1
        at_row = order[np.maximum(at, 0)] if len(order) else np.zeros(len(pairs), dtype=np.int64)
        known = self._inputs[at_row] == pairs[:, 1] if len(order) else np.zeros(len(pairs), dtype=bool)
        chunks = pairs[known, 0]
        self._state = _State(
            generation=generation,
            chunks=chunks,
            rows=at_row[known],
            several=bool(len(chunks) > 1 and (chunks[1:] == chunks[:-1]).any()),
            total=len(pairs),
            fast=self._fast,
        )

    def _read_new(self, profile: EmbeddingProfile) -> None:
        fresh = self._store.embeddings.vectors(self._project, profile, self._newest[profile])
        fast = np.full(len(fresh.keys), profile is not self._profiles[-1])
        if self._inputs is None or self._matrix is None or self._fast is None:
            self._inputs, self._matrix, self._fast = fresh.inputs, fresh.matrix, fast
        elif len(fresh.keys):
            self._inputs = np.concatenate([self._inputs, fresh.inputs])
            self._matrix = np.concatenate([self._matrix, fresh.matrix])
            self._fast = np.concatenate([self._fast, fast])
        if len(fresh.keys):
            self._newest[profile] = int(fresh.keys[-1])


class ExactSummaries:
    """Fits `ports.SummaryIndex`. Keeps the vectors in memory until a summary is made or removed."""

    def __init__(self, store: Store, project: ProjectId, profile: EmbeddingProfile) -> None:
        self._store = store
        self._project = project
        self._profile = profile
        self._lock = threading.Lock()
        self._state: tuple[int, int] | None = None
        self._held: dict[NodeType, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}

    def near(self, vector: NDArray[np.float32], node: NodeType, limit: int) -> tuple[tuple[int, float], ...]:
        keys, matrix = self._current(node)
        if not len(keys) or limit < 1:
            return ()
        keys, scores = top(keys, cosines(matrix, vector), limit)
        return tuple(zip(keys.tolist(), scores.tolist(), strict=True))

    def _current(self, node: NodeType) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        with self._lock:
            state = self._store.summaries.state(self._project, self._profile)
            if state != self._state:
                self._held, self._state = {}, state
            if node not in self._held:
                stored = self._store.summaries.vectors(self._project, self._profile, node)
                rows = np.frombuffer(stored.data, dtype="<f2").astype(np.float32)
                keys = np.array(stored.keys, dtype=np.int64)
                self._held[node] = keys, rows.reshape(len(keys), self._profile.dimensions)
            return self._held[node]
