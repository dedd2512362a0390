"""Recall of sections and files by their summaries, and the fusion of all levels with that of chunks."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.fast_dataclass import dataclass
from octavo.model.score_rounding import just_below
from octavo.model.search_result import Candidate, Ranking, ScoredChunk
from octavo.model.summary import NodeType
from octavo.retrieval.stage import RetrievalProfile, Search, SkipStage, UsesQueryVector
from octavo.retrieval.stages.lexical_and_dense_recall import vectors_for
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.score_and_rank_fusion import looked_up

_LEVELS = ("dense_sections", "dense_files")
_NOT_ADMITTED = 4  # times as many summaries are looked at where filters refuse some of their chunks


@dataclass(frozen=True, slots=True)
class SectionRecall(UsesQueryVector):
    """The best `chunks` of each of the `depth` sections whose summaries are nearest to the query, by section."""

    depth: int = 50
    chunks: int = 2
    name: str = "dense_sections"

    def recall(self, search: Search) -> Ranking:
        return _expanded(search, NodeType.SECTION, self.depth, self.chunks, self.name)


@dataclass(frozen=True, slots=True)
class FileRecall(UsesQueryVector):
    """The best `chunks` of each of the `depth` files whose summaries are nearest to the query, by file."""

    depth: int = 30
    chunks: int = 2
    name: str = "dense_files"

    def recall(self, search: Search) -> Ranking:
        return _expanded(search, NodeType.FILE, self.depth, self.chunks, self.name)


@dataclass(frozen=True, slots=True)
class LevelFusion:
    """Reciprocal rank fusion of three levels: sum of w / (k + rank).

    The level of chunks is one ranking, fused from words and meaning as `balanced_fusion` does. Ranks decide the order
    alone; a candidate gets the score that the chunk in its place had, so that the stages that follow, which look at how
    far apart candidates are, see what they see in `hybrid`.
    """

    k: int = 60
    sections: float = 0.1
    files: float = 0.1
    name: str = "level_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        levels = {name: ranking for name, ranking in rankings.items() if name in _LEVELS}
        chunks = {name: ranking for name, ranking in rankings.items() if name not in _LEVELS}
        fused = BalancedFusion().fuse(search, chunks)
        if not levels:
            return fused
        ordered = {"chunks": [candidate.key for candidate in fused]}
        ordered |= {name: [chunk.key for chunk in ranking.scored] for name, ranking in levels.items()}
        weights = {"chunks": 1.0, **dict(zip(_LEVELS, (self.sections, self.files), strict=True))}
        search.notes["levels"] = {name: weights[name] for name in ordered}
        total = reciprocal_rank(ordered, k=self.k, weights={name: weights[name] for name in ordered})
        # What summaries alone found comes last, and is worth no more than the last of the chunks.
        scores = [candidate.score for candidate in fused]
        scores += [just_below(min(scores, default=0.0))] * (len(total) - len(scores))
        return looked_up(search, dict(zip(total, scores, strict=True)), rankings, self.name)


def _expanded(search: Search, node: NodeType, depth: int, chunks: int, name: str) -> Ranking:
    """Chunks of the nearest summaries: those of a nearer one first, of one the nearest to the query first."""
    index = vectors_for(search)
    library = search.library
    limit = depth if search.admitted is None else depth * _NOT_ADMITTED
    near = [(key, cosine) for key, cosine in library.meaning.summaries.near(search.vector, node, limit) if cosine > 0.0]
    if not near:
        raise SkipStage("no summaries were made: run `octavo summaries build`", degrades=True)
    below = library.store.summaries.chunks_below(library.project, [key for key, _ in near])
    allowed = None if search.admitted is None else set(search.admitted.tolist())
    kept = {key: [chunk for chunk in below.get(key, ()) if allowed is None or chunk in allowed] for key, _ in near}
    scores = index.score(search.vector, sorted({chunk for keys in kept.values() for chunk in keys}))
    best: dict[int, ScoredChunk] = {}
    used = 0
    for key, _ in near:
        keys = sorted((chunk for chunk in kept[key] if chunk in scores), key=lambda chunk: (-scores[chunk], chunk))
        used += bool(keys)
        for chunk in keys[:chunks]:
            best.setdefault(chunk, ScoredChunk(chunk, scores[chunk]))
        if used >= depth:
            break
    search.notes["summaries"] = used
    return Ranking(name, tuple(best.values()), trust=search.trust)


def searches_summaries(profile: RetrievalProfile) -> bool:
    return any(isinstance(stage, (SectionRecall, FileRecall)) for stage in profile.recall)
