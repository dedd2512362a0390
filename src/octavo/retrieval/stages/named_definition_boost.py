"""Adds to the score of the code that a query names: a declaration by its name, a file by its path, a frame's line.

Of "who calls it", what uses the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.algorithms.queries.code_query_parsing import CodeQuery, CodeQueryForm, read_code_query
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, ScoreStep
from octavo.retrieval.stage import Recall, Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground
from octavo.retrieval.stages.declaration_folding_and_ordering import QUOTING
from octavo.retrieval.stages.exact_match_boost import any_holds_phrase
from octavo.retrieval.stages.symbol_and_path_recall import PlaceRecall, SymbolRecall
from octavo.retrieval.stages.test_example_and_header_detection import is_header, is_use

DEFINED = "definitions"
_WHERE = regex(
    r"\b(?:where|which file|what file|locate|find|show|go to|jump to|definition|declaration|defined|declared"
    r"|implementation|implemented)\b",
    re.IGNORECASE,
)
_LEAST = 0.5  # of a name's likeness: below it, another thing of that name
_SYMBOLS, _PLACES = SymbolRecall(), PlaceRecall()


@dataclass(frozen=True, slots=True)
class Definitions:
    """Code that the query names comes first; what uses it, and what only declares it, a little below.

    `named` is what the whole name is worth, in the height of the first candidate, where the query is a name, a place or
    a stack trace, or asks where something is; `mentioned`, where a sentence or a message speaks of it. Neither channel
    needs a model, and what they find is fetched even where words and meaning found it not. Where a passage holds a
    line of code or a message as it was pasted, that is what was looked for, and not what it names. The frames of a
    stack trace stand in their own order, whatever words and meaning say of them.
    """

    named: float = 1.1
    mentioned: float = 0.4
    below: float = 0.15
    name: str = DEFINED

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        read = read_code_query(search.query.text)
        if not candidates or not (read.names or read.places):
            raise SkipStage("the query names no code" if candidates else "there are no candidates")
        if (read.sentence or read.asked in QUOTING) and any_holds_phrase(candidates):
            raise SkipStage("a passage holds what was pasted")
        found = dict(self._found(search, read))
        if not found:
            raise SkipStage("no code of this name is in the library")
        known = {candidate.key: candidate for candidate in candidates}
        taken = {candidate.key for candidate in search.before}
        height = (candidates[0].score - ground(candidates)) or 1.0
        lifted = []
        for key, candidate in {**search.library.candidates([*found]), **known}.items():
            if key in found and key not in taken:
                lift, stage = found[key]
                in_trace = read.asked is CodeQueryForm.TRACE and stage == _PLACES.name
                score = (candidates[0].score if in_trace else candidate.score) + height * lift
                steps = (
                    ScoreStep(stage, lift, 1),
                    ScoreStep(self.name, score, 1, f"{'uses' if read.uses else 'is'} what is named"),
                )
                candidate = candidate.scored(score, (*candidate.steps, *steps))
            lifted.append(candidate)
        search.notes["named"] = len(found)
        return in_order(lifted)

    def _found(self, search: Search, read: CodeQuery) -> Iterator[tuple[ChunkKey, tuple[float, str]]]:
        """What is named, with what it is worth; for several reasons, the best."""
        spoken_of = read.sentence or read.asked is CodeQueryForm.MESSAGE
        worth = self.mentioned if spoken_of and not read.uses and not _WHERE.search(search.query.text) else self.named
        in_trace = read.asked is CodeQueryForm.TRACE
        lifts: dict[ChunkKey, tuple[float, str]] = {}
        ways: tuple[Recall, ...] = (_SYMBOLS, _PLACES) if search.library.has_code else (_PLACES,)
        ways = ways[:1] if read.uses else ways
        for way in ways:
            try:
                ranking = way.recall(search)
            except SkipStage:
                continue
            # A frame is what the trace says, however many are inside it.
            least = 0.0 if in_trace and way is _PLACES else _LEAST
            chunks = {chunk.key: chunk.score for chunk in ranking.scored if chunk.score >= least}
            if search.admitted is not None:
                chunks = {key: score for key, score in chunks.items() if key in search.admitted}
            for key, candidate in search.library.candidates([*chunks]).items():
                if candidate.kind is Kind.CODE or way is not _SYMBOLS:
                    below = 0.0 if in_trace else self.below * (is_use(candidate) + 0.5 * is_header(candidate))
                    lift = (self.mentioned if in_trace and way is _SYMBOLS else worth) * chunks[key] - below
                    lifts[key] = max(lifts.get(key, (0.0, "")), (lift, way.name))
        yield from lifts.items()
