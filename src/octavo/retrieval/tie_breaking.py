"""Orders equal scores of a channel by uri and position, because the order of keys depends on when files were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.model.result import ScoredChunk
    from octavo.retrieval.stage import Search

_FURTHER, _FURTHEST = 4, 64
"""The factor by which a channel is asked deeper while its last hits tie, and its limit."""


def by_place(search: Search, scored: tuple[ScoredChunk, ...]) -> tuple[ScoredChunk, ...]:
    """The same chunks, best first, equal ones by uri, start and collection."""
    if len({chunk.score for chunk in scored}) == len(scored):
        return scored
    tied = {chunk.key for pair in pairwise(scored) if pair[0].score == pair[1].score for chunk in pair}
    known = search.library.candidates([chunk.key for chunk in scored if chunk.key in tied])

    def place(chunk: ScoredChunk) -> tuple[float, str, int, str]:
        candidate = known.get(chunk.key)
        return (
            (-chunk.score, candidate.uri, candidate.span.start, candidate.collection)
            if candidate
            else (-chunk.score, "", 0, "")
        )

    return tuple(sorted(scored, key=place))


def best(search: Search, ask: Callable[[int], Sequence[ScoredChunk]], depth: int) -> tuple[ScoredChunk, ...]:
    """The best `depth` of what a channel finds; of those that tie with the last, the first by their places."""
    limit = depth + 1
    chunks = ask(limit)
    while len(chunks) >= limit and chunks[-1].score == chunks[depth - 1].score and limit < _FURTHEST * depth:
        limit *= _FURTHER
        chunks = ask(limit)
    return by_place(search, tuple(chunks))[:depth]
