"""Moves near-copies of a better passage to the end of the list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from octavo.algorithms.text.word_shingles import jaccard, shingles
from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import channel_score, noted, texts_of
from octavo.retrieval.stages.exact_duplicate_removal import title_above

_AS_LONG = 0.85
"""The least ratio of two lengths: texts that differ more in length share too little to be near-copies."""
_SAME_WORDS = 0.75
"""Of the threshold: texts with fewer words in common have fewer runs of them, and words are had for less."""
_AS_NEAR = 0.05
"""The most by which the cosines of two near-copies differ."""


@dataclass(frozen=True, slots=True)
class NearCopies:
    """Of the first `among` candidates, those that share `threshold` of their runs of words with a better one go last.

    They keep their order and get the scores of the ranks they move to. Texts are compared only where lengths, lexical
    scores, cosines and then words nearly agree, so a list without near-copies costs little.
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
        moved = [candidate.scored(place.score) for candidate, place in zip([*others, *copies], looked_at, strict=True)]
        search.notes["near_copies"] = len(copies)
        return noted((*moved, *candidates[self.among :]), self.name, repeated)

    def _repeated(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, str]:
        pairs = _comparable(candidates)
        if not pairs:
            return {}
        texts = texts_of(search, candidates)

        @cache
        def words(place: int) -> frozenset[str]:
            return frozenset(texts[place].split())

        @cache
        def pieces(place: int) -> frozenset[str]:
            return shingles(texts[place], self.size)

        details: dict[ChunkKey, str] = {}
        for first, second in pairs:
            better, other = candidates[first], candidates[second]
            if better.key in details or other.key in details or title_above(better) != title_above(other):
                continue
            if jaccard(words(first), words(second)) < _SAME_WORDS * self.threshold:
                continue
            if jaccard(pieces(first), pieces(second)) >= self.threshold:
                details[other.key] = f"nearly repeats {better.uri}:{better.lines.first}"
        return details


def _comparable(candidates: Sequence[Candidate]) -> list[tuple[int, int]]:
    """The places of those that may be near-copies, the better one first."""
    known = sorted(
        (
            candidate.span.end - candidate.span.start,
            place,
            channel_score(candidate, "lexical"),
            channel_score(candidate, "dense"),
        )
        for place, candidate in enumerate(candidates)
    )
    pairs = []
    for at, (longer, place, lexical, cosine) in enumerate(known):
        for shorter, other, by_words, by_meaning in reversed(known[:at]):
            if shorter < _AS_LONG * longer:
                break  # and so are the others
            if not _AS_LONG * lexical <= by_words <= lexical / _AS_LONG:
                continue
            if cosine == 0.0 or by_meaning == 0.0 or abs(cosine - by_meaning) <= _AS_NEAR:
                pairs.append((min(place, other), max(place, other)))
    return sorted(pairs, key=lambda pair: (pair[1], pair[0]))
