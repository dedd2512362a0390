"""De-duplication by meaning: of candidates that say nearly the same, the best stays and names the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.text.text_similarity import kept_first
from octavo.fast_dataclass import dataclass
from octavo.model.score_rounding import rounded
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.exact_duplicate_removal import without_copies


@dataclass(frozen=True, slots=True)
class SemanticDuplicates:
    """Chunks whose vectors nearly coincide. A chunk without a vector repeats nothing."""

    threshold: float = 0.95
    among: int = 100
    name: str = "semantic_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        looked_at = candidates[: self.among]
        cosines = cosines_between(search, looked_at).tolist()
        return without_copies(search, candidates, kept_first(cosines, self.threshold), self.name)


def cosines_between(search: Search, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """The cosine of every two candidates' vectors; 0 where one has none. Skips the stage where none has."""
    vectors = search.library.meaning.vectors.vectors_of([candidate.key for candidate in candidates])
    if not vectors:
        raise SkipStage("no candidate has a vector")
    nothing = np.zeros_like(next(iter(vectors.values())))
    matrix = np.stack([vectors.get(candidate.key, nothing) for candidate in candidates]).astype(np.float64)
    return rounded(matrix @ matrix.T)
