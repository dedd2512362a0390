"""Vector search with pgvector, in two stages.

Stage A queries the vectors alone, so that the planner can use the profile's HNSW index, and fetches more than wanted.
Stage B finds the chunks of those vectors, drops what the filters do not admit, and computes exact scores. If too few
are left it fetches more, and in the end compares all: filters cost time, never answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import ClientCursor

from octavo.algorithms.ranking.vector_nearest_neighbors import best_of_each, cosines, directions
from octavo.model.embedding_profile import MOST_EF_SEARCH, EmbeddingProfile, Tuning
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.search_result import ScoredChunk, best_first
from octavo.sql_repositories.database_port import first, value
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import matrix, vector_literal

_OVERSAMPLING, _FILTERED_OVERSAMPLING = 4, 8
INDEXED_DIMENSIONS = 4_000
"""The most that pgvector indexes of a `halfvec`. Of longer vectors the first so many are indexed."""
MOST_DIMENSIONS = 16_000
"""The most that a `halfvec` has."""
FEW_ADMITTED = 2_000  # chunks; so many are compared one by one instead of through the index
_MOST_CANDIDATES = 4_000  # beyond this, filters admit so few that comparing all of those is less work


def tuning_of(database: PostgresDatabase, project: int) -> Tuning:
    """The settings of the project's active profile, with defaults."""
    row = first(database, "active_profile_settings", {"project": project})
    return Tuning.of(json.loads(row[0]).get("options") or {} if row else {})


def index_name(profile: int) -> str:
    return f"vectors_hnsw_{profile}"


class PgvectorIndex:
    """Fits `ports.VectorIndex`. Stateless: every answer is the database's, within the current read transaction."""

    def __init__(
        self,
        database: PostgresDatabase,
        keys: KeyCache,
        project: ProjectId,
        profile: EmbeddingProfile,
        fast: EmbeddingProfile | None = None,
    ) -> None:
        """With a `fast` profile in the same space, its vectors are compared until the full ones are computed."""
        self._database = database
        self._keys = keys
        self._project = project
        self._profile = profile
        self._fast = fast

    def prepare(self) -> None:
        """Nothing to load: the server has the vectors."""

    def plan(self, vector: NDArray[np.float32], candidates: int) -> tuple[str, ...]:
        """The server's query plan for stage A."""
        with self._database.reading():
            name, parameters = self._stage_a(vector, self._where(), candidates)
            query = b"explain " + self._database.queries[name]
            rows = self._database.with_connection(
                lambda connection: ClientCursor(connection).execute(query, parameters).fetchall()
            )
        return tuple(str(row[0]) for row in rows)

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[ScoredChunk, ...]:
        with self._database.reading():
            where = self._where()
            if not where["profiles"] or limit < 1 or (admitted is not None and not len(admitted)):
                return ()
            if admitted is not None and len(admitted) <= FEW_ADMITTED:
                few = [ChunkKey(key) for key in admitted.tolist()]
                return best_first(self.score(vector, few).items(), limit)
            tuning = tuning_of(self._database, where["project"])
            oversampled = limit * (_OVERSAMPLING if admitted is None else _FILTERED_OVERSAMPLING)
            oversampled *= -(-self._profile.dimensions // INDEXED_DIMENSIONS)  # a beginning alone says less
            while True:
                tiers = [
                    self.stage_a(vector, where | {"profile": profile}, oversampled, limit, tuning)
                    for profile in where["profiles"]
                ]
                scored = self._stage_b(vector, [key for inputs in tiers for key in inputs], admitted)
                exhausted = max(map(len, tiers)) < oversampled
                if len(scored) >= limit or (admitted is None and exhausted):
                    return best_first(scored.items(), limit)
                if admitted is not None and (exhausted or oversampled > _MOST_CANDIDATES):
                    break
                oversampled *= 8
            nearest = self._nearest_of(vector, where, admitted, limit)
            return best_first(self.score(vector, nearest).items(), limit)

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        return self._scores("chunks", vector, keys)

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        fast = self._where()["profiles"][1:]
        parameters = {"project": self._keys.project(self._project), "profiles": fast, "listed": _listed(keys)}
        return int(value(self._database, "vectors_of_chunks_counted", parameters)) if fast and keys else 0

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        where = self._where() | {"listed": _listed(keys)}
        rows = self._database.binary_rows("windows_of_chunks", where) if keys else []
        if not rows:
            return {}
        chunks = np.array([row[0] for row in rows], dtype=np.int64)
        windows = matrix([row[1] for row in rows], self._profile.dimensions)
        return {ChunkKey(key): vector for key, vector in directions(chunks, windows)}

    def _nearest_of(
        self, vector: NDArray[np.float32], where: Mapping[str, Any], admitted: NDArray[np.int64], limit: int
    ) -> list[ChunkKey]:
        """The nearest of the admitted chunks, each of them compared by the server."""
        parameters = {
            **where,
            "vector": vector_literal(vector),
            "chunks": json.dumps(admitted.tolist()),
            "limit": limit,
        }
        return [ChunkKey(row[0]) for row in self._database.rows("chunks_nearest", parameters)]

    def stage_a(
        self, vector: NDArray[np.float32], where: Mapping[str, Any], candidates: int, limit: int, tuning: Tuning
    ) -> list[int]:
        """The inputs with the nearest vectors, according to the index."""
        # An index returns no more than it has visited, or continues the scan, which takes twice as long as one larger
        # scan, be it for a few more. Without iterative scans it cannot even continue.
        ef = min(max(tuning.ef_search(limit), candidates), MOST_EF_SEARCH)
        name, parameters = self._stage_a(vector, where, candidates)
        settings = ["hnsw_set_ef_search", *["hnsw_enable_iterative_scan"] * self._database.extensions.iterative_scan]
        return [row[0] for row in self._database.rows(name, parameters | {"ef_search": ef}, settings)]

    def _stage_a(
        self, vector: NDArray[np.float32], where: Mapping[str, Any], candidates: int
    ) -> tuple[str, dict[str, Any]]:
        """The query of stage A by its name, and its parameters."""
        parameters = {**where, "vector": vector_literal(vector), "candidates": candidates}
        long = where["dimensions"] > INDEXED_DIMENSIONS
        if long and value(self._database, "hnsw_present", {"name": index_name(where["profile"])}):
            return "vectors_nearest_long", parameters | {"indexed": INDEXED_DIMENSIONS}
        return "vectors_nearest", parameters

    def _stage_b(
        self, vector: NDArray[np.float32], inputs: Sequence[int], admitted: NDArray[np.int64] | None
    ) -> Mapping[ChunkKey, float]:
        scored = self._scores("inputs", vector, inputs)
        if admitted is None:
            return scored
        keys = np.fromiter(scored, dtype=np.int64, count=len(scored))
        return {ChunkKey(key): scored[ChunkKey(key)] for key in keys[np.isin(keys, admitted)].tolist()}

    def _scores(self, named: str, vector: NDArray[np.float32], keys: Sequence[int]) -> Mapping[ChunkKey, float]:
        """Scores of the given chunks, or of the chunks of the given inputs."""
        rows = (
            self._database.binary_rows(f"windows_of_{named}", self._where() | {"listed": _listed(keys)}) if keys else []
        )
        if not rows:
            return {}
        chunks = np.array([row[0] for row in rows], dtype=np.int64)
        scores = cosines(matrix([row[1] for row in rows], self._profile.dimensions), vector)
        return {
            ChunkKey(key): score
            for key, score in zip(*(values.tolist() for values in best_of_each(chunks, scores)), strict=True)
        }

    def _where(self) -> dict[str, Any]:
        """`profile` is the full one; `profiles` are those with vectors to compare, the fast one last."""
        project = self._keys.project(self._project)
        full = self._keys.profile(self._project, self._profile.canonical())
        fast = self._keys.profile(self._project, self._fast.canonical()) if self._fast else 0
        if fast and not self._database.rows("vectors_any", {"project": project, "profile": fast}):
            fast = 0
        # The full one stands first, with vectors or without: a profile that is not there yet has the key 0.
        profiles = [full, fast] if fast else [full] if full else []
        return {"project": project, "profile": full, "profiles": profiles, "dimensions": self._profile.dimensions}


def _listed(keys: Sequence[int]) -> str:
    """An array literal: the driver takes longer over a list than the server over its rows."""
    return f"{{{','.join(map(str, sorted(set(map(int, keys)))))}}}"
