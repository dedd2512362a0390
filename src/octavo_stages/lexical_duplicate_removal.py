"""De-duplication by words: of candidates that say nearly the same, the best stays and names the others.

Each stage looks at the first `among` candidates; what comes after them is left as it is.
"""

from __future__ import annotations

from octavo.algorithms.text.text_similarity import jaccards, kept_first, minhash_jaccards
from octavo.algorithms.text.word_shingles import shingles
from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Candidate
from octavo.plugins import install_command
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import texts_of
from octavo.retrieval.stages.exact_duplicate_removal import without_copies


@dataclass(frozen=True, slots=True)
class NgramDuplicates:
    """Texts that share most of their runs of `size` words."""

    threshold: float = 0.8
    size: int = 3
    among: int = 50
    name: str = "ngram_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        _refuse_listing(search)
        pieces = [shingles(text, self.size) for text in texts_of(search, candidates[: self.among])]
        return without_copies(search, candidates, kept_first(jaccards(pieces).tolist(), self.threshold), self.name)


@dataclass(frozen=True, slots=True)
class MinHashDuplicates:
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
