"""Boosts candidates whose documents are linked with those of the best candidates."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.ids import DocumentId
from octavo.model.link_graph import EdgeType, Walk
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted

WRITTEN_EDGES = tuple(
    edge_type
    for edge_type in EdgeType
    if edge_type not in (EdgeType.THEMATIC_LINK, EdgeType.CONTAINS, EdgeType.CHANGES)
)
"""What people wrote down: with links that were computed, the same boost was worth half as much."""


@dataclass(frozen=True, slots=True)
class NeighbourBoost:
    """Raises candidates whose document is linked, either way, with one of the best `seeds` documents.

    A candidate gains `share` of what its best linked seed has above the ground, times the weight of the link. Only
    the best `among` candidates are raised.
    """

    share: float = 0.07
    seeds: int = 5
    among: int = 64
    fanout: int = 50
    types: tuple[EdgeType, ...] = WRITTEN_EDGES
    name: str = "neighbour_boost"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        low = ground(candidates)
        best = best_documents(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        walk = Walk(hops=1, decay=1.0, fanout=self.fanout, types=self.types)
        library = search.library
        reached = library.store.graph.walk(
            library.project, {document: score - low for document, score in best.items()}, walk
        )
        gained = {document.document: self.share * document.score for document in reached if document.score > 0}
        raised = {candidate.key for candidate in candidates[: self.among] if candidate.document_id in gained}
        if not raised:
            raise SkipStage("no candidate is linked with one of the best")
        search.notes["raised"] = len(raised)
        changed = [
            candidate.scored(candidate.score + gained[candidate.document_id]) if candidate.key in raised else candidate
            for candidate in candidates
        ]
        details = {
            candidate.key: f"+{gained[candidate.document_id]:.3f} by links"
            for candidate in candidates
            if candidate.key in raised
        }
        return noted(in_order(changed), self.name, details)


def best_documents(candidates: tuple[Candidate, ...], seeds: int) -> dict[DocumentId, float]:
    """The first documents with their best score."""
    best: dict[DocumentId, float] = {}
    for candidate in candidates:
        if candidate.document_id not in best:
            if len(best) == seeds:
                break
            best[candidate.document_id] = candidate.score
    return best
