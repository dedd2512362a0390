"""What refinements share: where scores stand in their list, what candidates say, and writing down what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recto.model.ids import ChunkKey
from recto.model.result import Candidate, ScoreStep
from recto.retrieval.stage import Search


def ground(candidates: Sequence[Candidate]) -> float:
    """What a score is measured from: zero, or the lowest score where a fusion by z-scores goes below it."""
    return min((0.0, *(one.score for one in candidates)))


def shares(candidates: Sequence[Candidate]) -> list[float]:
    """Each score as a share of the best, between 0 and 1, both measured from the ground."""
    if not candidates:
        return []
    low = ground(candidates)
    height = max(one.score for one in candidates) - low
    return [(one.score - low) / height if height > 0 else 1.0 for one in candidates]


def noted(candidates: Sequence[Candidate], stage: str, details: Mapping[ChunkKey, str]) -> tuple[Candidate, ...]:
    """The candidates, those with a detail carrying a step with their score and place as they now are."""
    return tuple(
        one.scored(one.score, (*one.steps, ScoreStep(stage, one.score, rank, details[one.key])))
        if one.key in details
        else one
        for rank, one in enumerate(candidates, 1)
    )


def texts_of(search: Search, candidates: Sequence[Candidate]) -> list[str]:
    """The exact slices, in the order of the candidates."""
    library = search.library
    texts = library.store.documents.texts(library.project, {one.text_hash for one in candidates})
    return [one.span.of(texts[one.text_hash]) for one in candidates]
