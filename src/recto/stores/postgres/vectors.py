"""Nearest chunks by pgvector, in two stages.

Stage A asks the vectors alone, so that nothing keeps the planner from the profile's HNSW index, and takes more than are
wanted. Stage B finds out which chunks those stand for, drops what the filters do not admit, and computes the scores
exactly. Where too few are left it asks for more, and in the end for all: filters cost time, never answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from recto.model.ids import ChunkKey, ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.model.result import Scored
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.halfvec import matrix, spelt
from recto.stores.shared.database import first
from recto.stores.shared.embeddings import profile_body
from recto.stores.shared.projects import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OVERSAMPLING, _FILTERED_OVERSAMPLING = 4, 8
_FEW_ADMITTED = 2_000  # chunks: so many are compared one by one, whatever the index could do
_MOST_CANDIDATES = 4_000  # beyond, filters let so little through that comparing what they admit is less work
_MOST_EF = 1_000  # the largest `hnsw.ef_search` pgvector takes


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the index of a profile is built and asked. A named profile sets these in its options `hnsw` and `query`."""

    m: int = 16
    ef_construction: int = 64
    ef_search_min: int = 100
    ef_search_factor: float = 2.0
    ef_search_max: int = 400

    def ef_search(self, wanted: int) -> int:
        return max(1, min(max(self.ef_search_min, round(wanted * self.ef_search_factor)), self.ef_search_max, _MOST_EF))


def tuning_of(database: PostgresDatabase, project: int) -> Tuning:
    """What the project's active profile says, defaults for the rest."""
    row = first(database, "active_profile_settings", {"project": project})
    options: Mapping[str, Any] = json.loads(row[0]).get("options") or {} if row else {}
    said = {**(options.get("hnsw") or {}), **(options.get("query") or {})}
    return Tuning(**{name: one for name, one in said.items() if name in Tuning.__dataclass_fields__})


class PgvectorIndex:
    """Fits `ports.VectorIndex`. Holds nothing: every answer is the database's, as of the reading it is asked in."""

    def __init__(self, database: PostgresDatabase, keys: Keys, project: ProjectId, profile: EmbeddingProfile) -> None:
        self._database = database
        self._keys = keys
        self._project = project
        self._profile = profile

    def prepare(self) -> None:
        """There is nothing to read ahead."""

    def plan(self, vector: NDArray[np.float32], candidates: int) -> tuple[str, ...]:
        """How the server would answer stage A, in its own words."""
        with self._database.reading():
            asked = {**self._where(), "vector": spelt(vector), "candidates": candidates}
            return tuple(str(row[0]) for row in self._database.rows("stage_a_explained", asked))

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[Scored, ...]:
        with self._database.reading():
            where = self._where()
            if not where["profile"] or limit < 1 or (admitted is not None and not len(admitted)):
                return ()
            if admitted is not None and len(admitted) <= _FEW_ADMITTED:
                return _best(self.score(vector, [ChunkKey(key) for key in admitted.tolist()]), limit)
            tuning = tuning_of(self._database, where["project"])
            wanted = limit * (_OVERSAMPLING if admitted is None else _FILTERED_OVERSAMPLING)
            while True:
                inputs = self._stage_a(vector, where, wanted, limit, tuning)
                found = self._stage_b(vector, inputs, admitted)
                if len(found) >= limit or (admitted is None and len(inputs) < wanted):
                    return _best(found, limit)
                if admitted is not None and (len(inputs) < wanted or wanted > _MOST_CANDIDATES):
                    break
                wanted *= 8
            return _best(self.score(vector, self._nearest_of(vector, where, admitted, limit)), limit)

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        return self._scores("chunks", vector, keys)

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        return {key: _direction(windows) for key, windows in self._windows(keys)}

    def _nearest_of(
        self, vector: NDArray[np.float32], where: Mapping[str, Any], admitted: NDArray[np.int64], limit: int
    ) -> list[ChunkKey]:
        """The nearest of the admitted chunks, each of them compared by the server."""
        asked = {**where, "vector": spelt(vector), "chunks": json.dumps(admitted.tolist()), "limit": limit}
        return [ChunkKey(row[0]) for row in self._database.rows("chunks_nearest", asked)]

    def _stage_a(
        self, vector: NDArray[np.float32], where: Mapping[str, Any], candidates: int, limit: int, tuning: Tuning
    ) -> list[int]:
        """The inputs whose vectors are nearest, as the index sees it."""
        iterative = self._database.extensions.iterative_scan
        # An index gives no more than it looked at, or has to look on, which takes twice as long as looking further at
        # once. Without iterative scans it cannot even do that.
        most = tuning.ef_search_max if iterative else _MOST_EF
        ef = min(max(tuning.ef_search(limit), min(candidates, most)), _MOST_EF)
        self._database.set_local("hnsw_look_at", {"ef_search": ef})
        if iterative:
            self._database.set_local("hnsw_look_on", {})
        asked = {**where, "vector": spelt(vector), "candidates": candidates}
        return [row[0] for row in self._database.rows("vectors_nearest", asked)]

    def _stage_b(
        self, vector: NDArray[np.float32], inputs: Sequence[int], admitted: NDArray[np.int64] | None
    ) -> Mapping[ChunkKey, float]:
        import numpy as np

        found = self._scores("inputs", vector, inputs)
        if admitted is None:
            return found
        keys = np.fromiter(found, dtype=np.int64, count=len(found))
        return {ChunkKey(key): found[ChunkKey(key)] for key in keys[np.isin(keys, admitted)].tolist()}

    def _scores(self, named: str, vector: NDArray[np.float32], keys: Sequence[int]) -> Mapping[ChunkKey, float]:
        """Of the named chunks, or of those the named inputs stand for, computed by the server: vectors stay there."""
        if not keys:
            return {}
        asked = {**self._where(), "vector": spelt(vector), "listed": _listed(keys)}
        return {ChunkKey(row[0]): float(row[1]) for row in self._database.rows(f"scores_of_{named}", asked)}

    def _windows(self, keys: Sequence[int]) -> Sequence[tuple[ChunkKey, NDArray[np.float32]]]:
        """Chunks with their windows as rows."""
        where = self._where() | {"listed": _listed(keys)}
        rows = self._database.binary_rows("windows_of_chunks", where) if keys else []
        if not rows:
            return ()
        windows = matrix([row[1] for row in rows], self._profile.dimensions)
        starts = [place for place, row in enumerate(rows) if not place or rows[place - 1][0] != row[0]]
        return [(ChunkKey(rows[a][0]), windows[a:b]) for a, b in pairwise([*starts, len(rows)])]

    def _where(self) -> dict[str, Any]:
        return {
            "project": self._keys.project(self._project),
            "profile": self._keys.profile(self._project, profile_body(self._profile)),
            "dimensions": self._profile.dimensions,
        }


def _listed(keys: Sequence[int]) -> str:
    """An array as the server reads one: the driver takes longer over a list than the server over its rows."""
    return f"{{{','.join(map(str, sorted(set(map(int, keys)))))}}}"


def _best(scores: Mapping[ChunkKey, float], limit: int) -> tuple[Scored, ...]:
    ordered = sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit]
    return tuple(Scored(key, score) for key, score in ordered)


def _direction(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    total: NDArray[np.float32] = windows.sum(axis=0)
    return total if len(windows) == 1 else (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
