"""Dense recall within the clusters nearest to the query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from octavo.model.result import Ranking
from octavo.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class ClusterRecall:
    """As `dense`, over the chunks of the `top` clusters that `octavo cluster build` has made."""

    top: int = 5
    depth: int = 100
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        clusters = search.library.clusters() if search.library.clusters is not None else None
        if clusters is None:
            raise SkipStage("no clusters were made; run `octavo cluster build`")
        if not (search.query.hypothesis or search.query.terms.text).strip():
            raise SkipStage("the query has no text to embed")
        wanted = clusters.near(search.vector, self.top)
        if search.admitted is not None:
            wanted = np.intersect1d(wanted, search.admitted)
        search.notes["clusters"] = f"{len(wanted)} chunks in the nearest {self.top}"
        found = search.library.vectors().search(search.vector, self.depth, wanted)
        if not found:
            raise SkipStage("nothing in the nearest clusters passes the filters")
        return Ranking(self.name, found)
