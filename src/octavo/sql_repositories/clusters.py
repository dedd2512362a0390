"""Clusters of texts, which a vector joins when it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.text_clusters import Clustering, ClusteringState
from octavo.sql_repositories.database_port import first, value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ClusterRepository(ProjectRepository):
    """Texts in groups by meaning. A vector that is written joins the group with the nearest middle."""

    def state(self, project: ProjectId) -> ClusteringState | None:
        """When they were made, and of how much; None where they never were."""
        row = self._first("clustering", project)
        return None if row is None else ClusteringState(int(row[1]), float(row[2]))

    def current(self, project: ProjectId, profile: EmbeddingProfile) -> Clustering | None:
        """The clusters that vectors of a profile belong to; None where none were made of such vectors."""
        where = self._in(project)
        row = first(self._database, "clustering", where)
        if row is None or profile.canonical() not in json.loads(row[0]):
            return None
        import numpy as np

        stored = bytes(value(self._database, "clustering_centroids", where))
        return Clustering(np.frombuffer(stored, dtype="<f4").reshape(-1, profile.dimensions))

    def replace(
        self,
        project: ProjectId,
        profiles: Sequence[EmbeddingProfile],
        centroids: NDArray[np.float32],
        clusters: Mapping[int, int],
        chunks: int,
    ) -> None:
        """`clusters` has the cluster of each input, `chunks` how many they stand for. Inside a transaction."""
        where = self._in(project)
        made = {
            "profiles": json.dumps([profile.canonical() for profile in profiles]),
            "centroids": centroids.astype("<f4").tobytes(),
            "chunks": chunks,
            "now": self._clock(),
        }
        self._database.run("input_clusters_forget", where)
        self._database.run("clustering_put", where | made)
        self.assign(project, clusters)

    def assign(self, project: ProjectId, clusters: Mapping[int, int]) -> None:
        """Puts inputs into clusters. Inside a transaction."""
        where = self._in(project)
        rows = (where | {"input": input_, "cluster": cluster} for input_, cluster in clusters.items())
        self._database.run_many("input_cluster_put", rows)

    def members(self, project: ProjectId, clusters: Sequence[int]) -> Sequence[ChunkKey]:
        """The chunks in any of the clusters, ascending."""
        return [ChunkKey(row[0]) for row in self._rows("chunks_in_clusters", project, keys=json.dumps(list(clusters)))]

    def of_chunks(self, project: ProjectId) -> Mapping[ChunkKey, int]:
        """The cluster of each chunk that has one, by its first window."""
        rows = self._rows("chunk_clusters", project)
        clusters: dict[ChunkKey, int] = {}
        for chunk, cluster in rows:
            clusters.setdefault(ChunkKey(chunk), cluster)
        return clusters
