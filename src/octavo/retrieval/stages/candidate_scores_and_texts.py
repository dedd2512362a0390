"""Score baselines, score steps for the trace, and texts of candidates, which several refinements need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.search_result import Candidate, ScoreStep
from octavo.retrieval.stage import Search

_score = attrgetter("score")


def ground(candidates: Sequence[Candidate]) -> float:
    """What a score is measured from: zero, or the lowest score where a fusion by z-scores goes below it."""
    return min(0.0, min(map(_score, candidates), default=0.0))


def shares(candidates: Sequence[Candidate], first: int | None = None) -> list[float]:
    """Each score as a share of the best, between 0 and 1, both measured from the ground.

    Best and ground are those of the `first` candidates, or of all.
    """
    if not candidates:
        return []
    known = candidates[:first]
    low = ground(known)
    height = max(map(_score, known)) - low
    return [max(0.0, (score - low) / height) if height > 0 else 1.0 for score in map(_score, candidates)]


def channel_score(candidate: Candidate, channel: str) -> float:
    """What a channel gave a candidate; 0 where it did not find it."""
    for step in candidate.steps:
        if step.stage == channel:
            return step.score
    return 0.0


def subject_of(candidate: Candidate) -> tuple[DocumentId, int]:
    """The document or, in code, the declaration: a file has many, each about something else."""
    return candidate.document_id, candidate.section if candidate.kind is Kind.CODE else 0


def given_title(candidate: Candidate) -> str:
    """The title of its document, unless that is the name of the file."""
    return "" if candidate.uri.rpartition("/")[2].startswith(candidate.title) else candidate.title


def noted(candidates: Sequence[Candidate], stage: str, details: Mapping[ChunkKey, str]) -> tuple[Candidate, ...]:
    """The candidates, those with a detail carrying a step with their score and place as they now are."""
    if not details:
        return tuple(candidates)
    return tuple(
        candidate.with_steps((*candidate.steps, ScoreStep(stage, candidate.score, rank, details[candidate.key])))
        if candidate.key in details
        else candidate
        for rank, candidate in enumerate(candidates, 1)
    )


def texts_of(search: Search, candidates: Sequence[Candidate]) -> list[str]:
    """The exact slices, in the order of the candidates."""
    texts = search.library.texts(candidate.text_hash for candidate in candidates)
    return [candidate.span.of(texts[candidate.text_hash]) for candidate in candidates]
