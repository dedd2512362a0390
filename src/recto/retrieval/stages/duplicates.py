"""De-duplication: of candidates that say the same, the best stays and says for whom it stands.

Each stage looks at the first `among` candidates; what comes after them is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.algorithms.likeness import jaccards, kept_first, minhash_jaccards, shingles
from recto.model.ids import ChunkKey
from recto.model.result import Candidate
from recto.retrieval.stage import Search, SkipStage
from recto.retrieval.stages.steps import noted, texts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAMED = 3  # of those a candidate stands for; the others are counted


@dataclass(frozen=True, slots=True)
class ExactDuplicates:
    """The same text, blanks around it aside."""

    among: int = 100
    name: str = "exact_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
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
            raise SkipStage("rensa is not installed: `pip install 'recto[minhash]'`") from None
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


def cosines_between(search: Search, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
    """The cosine of every two candidates' vectors; 0 where one has none. Skips the stage where none has."""
    import numpy as np

    vectors = search.library.vectors().vectors_of([one.key for one in candidates])
    if not vectors:
        raise SkipStage("no candidate has a vector")
    nothing = np.zeros_like(next(iter(vectors.values())))
    matrix = np.stack([vectors.get(one.key, nothing) for one in candidates])
    cosines: NDArray[np.float32] = matrix @ matrix.T
    return cosines


def _kept(
    search: Search, candidates: tuple[Candidate, ...], places: Sequence[int], stage: str
) -> tuple[Candidate, ...]:
    """Those at their own place, in order; `places` covers the first candidates, the rest stays."""
    repeats: dict[ChunkKey, list[str]] = {}
    for place, first in enumerate(places):
        if first != place:
            one = candidates[place]
            repeats.setdefault(candidates[first].key, []).append(f"{one.uri}:{one.lines.first}")
    kept = [candidates[place] for place, first in enumerate(places) if first == place]
    search.notes["dropped"] = len(places) - len(kept)
    return noted([*kept, *candidates[len(places) :]], stage, _details(repeats))


def _details(repeats: Mapping[ChunkKey, Sequence[str]]) -> dict[ChunkKey, str]:
    return {
        key: f"stands for {', '.join(those[:_NAMED])}" + (f" and {len(those) - _NAMED} more" * (len(those) > _NAMED))
        for key, those in repeats.items()
    }
