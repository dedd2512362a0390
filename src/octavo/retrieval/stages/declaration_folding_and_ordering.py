"""Folds code hits to one chunk per declaration, ranks definitions over prototypes, and lowers comments."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence

from octavo.algorithms.queries.code_query_parsing import CodeQueryForm, read_code_query
from octavo.algorithms.source_code.import_or_comment_only_code import is_file_head
from octavo.fast_dataclass import dataclass, replace
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, Ranking, best_first
from octavo.retrieval.cited_section_choice import sections_at
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import channel_score, ground, noted, texts_of
from octavo.retrieval.stages.test_example_and_header_detection import is_header
from octavo.retrieval.tie_breaking import by_place

ONLY_COMMENT = "only a comment"
_COMMENT = "comment"
_SYMBOLS = "symbols"
_LOCATING = frozenset({CodeQueryForm.PLACE, CodeQueryForm.TRACE})
QUOTING = frozenset({CodeQueryForm.MESSAGE, CodeQueryForm.PATTERN, CodeQueryForm.CODE})
"""Forms of what was pasted."""
LITERAL = QUOTING | {CodeQueryForm.TRACE}
WRITTEN = LITERAL | {CodeQueryForm.NAME}


def keeps_place_beyond(ahead: float | None, candidates: Sequence[Candidate], lowered: Container[ChunkKey]) -> float:
    """The score by words above which what would be lowered keeps its place: `ahead` times that of anything else."""
    if ahead is None:
        return math.inf
    others = (channel_score(candidate, "lexical") for candidate in candidates if candidate.key not in lowered)
    return ahead * max(others, default=0.0)


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
    return {name: _folded(search, ranking, chosen) for name, ranking in rankings.items()}


def _folded(search: Search, ranking: Ranking, chosen: Mapping[ChunkKey, ChunkKey]) -> Ranking:
    scores: dict[ChunkKey, float] = {}
    for chunk in ranking.scored:
        # Best first, so that the first score of a declaration is its best.
        scores.setdefault(chosen.get(chunk.key, chunk.key), chunk.score)
    return replace(ranking, scored=by_place(search, best_first(scores.items())))


@dataclass(frozen=True, slots=True)
class DefinitionsFirst:
    """Where a prototype and its definition were both found, the definition takes the better of their places.

    A header says that there is such a function, and its comment often says the query's words; what it does stands
    elsewhere. Of a header's chunk with several prototypes the one counts whose definition comes first. The `among`
    best candidates are looked at.
    """

    among: int = 30
    name: str = "definitions_first"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if read_code_query(search.query.text).asked in _LOCATING:
            raise SkipStage("the query says in which file")
        first = candidates[: self.among]
        headers = [candidate for candidate in first if is_header(candidate)]
        if not headers:
            raise SkipStage("no header was found")
        scores = {candidate.key: candidate.score for candidate in first}
        details: dict[ChunkKey, str] = {}
        for header, text in zip(headers, texts_of(search, headers), strict=True):
            if "{" in text:
                continue
            names = _declared_in(search, header)
            defined = next((other for other in candidates if _defines(other, names)), None)
            if defined is not None and defined.score < scores[header.key] and defined.key not in details:
                scores[header.key], scores[defined.key] = defined.score, scores[header.key]
                details |= {header.key: "only declares it", defined.key: f"defines what {header.uri} declares"}
        if not details:
            raise SkipStage("no prototype stands before its definition")
        moved = (candidate.scored(scores.get(candidate.key, candidate.score)) for candidate in candidates)
        return noted(in_order(moved), self.name, details)


def _declared_in(search: Search, candidate: Candidate) -> frozenset[str]:
    (sections,) = sections_at(search.library, [(candidate.document_id, candidate.span)])
    return frozenset(section.title for section in sections if section.level)


def _defines(candidate: Candidate, names: frozenset[str]) -> bool:
    named = candidate.heading_path[-1:]
    return candidate.kind is Kind.CODE and not is_header(candidate) and not names.isdisjoint(named)


@dataclass(frozen=True, slots=True)
class CommentsBelow:
    """Comments and heads of files come after the code: licences, banners, imports, what a file says of itself.

    They have the words of the file's subject and none of what does it. `share` is how far they sink, in the height of
    the first candidate. What a name that was asked for stands in stays where it is; so does, with `ahead`, what has
    so many times the score by words of the best passage of another kind, as a comment that was pasted.
    """

    share: float = 0.5
    ahead: float | None = None
    name: str = "comments_below"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if read_code_query(search.query.text).asked in QUOTING | _LOCATING:
            raise SkipStage("the query quotes code, wherever that stands")
        outside = [candidate for candidate in candidates if candidate.kind is Kind.CODE and not candidate.section]
        most = keeps_place_beyond(self.ahead, candidates, {candidate.key for candidate in outside})
        outside = [candidate for candidate in outside if channel_score(candidate, "lexical") <= most]
        sections = sections_at(search.library, [(candidate.document_id, candidate.span) for candidate in outside])
        details: dict[ChunkKey, str] = {}
        for candidate, text, within in zip(outside, texts_of(search, outside), sections, strict=True):
            if candidate.content_type == _COMMENT:
                details[candidate.key] = ONLY_COMMENT
            elif any(section.level for section in within):
                continue  # a constant or a variable below the imports may be what was asked for
            elif is_file_head(text) and not any(step.stage == _SYMBOLS for step in candidate.steps):
                details[candidate.key] = "the head of a file"
        if not details:
            raise SkipStage("no comment and no head of a file stands alone")
        # Not below the ground, from which the shares of all other hits are measured.
        low = ground(candidates)
        depth = self.share * ((candidates[0].score - low) or 1.0)
        lowered = (
            candidate.scored(max(low, candidate.score - depth)) if candidate.key in details else candidate
            for candidate in candidates
        )
        return noted(in_order(lowered), self.name, details)
