"""Nearest sections and files by meaning, by brute force over their summaries' vectors."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.vector_nearest_neighbors import cosines, top
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId

if TYPE_CHECKING:
    from octavo.model.summary import NodeType
    from octavo.sql_repositories.store import Store


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
