"""Dense recall within the clusters nearest to the query."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from octavo.engine.maintenance.library_wide_job_states import CLUSTERS
from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Ranking
from octavo.model.text_clusters import NO_CLUSTER
from octavo.retrieval.stage import Search, SkipStage, UsesQueryVector
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, vectors_for


@dataclass(frozen=True, slots=True)
class ClusterRecall(UsesQueryVector):
    """As `dense`, over the chunks of the `top` clusters that `octavo cluster build` has made.

    What was written since has joined the cluster with the nearest middle. Without clusters, or with those of another
    model, every chunk is looked at.
    """

    top: int = 5
    depth: int = 100
    name: str = "dense"
    needs: ClassVar[str] = CLUSTERS

    def recall(self, search: Search) -> Ranking:
        library = search.library
        clusters = library.store.clusters
        clustering = clusters.current(library.project, library.meaning.embedder.profile)
        if clustering is None:
            made = clusters.state(library.project) is not None
            why = "those there are were made of another model's vectors" if made else "none were made"
            search.notes["clusters"] = f"{why}, so every chunk is searched; run `octavo cluster build`"
            return DenseRecall(self.depth, self.name).recall(search)
        index = vectors_for(search)
        near = [*clustering.nearest(search.vector, self.top), NO_CLUSTER]
        members = np.asarray(clusters.members(library.project, near), dtype=np.int64)
        if search.admitted is not None:
            members = np.intersect1d(members, search.admitted)
        search.notes["clusters"] = f"{len(members)} chunks in the nearest {self.top}"
        chunks = index.search(search.vector, self.depth, members)
        if not chunks:
            raise SkipStage("nothing in the nearest clusters passes the filters")
        return Ranking(self.name, chunks)
