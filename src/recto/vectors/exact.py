"""Brute force: the answer every approximate index is measured against."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.algorithms.nearest import distinct
from recto.model.ids import ChunkKey, ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.model.result import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recto.ports import Store


@dataclass(frozen=True, slots=True)
class _State:
    """One generation's vectors: row i of the matrix is a window of chunk `chunks[i]`; chunks ascend."""

    generation: int
    chunks: NDArray[np.int64]
    rows: NDArray[np.int64]
    several: bool
    total: int
    fast: NDArray[np.bool_]
    """Of each row of the matrix: whether it is a fast vector."""


class ExactIndex:
    """Fits `ports.VectorIndex`. Keeps the vectors in memory and reads only those written since the last look.

    With a `fast` profile in the same space, its vectors stand in for those that are not there yet.
    """

    def __init__(
        self, store: Store, project: ProjectId, profile: EmbeddingProfile, fast: EmbeddingProfile | None = None
    ) -> None:
        self._store = store
        self._project = project
        # The better ones are read last: of several vectors for one input the last counts.
        self._profiles = (profile,) if fast is None else (fast, profile)
        self._newest = dict.fromkeys(self._profiles, 0)
        self._lock = threading.Lock()
        self._inputs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None
        self._fast: NDArray[np.bool_] | None = None
        self._state: _State | None = None

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[Scored, ...]:
        import numpy as np

        state, matrix = self._current()
        if not len(state.chunks) or limit < 1:
            return ()
        chunks = state.chunks
        scores = (matrix @ vector)[state.rows]
        if admitted is not None:
            kept = np.isin(chunks, admitted, assume_unique=False)
            chunks, scores = chunks[kept], scores[kept]
        if state.several:
            chunks, scores = _best_window(chunks, scores)
        return _top(chunks, scores, limit)

    def prepare(self) -> None:
        self._current()

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        return {key: float((windows @ vector).max()) for key, windows in self._windows(keys)}

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        return {key: _direction(windows) for key, windows in self._windows(keys)}

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        import numpy as np

        state, _ = self._current()
        wanted = np.isin(state.chunks, np.array(keys, dtype=np.int64))
        return len(distinct(state.chunks[wanted & state.fast[state.rows]]))

    def _windows(self, keys: Sequence[ChunkKey]) -> Iterator[tuple[ChunkKey, NDArray[np.float32]]]:
        """The named chunks that have vectors, ascending, each with its windows as rows."""
        import numpy as np

        state, matrix = self._current()
        wanted = distinct(np.array(keys, dtype=np.int64))
        left = np.searchsorted(state.chunks, wanted, side="left")
        right = np.searchsorted(state.chunks, wanted, side="right")
        for key, start, end in zip(wanted.tolist(), left.tolist(), right.tolist(), strict=True):
            if end > start:
                yield ChunkKey(key), matrix[state.rows[start:end]]

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
        import numpy as np

        for profile in self._profiles:
            self._take_in(profile)
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

    def _take_in(self, profile: EmbeddingProfile) -> None:
        import numpy as np

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


def _direction(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    total: NDArray[np.float32] = windows.sum(axis=0)
    return total if len(windows) == 1 else (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)


def _best_window(
    chunks: NDArray[np.int64], scores: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """One score per chunk: its best. Chunks ascend, so equal ones stand together."""
    import numpy as np

    if not len(chunks):
        return chunks, scores
    starts = np.flatnonzero(np.concatenate([[True], chunks[1:] != chunks[:-1]]))
    return chunks[starts], np.maximum.reduceat(scores, starts)


def _top(chunks: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> tuple[Scored, ...]:
    """The best `limit`, ties by key, so that the cut does not depend on the order of the heap."""
    import numpy as np

    if len(scores) > limit:
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = np.flatnonzero(scores >= cut)
        chunks, scores = chunks[kept], scores[kept]
    order = np.lexsort((chunks, -scores))[:limit]
    return tuple(
        Scored(ChunkKey(key), score) for key, score in zip(chunks[order].tolist(), scores[order].tolist(), strict=True)
    )
