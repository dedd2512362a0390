"""Orders equal scores by uri and position, because the order of keys depends on when files were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from octavo.retrieval.stage import Search, order_ties, place_of

if TYPE_CHECKING:
    from octavo.model.search_result import ScoredChunk

_FURTHER, _FURTHEST = 4, 64
"""The factor by which a channel is asked deeper while its last hits tie, and its limit."""
_score = attrgetter("score")


def by_place(search: Search, scored: tuple[ScoredChunk, ...]) -> tuple[ScoredChunk, ...]:
    """The same chunks, best first, equal ones by uri, start and collection."""
    if len({*map(_score, scored)}) == len(scored):
        return scored
    ordered = sorted(scored, key=_score, reverse=True)
    scores = list(map(_score, ordered))
    often = Counter(scores)
    known = search.library.candidates([chunk.key for chunk in ordered if often[chunk.score] > 1])

    def place(chunk: ScoredChunk) -> tuple[str, int, str]:
        return place_of(known[chunk.key]) if chunk.key in known else ("", 0, "")

    return tuple(order_ties(ordered, scores, place))


def best(
    search: Search, ask: Callable[[int], Sequence[ScoredChunk]], depth: int, spare: int = 1
) -> tuple[ScoredChunk, ...]:
    """The best `depth` of what a channel finds; of those that tie with the last, the first by their places.

    `spare` are asked for besides, so that a few that tie need no second question.
    """
    limit = depth + spare
    chunks = ask(limit)
    while len(chunks) >= limit and chunks[-1].score == chunks[depth - 1].score and limit < _FURTHEST * depth:
        limit *= _FURTHER
        chunks = ask(limit)
    # Whatever has less than the last of them has no place among them: nobody asks where it stands.
    least = chunks[min(depth, len(chunks)) - 1].score if chunks else 0.0
    return by_place(search, tuple(chunk for chunk in chunks if chunk.score >= least))[:depth]
