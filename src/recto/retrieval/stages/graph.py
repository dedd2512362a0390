"""What links say about a search: what the best candidates point at, what belongs to them, what is only reached so."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.document import Kind
from recto.model.graph import EdgeType, Walk
from recto.model.ids import ChunkKey, DocumentId
from recto.model.query import Filters
from recto.model.result import Candidate, Ranking, Scored
from recto.retrieval.stage import Search, SkipStage, in_order
from recto.retrieval.stages.steps import ground, noted

WRITTEN_EDGES = tuple(
    one for one in EdgeType if one not in (EdgeType.THEMATIC_LINK, EdgeType.CONTAINS, EdgeType.CHANGES)
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
        gained = {one.document: self.share * one.score for one in reached if one.score > 0}
        raised = {one.key for one in candidates[: self.among] if one.document_id in gained}
        if not raised:
            raise SkipStage("no candidate is linked with one of the best")
        search.notes["raised"] = len(raised)
        changed = [
            one._replace(score=one.score + gained[one.document_id]) if one.key in raised else one for one in candidates
        ]
        details = {one.key: f"+{gained[one.document_id]:.3f} by links" for one in candidates if one.key in raised}
        return noted(in_order(changed), self.name, details)


@dataclass(frozen=True, slots=True)
class CommunityBoost:
    """Candidates of the communities that the best `seeds` documents belong to are worth `factor` times as much.

    Needs communities: `recto graph build` finds them. A document in a community of its own gains nothing.
    """

    factor: float = 1.1
    seeds: int = 3
    name: str = "community_boost"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        best = _best(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        library = search.library
        numbers = library.store.graph.communities(library.project, {one.document_id for one in candidates})
        if not numbers:
            raise SkipStage("no communities have been found: `recto graph build`")
        wanted = {numbers[one] for one in best if one in numbers}
        inside = {one for one, number in numbers.items() if number in wanted}
        raised = {one.key for one in candidates if one.document_id in inside and one.document_id not in best}
        if not raised:
            raise SkipStage("no other candidate is in the community of one of the best")
        search.notes["raised"] = len(raised)
        low = ground(candidates)
        lifted = raised | {one.key for one in candidates if one.document_id in inside}
        changed = [
            one._replace(score=low + (one.score - low) * self.factor) if one.key in lifted else one
            for one in candidates
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
        known = store.documents.candidates(project, [one.key for one in found])
        start: dict[DocumentId, float] = {}
        for one in found:
            if one.key in known and len(start) < self.seeds:
                start.setdefault(known[one.key].document_id, one.score)
        if not start:
            raise SkipStage("no word of the query is in the library")
        top = max(start.values())
        walk = Walk(self.hops, self.decay, self.fanout, types=self.types)
        reached = store.graph.walk(project, {one: score / top for one, score in start.items()}, walk)
        near = {one.document: one.score for one in reached if one.document not in start}
        nodes = [one for one in store.graph.nodes(project, near) if one.kind != Kind.COMMIT] if near else []
        nodes = sorted(nodes, key=lambda one: (-near[one.document], one.uri))[: self.documents]
        if not nodes:
            raise SkipStage("what was found by word is linked with nothing else")
        return Ranking(self.name, self._scored(search, near, tuple(one.uri for one in nodes)))

    def _scored(self, search: Search, near: dict[DocumentId, float], uris: tuple[str, ...]) -> tuple[Scored, ...]:
        library = search.library
        keys = library.store.documents.admitted(library.project, Filters(uris=uris))
        if search.admitted is not None:
            allowed = set(search.admitted.tolist())
            keys = [key for key in keys if key in allowed]
        held = library.store.documents.candidates(library.project, keys)
        inside = [key for key in keys if key in held and held[key].document_id in near]
        cosines = library.vectors().score(search.vector, inside)
        scored = [
            Scored(ChunkKey(key), near[held[key].document_id] * max(0.0, cosines.get(key, _UNMEASURED)))
            for key in inside
        ]
        return tuple(sorted(scored, key=lambda one: (-one.score, one.key))[: self.depth])


def _best(candidates: tuple[Candidate, ...], seeds: int) -> dict[DocumentId, float]:
    """The first documents with their best score."""
    best: dict[DocumentId, float] = {}
    for one in candidates:
        if one.document_id not in best:
            if len(best) == seeds:
                break
            best[one.document_id] = one.score
    return best
