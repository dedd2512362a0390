"""Dense recall within the clusters nearest to the query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.model.ids import ChunkKey
from octavo.model.query import Filters
from octavo.model.result import Ranking
from octavo.retrieval.stage import NearClusters, Search, SkipStage
from octavo.retrieval.stages.recall import DenseRecall


@dataclass(frozen=True, slots=True)
class ClusterRecall:
    """As `dense`, over the chunks of the `top` clusters that `octavo cluster build` has made.

    A chunk that was written since belongs to the cluster whose centroid is nearest. Without clusters every chunk is
    looked at.
    """

    top: int = 5
    depth: int = 100
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        clusters = search.library.clusters() if search.library.clusters is not None else None
        if clusters is None:
            search.notes["clusters"] = "none were made, so every chunk is searched; run `octavo cluster build`"
            return DenseRecall(self.depth, self.name).recall(search)
        if not (search.query.hypothesis or search.query.terms.text).strip():
            raise SkipStage("the query has no text to embed")
        wanted = np.union1d(clusters.near(search.vector, self.top), self._joined(search, clusters))
        if search.admitted is not None:
            wanted = np.intersect1d(wanted, search.admitted)
        search.notes["clusters"] = f"{len(wanted)} chunks in the nearest {self.top}"
        found = search.library.vectors().search(search.vector, self.depth, wanted)
        if not found:
            raise SkipStage("nothing in the nearest clusters passes the filters")
        return Ranking(self.name, found)

    def _joined(self, search: Search, clusters: NearClusters) -> NDArray[np.int64]:
        """Chunks that were written after clustering and are nearest to one of the clusters that are searched."""
        library = search.library
        every = np.asarray(library.store.documents.admitted(library.project, Filters()), dtype=np.int64)
        vectors = library.vectors().vectors_of([ChunkKey(key) for key in clusters.without_group(every).tolist()])
        if not vectors:
            return np.empty(0, dtype=np.int64)
        joining = clusters.joining(np.array(list(vectors.values()), np.float32), search.vector, self.top)
        search.notes["joined"] = int(joining.sum())
        return np.array(list(vectors), dtype=np.int64)[joining]
