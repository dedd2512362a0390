"""Diversity: maximal marginal relevance prefers hits unlike those above; of near duplicates the best stays.

Each stage looks at the first `among` candidates; what comes after them is left as it is.
"""

from __future__ import annotations

from typing import Literal

from octavo.algorithms.ranking.marginal_relevance import marginal_relevance
from octavo.algorithms.text.text_similarity import jaccards, kept_first, minhash_jaccards
from octavo.algorithms.text.word_shingles import shingles
from octavo.fast_dataclass import Value
from octavo.model.search_result import Candidate
from octavo.plugins import install_command
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import noted, shares, texts_of
from octavo.retrieval.stages.exact_duplicate_removal import without_copies
from octavo.retrieval.stages.semantic_duplicate_removal import cosines_between


class MarginalRelevance(Value):
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


class NgramDuplicates(Value):
    """Texts that share most of their runs of `size` words."""

    threshold: float = 0.8
    size: int = 3
    among: int = 50
    name: str = "ngram_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        _refuse_listing(search)
        pieces = [shingles(text, self.size) for text in texts_of(search, candidates[: self.among])]
        return without_copies(search, candidates, kept_first(jaccards(pieces).tolist(), self.threshold), self.name)


class MinHashDuplicates(Value):
    """The same as by n-grams, estimated from signatures: worth it where texts are long or candidates many."""

    threshold: float = 0.8
    size: int = 3
    permutations: int = 128
    among: int = 100
    name: str = "minhash_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        _refuse_listing(search)
        pieces = [shingles(text, self.size) for text in texts_of(search, candidates[: self.among])]
        try:
            alike = minhash_jaccards(pieces, self.permutations)
        except ImportError:
            raise SkipStage(f"rensa is not installed: `{install_command('minhash')}`") from None
        return without_copies(search, candidates, kept_first(alike.tolist(), self.threshold), self.name)


def _refuse_listing(search: Search) -> None:
    if search.query.terms.empty and search.narrowed:
        raise SkipStage("the query lists documents")
