"""Nearest chunks from a snapshot's shards and what was embedded since."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from recto.algorithms.nearest import best_of_each, distinct, top
from recto.errors import DamagedSnapshot
from recto.model.ids import ChunkKey
from recto.model.recipe import EmbeddingProfile
from recto.model.result import Scored
from recto.model.snapshot import Mark, Windows
from recto.ports import Store, TieredIndex, VectorIndex
from recto.snapshots.opened import OpenSnapshot, Snapshots
from recto.snapshots.shards import joined, vectors_by_chunk, without

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _State:
    """What the shards hold, except for `hidden` chunks, and what was written or embedded after them."""

    snapshot: OpenSnapshot
    seen: Mark
    hidden: NDArray[np.int64]
    alive: NDArray[np.bool_] | None
    recent: Windows
    matrix: NDArray[np.float32]


class SnapshotVectors:
    """Fits `ports.VectorIndex`. Without a snapshot that fits, the exact index answers."""

    def __init__(
        self,
        snapshots: Snapshots,
        store: Store,
        profiles: Sequence[EmbeddingProfile],
        exact: Callable[[], VectorIndex],
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._profiles = profiles
        self._comparable = tuple(one.canonical() for one in profiles)
        self._make_exact = exact
        self._made: VectorIndex | None = None
        self._lock = threading.Lock()
        self._state: _State | None = None

    def prepare(self) -> None:
        if self._current() is None:
            self._exact.prepare()

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[Scored, ...]:
        return self._asked(
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
    ) -> tuple[tuple[Scored, ...], str]:
        def routed(state: _State) -> tuple[tuple[Scored, ...], str]:
            outline = state.snapshot.outline
            if outline is None:
                said = "the snapshot has no outline (snapshots.outline): everything was searched"
                return _scored(*_search(state, vector, limit, admitted)), said
            within = outline.route(vector, sections, shards)
            said = f"{len(within)} of {len(state.snapshot.shards.paths)} shards, by {sections} sections"
            return _scored(*_search(state, vector, limit, admitted, within)), said

        return self._asked(
            routed,
            lambda exact: (exact.search(vector, limit, admitted), "there is no snapshot: everything was searched"),
        )

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        return self._asked(
            lambda state: _cosines(state, vector, keys),
            lambda exact: exact.score(vector, keys),
        )

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        return self._asked(
            lambda state: {key: _direction(windows) for key, windows in _windows(state, keys)},
            lambda exact: exact.vectors_of(keys),
        )

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        return self._asked(lambda state: _fast_among(state, keys), lambda exact: _fast_in(exact, keys))

    @property
    def _exact(self) -> VectorIndex:
        if self._made is None:
            self._made = self._make_exact()
        return self._made

    def _asked(self, of_state: Callable[[_State], _T], of_exact: Callable[[VectorIndex], _T]) -> _T:
        state = self._current()
        if state is None:
            return of_exact(self._exact)
        try:
            return of_state(state)
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.condemn(state.snapshot, error)
            return of_exact(self._exact)

    def _current(self) -> _State | None:
        snapshot = self._snapshots.current()
        if snapshot is None or snapshot.manifest.profiles != self._comparable:
            return None
        with self._lock:
            state = self._state
            try:
                if state is None or state.snapshot is not snapshot:
                    self._state = self._after(self._opened(snapshot))
                elif state.seen.generation < self._store.generation():
                    self._state = self._after(state)
            except (IndexError, ValueError, DamagedSnapshot) as error:
                self._state = None
                self._snapshots.condemn(snapshot, error)
            return self._state

    def _opened(self, snapshot: OpenSnapshot) -> _State:
        import numpy as np

        dimensions = snapshot.manifest.dimensions
        nothing = np.zeros(0, dtype=np.int64)
        none = Windows(nothing, nothing, np.zeros(0, np.uint8), np.zeros((0, dimensions), np.float16))
        assert len(snapshot.shards) >= 0  # opened here, where a damaged one is noticed
        return _State(snapshot, snapshot.manifest.mark, nothing, None, none, none.matrix.astype(np.float32))

    def _after(self, state: _State) -> _State:
        """The state with everything taken in that was written or embedded since it was made."""
        import numpy as np

        source, project = self._snapshots.source, self._snapshots.project
        now = source.mark(project)
        fresh = source.embedded_since(project, self._profiles, state.seen.vector)
        written, _ = source.written(project, state.seen.block, now.block)
        changed = np.array([*fresh, *source.changed(project, state.seen)], dtype=np.int64)
        touched = np.union1d(changed, written)
        if not len(touched):
            return replace(state, seen=now)
        recent = joined(without(state.recent, touched), source.windows(project, self._profiles, touched.tolist()))
        hidden = np.union1d(state.hidden, touched)
        shards = state.snapshot.shards
        alive = np.ones(len(shards), dtype=bool)
        alive[shards.rows_of(hidden)] = False
        return replace(
            state, seen=now, hidden=hidden, alive=alive, recent=recent, matrix=recent.matrix.astype(np.float32)
        )


def _search(
    state: _State,
    vector: NDArray[np.float32],
    limit: int,
    admitted: NDArray[np.int64] | None,
    within: Sequence[int] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    import numpy as np

    shards, alive = state.snapshot.shards, state.alive
    if admitted is None and not len(state.recent):
        return shards.search(vector, limit, alive, within)
    chunks, scores = state.recent.chunks, state.matrix @ vector
    if admitted is not None:
        newest = max(shards.chunks.max(initial=0), chunks.max(initial=0), admitted.max(initial=0))
        table = np.zeros(int(newest) + 1, dtype=bool)
        table[admitted] = True
        kept = table[chunks]
        chunks, scores = chunks[kept], scores[kept]
        alive = table[shards.chunks] if alive is None else table[shards.chunks] & alive
    found, cosines = shards.search(vector, limit, alive, within)
    new, newer = best_of_each(chunks, scores)
    return top(np.concatenate([found, new]), np.concatenate([cosines, newer]), limit)


def _cosines(state: _State, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> dict[ChunkKey, float]:
    """Of the named chunks that have vectors, each by its best window."""
    import numpy as np

    wanted = distinct(np.array(keys, dtype=np.int64))
    found = [state.snapshot.shards.score(vector, _seen(state, wanted))]
    if len(state.recent):
        rows = np.flatnonzero(np.isin(state.recent.chunks, wanted))
        found.append(best_of_each(state.recent.chunks[rows], np.einsum("ij,j->i", state.matrix[rows], vector)))
    return {
        ChunkKey(key): cosine for some in found for key, cosine in zip(some[0].tolist(), some[1].tolist(), strict=True)
    }


def _windows(state: _State, keys: Sequence[ChunkKey]) -> list[tuple[ChunkKey, NDArray[np.float32]]]:
    """The named chunks that have vectors, each with its windows as rows."""
    import numpy as np

    wanted = distinct(np.array(keys, dtype=np.int64))
    shards = state.snapshot.shards
    rows = shards.rows_of(_seen(state, wanted))
    recent = np.flatnonzero(np.isin(state.recent.chunks, wanted))
    return [
        *vectors_by_chunk(shards.chunks[rows], shards.vectors(rows)),
        *vectors_by_chunk(state.recent.chunks[recent], state.matrix[recent]),
    ]


def _fast_among(state: _State, keys: Sequence[ChunkKey]) -> int:
    import numpy as np

    shards = state.snapshot.shards
    if not shards.fast and not state.recent.tiers.any():
        return 0
    wanted = distinct(np.array(keys, dtype=np.int64))
    rows = shards.rows_of(_seen(state, wanted))
    found = shards.chunks[rows[shards.tiers[rows] > 0]]
    if len(state.recent):
        recent = np.isin(state.recent.chunks, wanted) & (state.recent.tiers > 0)
        found = np.concatenate([found, state.recent.chunks[recent]])
    return len(distinct(found))


def _seen(state: _State, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the keys that count as the shards have them. Nearly always that is all of them."""
    import numpy as np

    return np.setdiff1d(keys, state.hidden, assume_unique=True) if len(state.hidden) else keys


def _fast_in(index: VectorIndex, keys: Sequence[ChunkKey]) -> int:
    return index.fast_among(keys) if isinstance(index, TieredIndex) else 0


def _direction(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    total: NDArray[np.float32] = windows.sum(axis=0)
    return total if len(windows) == 1 else (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)


def _scored(chunks: NDArray[np.int64], scores: NDArray[np.float32]) -> tuple[Scored, ...]:
    return tuple(map(Scored, chunks.tolist(), scores.tolist()))
