"""Dense recall from a hypothetical answer (HyDE)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Ranking
from octavo.retrieval.stage import Search, SkipStage, UsesQueryVector


@dataclass(frozen=True, slots=True)
class HypothesisRecall(UsesQueryVector):
    """Dense recall from between the question and what a good passage might say.

    The query's hypothesis and variants are embedded as passages; `share` of the direction is theirs. A query without
    any is asked as it is.
    """

    depth: int = 100
    share: float = 0.5
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        query, embedder = search.query, search.library.meaning.embedder
        supposed = [text for text in (query.hypothesis or "", *query.variants) if text.strip()]
        if not query.terms.text.strip() and not supposed:
            raise SkipStage("the query has no text to embed")
        search.vector = embedder.embed_query(query.terms.text)
        if supposed:
            aim(search, list(embedder.embed(supposed)), self.share)
            search.notes["supposed"] = len(supposed)
        chunks = search.library.meaning.vectors.search(search.vector, self.depth, search.admitted)
        if not chunks:
            raise SkipStage("no chunk has a vector yet")
        return Ranking(self.name, chunks)


def aim(search: Search, targets: Sequence[object], share: float) -> None:
    """Turns the query's vector towards the mean of others. Fusion sees the new one, so its cosines are of one kind."""
    mean = np.mean(np.asarray(targets, dtype=np.float32), axis=0)
    moved = (1.0 - share) * search.vector + share * mean
    search.vector = (moved / max(float(np.linalg.norm(moved)), 1e-12)).astype(np.float32)
