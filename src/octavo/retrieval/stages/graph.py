"""Stages that use the link graph: boosts for linked candidates and communities, and recall of linked documents."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.model.document import Kind
from octavo.model.graph import EdgeType, Walk
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.query import Filters
from octavo.model.result import Candidate, Ranking, ScoredChunk, best_first
from octavo.model.scores import rounded
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.steps import ground, noted

WRITTEN_EDGES = tuple(
    edge_type
    for edge_type in EdgeType
    if edge_type not in (EdgeType.THEMATIC_LINK, EdgeType.CONTAINS, EdgeType.CHANGES)
)
"""What people wrote down: with links that were computed, the same boost was worth half as much."""

_UNMEASURED = 0.3  # the cosine of a chunk that has no vector yet


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
        best = _best(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        walk = Walk(hops=1, decay=1.0, fanout=self.fanout, types=self.types)
        library = search.library
        reached = library.store.graph.walk(library.project, {one: score - low for one, score in best.items()}, walk)
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


@dataclass(frozen=True, slots=True)
class CommunityBoost:
    """Candidates of the communities that the best `seeds` documents belong to are worth `factor` times as much.

    Needs communities: `octavo graph build` finds them. A document in a community of its own gains nothing.
    """

    factor: float = 1.1
    seeds: int = 3
    name: str = "community_boost"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        best = _best(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        library = search.library
        numbers = library.store.graph.communities(library.project, {candidate.document_id for candidate in candidates})
        if not numbers:
            raise SkipStage("no communities have been found: `octavo graph build`")
        wanted = {numbers[one] for one in best if one in numbers}
        inside = {one for one, number in numbers.items() if number in wanted}
        raised = {
            candidate.key
            for candidate in candidates
            if candidate.document_id in inside and candidate.document_id not in best
        }
        if not raised:
            raise SkipStage("no other candidate is in the community of one of the best")
        search.notes["raised"] = len(raised)
        low = ground(candidates)
        lifted = raised | {candidate.key for candidate in candidates if candidate.document_id in inside}
        changed = [
            candidate.scored(low + (candidate.score - low) * self.factor) if candidate.key in lifted else candidate
            for candidate in candidates
        ]
        details = dict.fromkeys(lifted, f"times {self.factor:.3g}, in the community of one of the best")
        return noted(in_order(changed), self.name, details)


@dataclass(frozen=True, slots=True)
class GraphRecall:
    """Chunks of documents that are linked with the best `seeds` lexical hits, by cosine, fading with every hop.

    Scores are the walk's share of the best times the cosine, so what is near and about it comes first. The seeds
    themselves are left to the other channels.
    """

    seeds: int = 5
    hops: int = 2
    decay: float = 0.5
    fanout: int = 20
    documents: int = 50
    depth: int = 100
    types: tuple[EdgeType, ...] = ()
    name: str = "graph"

    def recall(self, search: Search) -> Ranking:
        query, library = search.query, search.library
        if query.terms.empty:
            raise SkipStage("the query has no words to start from")
        store, project = library.store, library.project
        found = store.lexical.search(project, query.terms, query.filters, self.seeds * 4)
        known = store.documents.candidates(project, [chunk.key for chunk in found])
        start: dict[DocumentId, float] = {}
        for chunk in found:
            if chunk.key in known and len(start) < self.seeds:
                start.setdefault(known[chunk.key].document_id, chunk.score)
        if not start:
            raise SkipStage("no word of the query is in the library")
        top = max(start.values())
        walk = Walk(self.hops, self.decay, self.fanout, types=self.types)
        reached = store.graph.walk(project, {one: score / top for one, score in start.items()}, walk)
        near = {document.document: rounded(document.score) for document in reached if document.document not in start}
        nodes = [node for node in store.graph.nodes(project, near) if node.kind != Kind.COMMIT] if near else []
        nodes = sorted(nodes, key=lambda node: (-near[node.document], node.uri))[: self.documents]
        if not nodes:
            raise SkipStage("what was found by word is linked with nothing else")
        return Ranking(self.name, self._scored(search, near, tuple(node.uri for node in nodes)))

    def _scored(self, search: Search, near: dict[DocumentId, float], uris: tuple[str, ...]) -> tuple[ScoredChunk, ...]:
        library = search.library
        keys = library.store.documents.admitted(library.project, Filters(uris=uris))
        if search.admitted is not None:
            allowed = set(search.admitted.tolist())
            keys = [key for key in keys if key in allowed]
        held = library.store.documents.candidates(library.project, keys)
        inside = [key for key in keys if key in held and held[key].document_id in near]
        cosines = library.vectors().score(search.vector, inside)
        scored = (
            (ChunkKey(key), near[held[key].document_id] * max(0.0, cosines.get(key, _UNMEASURED))) for key in inside
        )
        return best_first(scored, self.depth)


def _best(candidates: tuple[Candidate, ...], seeds: int) -> dict[DocumentId, float]:
    """The first documents with their best score."""
    best: dict[DocumentId, float] = {}
    for candidate in candidates:
        if candidate.document_id not in best:
            if len(best) == seeds:
                break
            best[candidate.document_id] = candidate.score
    return best
