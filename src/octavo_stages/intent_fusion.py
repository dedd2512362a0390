"""Fusion by what kind of query it is: names and fragments of code want words, sentences want meaning."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.algorithms.queries.query_intent_classification import Intent, intent_of
from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Candidate, Ranking
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion


@dataclass(frozen=True, slots=True)
class IntentFusion:
    """A weighted sum of normalised scores; the share of the lexical channel is that of the query's intent.

    The dense channel has the rest. `intent_of` says what the query is, by its form alone.
    """

    code: float = 0.75
    navigational: float = 0.75
    question: float = 0.4
    keyword: float = 0.5
    normaliser: str = "z"
    name: str = "intent_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        intent = intent_of(search.query.text)
        lexical = {
            Intent.CODE: self.code,
            Intent.NAVIGATIONAL: self.navigational,
            Intent.QUESTION: self.question,
            Intent.KEYWORD: self.keyword,
        }[intent]
        base = ScoreFusion(dense=1.0 - lexical, lexical=lexical, normaliser=self.normaliser, name=self.name)
        candidates = base.fuse(search, rankings)
        search.notes["intent"] = intent.value
        return candidates
