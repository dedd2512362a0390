"""The training example of a reranker: a question, the passages that a search found for it, and which of them answer."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question with the passages that the search found for it, best first, and the score of each. `answers` are the
    places of those that answer; none where the search did not find it."""

    query: str
    passages: tuple[str, ...]
    scores: tuple[float, ...]
    answers: frozenset[int]
