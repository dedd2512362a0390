"""Near-copies: a passage that repeats a better one but for a few words goes behind all that says something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from octavo.algorithms.shingles import jaccard, shingles
from octavo.model.ids import ChunkKey
from octavo.model.result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.steps import noted, texts_of

_AS_LONG = 0.8
"""The least ratio of two lengths: texts that differ more in length share too little to be near-copies."""


@dataclass(frozen=True, slots=True)
class NearCopies:
    """Of the first `among` candidates, those that share `threshold` of their runs of words with a better one go last.

    They keep their order, and take over the scores of the places they take. Texts are compared only where their lengths
    and their lexical scores nearly agree, so a list without near-copies costs nothing.
    """

    threshold: float = 0.9
    size: int = 3
    among: int = 20
    name: str = "near_copies"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if search.query.terms.empty and search.narrowed:
            raise SkipStage("the query lists documents")
        looked_at = candidates[: self.among]
        repeated = self._repeated(search, looked_at)
        if not repeated:
            raise SkipStage("no passage nearly repeats a better one")
        others = [candidate for candidate in looked_at if candidate.key not in repeated]
        copies = [candidate for candidate in looked_at if candidate.key in repeated]
        moved = [one.scored(place.score) for one, place in zip([*others, *copies], looked_at, strict=True)]
        search.notes["near_copies"] = len(copies)
        return noted((*moved, *candidates[self.among :]), self.name, repeated)

    def _repeated(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, str]:
        pairs = [
            (first, second)
            for second in range(len(candidates))
            for first in range(second)
            if _comparable(candidates[first], candidates[second])
        ]
        if not pairs:
            return {}
        texts = texts_of(search, candidates)

        @cache
        def pieces(place: int) -> frozenset[str]:
            return shingles(texts[place], self.size)

        found: dict[ChunkKey, str] = {}
        for first, second in pairs:
            better, other = candidates[first], candidates[second]
            if better.key in found or other.key in found:
                continue
            if jaccard(pieces(first), pieces(second)) >= self.threshold:
                found[other.key] = f"nearly repeats {better.uri}:{better.lines.first}"
        return found


def _comparable(one: Candidate, other: Candidate) -> bool:
    short, long = sorted((one.span.end - one.span.start, other.span.end - other.span.start))
    if short < _AS_LONG * long:
        return False
    weak, strong = sorted((_lexical(one), _lexical(other)))
    return weak >= _AS_LONG * strong


def _lexical(candidate: Candidate) -> float:
    return next((step.score for step in candidate.steps if step.stage == "lexical"), 0.0)
