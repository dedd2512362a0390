"""Stages that use the link graph: a boost for communities, and recall of linked documents."""

from __future__ import annotations

from typing import ClassVar

from octavo.fast_dataclass import Value
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.link_graph import COMMUNITIES, EdgeType, Walk
from octavo.model.query import Filters
from octavo.model.score_rounding import rounded
from octavo.model.search_result import Candidate, Ranking, ScoredChunk, best_first
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted
from octavo.retrieval.stages.linked_document_boost import WRITTEN_EDGES, best_documents

_UNMEASURED = 0.3  # the cosine of a chunk that has no vector yet


class CommunityBoost(Value):
    """Candidates of the communities that the best `seeds` documents belong to are worth `factor` times as much.

    Needs communities: `octavo graph build` finds them. A document in a community of its own gains nothing.
    """

    factor: float = 1.1
    seeds: int = 3
    name: str = "community_boost"
    needs: ClassVar[str] = COMMUNITIES

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        best = best_documents(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        library = search.library
        numbers = library.store.graph.communities(library.project, {candidate.document_id for candidate in candidates})
        if not numbers:
            raise SkipStage("no communities have been found: `octavo graph build`")
        communities = {numbers[document] for document in best if document in numbers}
        inside = {document for document, number in numbers.items() if number in communities}
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


class GraphRecall(Value):
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
        chunks = store.lexical.search(project, query.terms, query.filters, self.seeds * 4)
        known = store.documents.candidates(project, [chunk.key for chunk in chunks])
        start: dict[DocumentId, float] = {}
        for chunk in chunks:
            if chunk.key in known and len(start) < self.seeds:
                start.setdefault(known[chunk.key].document_id, chunk.score)
        if not start:
            raise SkipStage("no word of the query is in the library")
        top = max(start.values())
        walk = Walk(self.hops, self.decay, self.fanout, types=self.types)
        reached = store.graph.walk(project, {document: score / top for document, score in start.items()}, walk)
        near = {document.document: rounded(document.score) for document in reached if document.document not in start}
        nodes = [node for node in store.graph.nodes(project, near) if node.kind != Kind.COMMIT] if near else []
        nodes = sorted(nodes, key=lambda node: (-near[node.document], node.uri))[: self.documents]
        if not nodes:
            raise SkipStage("what was found by word is linked with nothing else")
        uris = tuple(node.uri for node in nodes)
        return Ranking(self.name, linked_chunks(search, near, uris, self.depth))


def linked_chunks(
    search: Search, near: dict[DocumentId, float], uris: tuple[str, ...], depth: int
) -> tuple[ScoredChunk, ...]:
    """The chunks of these documents, each scored by what reaches its document times its cosine."""
    library = search.library
    keys = library.store.documents.admitted(library.project, Filters(uris=uris))
    if search.admitted is not None:
        allowed = set(search.admitted.tolist())
        keys = [key for key in keys if key in allowed]
    candidates = library.store.documents.candidates(library.project, keys)
    inside = [key for key in keys if key in candidates and candidates[key].document_id in near]
    cosines = library.meaning.vectors.score(search.vector, inside)
    scored = (
        (ChunkKey(key), near[candidates[key].document_id] * max(0.0, cosines.get(key, _UNMEASURED))) for key in inside
    )
    return best_first(scored, depth)


class GraphExpansion(Value):
    """Adds the best chunk of each document that links lead to from the best `seeds` documents and no channel found.

    What is added has `share` of what its start has above the ground, `decay` of that for every further hop, times the
    weight of the links and the chunk's cosine; its step says how many hops away it lies.
    """

    share: float = 0.5
    seeds: int = 5
    hops: int = 2
    decay: float = 0.5
    fanout: int = 20
    documents: int = 20
    types: tuple[EdgeType, ...] = WRITTEN_EDGES
    name: str = "graph_expansion"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        low, best = ground(candidates), best_documents(candidates, self.seeds)
        if not best:
            raise SkipStage("there are no candidates")
        store, project = search.library.store, search.library.project
        walk = Walk(self.hops, self.decay, self.fanout, types=self.types)
        reached = store.graph.walk(project, {document: score - low for document, score in best.items()}, walk)
        listed = {candidate.document_id for candidate in candidates}
        hops = {node.document: node.hops for node in reached if node.document not in listed and node.score > 0}
        near = {node.document: rounded(node.score / self.decay) for node in reached if node.document in hops}
        nodes = [node for node in store.graph.nodes(project, near) if node.kind != Kind.COMMIT] if near else []
        nodes = sorted(nodes, key=lambda node: (-near[node.document], node.uri))[: self.documents]
        if not nodes:
            raise SkipStage("what was found is linked with nothing else")
        added = self._added(search, near, tuple(node.uri for node in nodes))
        search.notes["added"] = len(added)
        expanded = [candidate.scored(low + self.share * score) for candidate, score in added]
        details = {candidate.key: _hops_away(hops[candidate.document_id]) for candidate, _ in added}
        return noted(in_order((*candidates, *expanded)), self.name, details)

    def _added(
        self, search: Search, near: dict[DocumentId, float], uris: tuple[str, ...]
    ) -> list[tuple[Candidate, float]]:
        """The best chunk of each document, with its score above the ground."""
        scored = linked_chunks(search, near, uris, self.documents * self.fanout)
        candidates = search.library.store.documents.candidates(search.library.project, [chunk.key for chunk in scored])
        first: dict[DocumentId, tuple[Candidate, float]] = {}
        for chunk in scored:
            if chunk.key in candidates:
                first.setdefault(candidates[chunk.key].document_id, (candidates[chunk.key], chunk.score))
        return list(first.values())


def _hops_away(hops: int) -> str:
    return "linked with one of the best" if hops == 1 else f"{hops} hops from one of the best"
