"""Declarations as hits: one for each, and none for what only surrounds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from octavo.algorithms.code_query import Asked, read_code_query
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.result import Candidate, Ranking, best_first
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.steps import ground, noted

_COMMENT = "comment"
_QUOTING = frozenset({Asked.PLACE, Asked.TRACE, Asked.MESSAGE, Asked.PATTERN, Asked.CODE})


def by_declaration(search: Search, rankings: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """The rankings with one chunk for each declaration, which has the best score of all its chunks in every channel.

    That is the chunk whose words match best: the first chunk has the words of the whole declaration.
    """
    words = {chunk.key: chunk.score for chunk in rankings["lexical"].scored} if "lexical" in rankings else {}
    keys = sorted({chunk.key for ranking in rankings.values() for chunk in ranking.scored})
    known = search.library.store.documents.candidates(search.library.project, keys)
    members: dict[tuple[str, int], list[ChunkKey]] = {}
    for key, candidate in known.items():
        if candidate.kind is Kind.CODE and candidate.section:
            members.setdefault((candidate.document_id, candidate.section), []).append(key)
    chosen: dict[ChunkKey, ChunkKey] = {}
    for several in members.values():
        best = max(several, key=lambda key: (words.get(key, 0.0), -key))
        chosen |= dict.fromkeys(several, best)
    return {name: _folded(ranking, chosen) for name, ranking in rankings.items()}


def _folded(ranking: Ranking, chosen: Mapping[ChunkKey, ChunkKey]) -> Ranking:
    scores: dict[ChunkKey, float] = {}
    for chunk in ranking.scored:
        # Best first, so that the first score of a declaration is its best.
        scores.setdefault(chosen.get(chunk.key, chunk.key), chunk.score)
    return replace(ranking, scored=best_first(scores.items()))


@dataclass(frozen=True, slots=True)
class OnePerDeclaration:
    """Of the chunks of one declaration the best stays: the others would say the same of it."""

    name: str = "one_per_declaration"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        taken: set[tuple[str, int]] = set()
        kept = []
        for candidate in candidates:
            if candidate.kind is Kind.CODE and candidate.section:
                declaration = candidate.document_id, candidate.section
                if declaration in taken:
                    continue
                taken.add(declaration)
            kept.append(candidate)
        if len(kept) == len(candidates):
            raise SkipStage("no declaration was found twice")
        search.notes["dropped"] = len(candidates) - len(kept)
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class CommentsBelow:
    """Comments outside of declarations come after the code: licences, banners, what a file says of itself.

    They have the words of the file's subject and none of what does it. `share` is how far they sink, in the height of
    the first candidate.
    """

    share: float = 0.5
    name: str = "comments_below"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if read_code_query(search.query.text).asked in _QUOTING:
            raise SkipStage("the query quotes code, wherever that stands")
        details: dict[ChunkKey, str] = {}
        height = (candidates[0].score - ground(candidates)) or 1.0 if candidates else 1.0
        lowered = []
        for candidate in candidates:
            if candidate.kind is Kind.CODE and candidate.content_type == _COMMENT and not candidate.section:
                details[candidate.key] = "only a comment"
                candidate = candidate.scored(candidate.score - self.share * height)
            lowered.append(candidate)
        if not details:
            raise SkipStage("no comment stands alone")
        return noted(in_order(lowered), self.name, details)
