"""Lowers tests, examples and commits, which repeat the words of the code that they use or change."""

from __future__ import annotations

from octavo.algorithms.queries.code_query_parsing import CodeQueryForm, read_code_query
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import channel_score, ground, noted
from octavo.retrieval.stages.declaration_folding_and_ordering import WRITTEN, keeps_place_beyond
from octavo.retrieval.stages.exact_match_boost import any_holds_phrase
from octavo.retrieval.stages.git_commit_caps import FILES
from octavo.retrieval.stages.test_example_and_header_detection import is_use

_PASTED = frozenset({CodeQueryForm.PATTERN, CodeQueryForm.CODE})
_ABOUT_TESTS = regex(
    r"(?:\b|_)(?:[Tt]est(?:s|ed|ing)?|[Ss]pecs?|[Ff]ixtures?|[Mm]ock(?:s|ed)?|[Ee]xamples?|[Dd]emos?)(?:\b|_)"
    r"|\wTests?\b|\bTest[A-Z]"
)


@dataclass(frozen=True, slots=True)
class TestsBelow:
    """What tests a thing, or shows how to use it, comes after the thing, unless the query is about tests or is a
    piece of code, which may stand in a test alone. So may a message: with `ahead`, a test whose score by words is so
    many times that of the best passage of another kind keeps its place, and so do all where one holds the query whole.

    A commit comes after it too, where the query is a name or a piece of code: its diff quotes the thing, or what it was
    once. With `files_alone` neither commits nor examples in notes are lowered.
    """

    share: float = 0.6
    ahead: float | None = None
    files_alone: bool = False
    name: str = "tests_below"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            raise SkipStage("there are no candidates")
        asked = read_code_query(search.query.text).asked
        tests = asked not in _PASTED and _ABOUT_TESTS.search(search.query.text) is None
        tests = tests and not any_holds_phrase(candidates)
        quoted = asked in WRITTEN and not search.query.filters.kinds and not self.files_alone
        if not tests and not quoted:
            raise SkipStage("the query is about tests, or a piece of code")
        lowered_kinds = (Kind.CODE,) if self.files_alone else FILES
        uses = {candidate.key for candidate in candidates if candidate.kind in lowered_kinds and is_use(candidate)}
        if not uses and not quoted:
            raise SkipStage("no test is among the candidates")
        height = (candidates[0].score - ground(candidates)) or 1.0
        most = keeps_place_beyond(self.ahead, candidates, uses)
        lowered, details = [], {}
        for candidate in candidates:
            commit = candidate.kind is Kind.COMMIT
            test = tests and candidate.key in uses and channel_score(candidate, "lexical") <= most
            if test or (quoted and commit):
                details[candidate.key] = "a commit" if commit else "a test or an example"
                candidate = candidate.scored(candidate.score - self.share * height)
            lowered.append(candidate)
        search.notes["lowered"] = len(details)
        return noted(in_order(lowered), self.name, details)
