"""Listing by filters alone, for a query without words."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, Ranking, ScoredChunk
from octavo.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class FilterRecall:
    """Each document's first chunk that passes, the last modified first; of the `looked_at` chunks written last.

    No profile names it: the pipeline asks it where a query has no words and no channel could answer.
    """

    looked_at: int = 5_000
    name: str = "filters"

    def recall(self, search: Search) -> Ranking:
        if search.admitted is None:
            raise SkipStage("nothing narrows the search")
        keys = [ChunkKey(key) for key in search.admitted[-self.looked_at :].tolist()]
        first: dict[str, Candidate] = {}
        for candidate in search.library.store.documents.candidates(search.library.project, keys).values():
            if candidate.document_id not in first or candidate.ordinal < first[candidate.document_id].ordinal:
                first[candidate.document_id] = candidate
        ordered = sorted(
            first.values(), key=lambda candidate: (-candidate.modified_at, candidate.uri, candidate.collection)
        )
        return Ranking(
            self.name, tuple(ScoredChunk(candidate.key, 1.0 / place) for place, candidate in enumerate(ordered, 1))
        )


def as_listed(ranking: Ranking, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """What a refinement left, in the order of the list: there is nothing to be better by."""
    scores = {chunk.key: chunk.score for chunk in ranking.scored}
    ordered = sorted(candidates, key=lambda candidate: -scores[candidate.key])
    return tuple(candidate.scored(scores[candidate.key]) for candidate in ordered)
