"""What filters let through, for a query that says nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.ids import ChunkKey
from recto.model.result import Candidate, Ranking, Scored
from recto.retrieval.stage import Search, SkipStage


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
        for one in search.library.store.documents.candidates(search.library.project, keys).values():
            if one.document_id not in first or one.ordinal < first[one.document_id].ordinal:
                first[one.document_id] = one
        ordered = sorted(first.values(), key=lambda one: (-one.modified_at, one.uri, one.collection))
        return Ranking(self.name, tuple(Scored(one.key, 1.0 / place) for place, one in enumerate(ordered, 1)))


def as_listed(ranking: Ranking, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """What a refinement left, in the order of the list: there is nothing to be better by."""
    scores = {one.key: one.score for one in ranking.scored}
    ordered = sorted(candidates, key=lambda one: -scores[one.key])
    return tuple(one.scored(scores[one.key]) for one in ordered)
