"""Diversity: maximal marginal relevance, which prefers hits unlike those ranked above."""

from __future__ import annotations

from typing import Literal

from octavo.algorithms.ranking.marginal_relevance import marginal_relevance
from octavo.algorithms.text.text_similarity import jaccards
from octavo.algorithms.text.word_shingles import shingles
from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import noted, shares, texts_of
from octavo.retrieval.stages.semantic_duplicate_removal import cosines_between


@dataclass(frozen=True, slots=True)
class MarginalRelevance:
    """Maximal marginal relevance: `balance` 1 is relevance alone, 0 variety alone.

    The score becomes what a candidate was worth when it was chosen, so the order by score is the order of choice.
    """

    balance: float = 0.7
    by: Literal["meaning", "words"] = "meaning"
    name: str = "mmr"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            return candidates
        if self.by == "meaning":
            likeness = cosines_between(search, candidates)
        else:
            words = [shingles(text, 1) for text in texts_of(search, candidates)]
            likeness = jaccards(words)
        chosen = marginal_relevance(shares(candidates), likeness, self.balance)
        ranked = in_order([candidates[place].scored(worth) for place, worth in chosen])
        before = {candidate.key: rank for rank, candidate in enumerate(candidates, 1)}
        details = {
            candidate.key: f"from place {before[candidate.key]}"
            for rank, candidate in enumerate(ranked, 1)
            if before[candidate.key] != rank
        }
        search.notes["moved"] = len(details)
        return noted(ranked, self.name, details)
