"""De-duplication: of candidates that say the same, the best stays and says for whom it stands.

Each stage looks at the first `among` candidates; what comes after them is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo.algorithms.likeness import jaccards, kept_first, minhash_jaccards, shingles
from octavo.model.ids import ChunkKey
from octavo.model.result import Candidate, Copy
from octavo.model.scores import rounded
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.steps import noted, texts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAMED = 3  # of those a candidate stands for; the others are counted


@dataclass(frozen=True, slots=True)
class ExactDuplicates:
    """The same text but for blanks around it."""

    among: int = 100
    name: str = "exact_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if search.query.terms.empty and search.narrowed:
            raise SkipStage("the query lists documents")
        first: dict[str, int] = {}
        texts = texts_of(search, candidates[: self.among])
        places = [first.setdefault(text.strip(), place) for place, text in enumerate(texts)]
        return _kept(search, candidates, places, self.name)


@dataclass(frozen=True, slots=True)
class NgramDuplicates:
    """Texts that share most of their runs of `size` words."""

    threshold: float = 0.8
    size: int = 3
    among: int = 50
    name: str = "ngram_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        pieces = [shingles(text, self.size) for text in texts_of(search, candidates[: self.among])]
        return _kept(search, candidates, kept_first(jaccards(pieces).tolist(), self.threshold), self.name)


@dataclass(frozen=True, slots=True)
class MinHashDuplicates:
    """The same as by n-grams, estimated from signatures: worth it where texts are long or candidates many."""

    threshold: float = 0.8
    size: int = 3
    permutations: int = 128
    among: int = 100
    name: str = "minhash_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        pieces = [shingles(text, self.size) for text in texts_of(search, candidates[: self.among])]
        try:
            alike = minhash_jaccards(pieces, self.permutations)
        except ImportError:
            raise SkipStage("rensa is not installed: `pip install 'octavo[minhash]'`") from None
        return _kept(search, candidates, kept_first(alike.tolist(), self.threshold), self.name)


@dataclass(frozen=True, slots=True)
class SemanticDuplicates:
    """Chunks whose vectors nearly coincide. A chunk without a vector repeats nothing."""

    threshold: float = 0.95
    among: int = 100
    name: str = "semantic_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        looked_at = candidates[: self.among]
        cosines = cosines_between(search, looked_at).tolist()
        return _kept(search, candidates, kept_first(cosines, self.threshold), self.name)


def cosines_between(search: Search, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """The cosine of every two candidates' vectors; 0 where one has none. Skips the stage where none has."""
    import numpy as np  # a search by words alone, which has this stage too, does without

    vectors = search.library.vectors().vectors_of([candidate.key for candidate in candidates])
    if not vectors:
        raise SkipStage("no candidate has a vector")
    nothing = np.zeros_like(next(iter(vectors.values())))
    matrix = np.stack([vectors.get(candidate.key, nothing) for candidate in candidates]).astype(np.float64)
    return rounded(matrix @ matrix.T)


def _kept(
    search: Search, candidates: tuple[Candidate, ...], places: Sequence[int], stage: str
) -> tuple[Candidate, ...]:
    """Those at their own place, in order; `places` covers the first candidates, the rest stays."""
    repeats: dict[ChunkKey, list[Copy]] = {}
    for place, first in enumerate(places):
        if first != place:
            candidate = candidates[place]
            copy = Copy(candidate.collection, candidate.uri, candidate.lines.first)
            repeats.setdefault(candidates[first].key, []).append(copy)
    kept = [candidates[place] for place, first in enumerate(places) if first == place]
    kept = [candidate._replace(copies=(*candidate.copies, *repeats.get(candidate.key, ()))) for candidate in kept]
    search.notes["dropped"] = len(places) - len(kept)
    return noted([*kept, *candidates[len(places) :]], stage, _details(repeats))


def _details(repeats: Mapping[ChunkKey, Sequence[Copy]]) -> dict[ChunkKey, str]:
    return {
        key: f"stands for {', '.join(f'{copy.uri}:{copy.line}' for copy in copies[:_NAMED])}"
        + (f" and {len(copies) - _NAMED} more" * (len(copies) > _NAMED))
        for key, copies in repeats.items()
    }
