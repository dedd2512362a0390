"""As many hits as fit the length that was asked for, and a cursor to the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_LINES
from octavo.fast_dataclass import replace
from octavo.model.search_result import Result, StageTrace
from octavo.operations.argument_types import DEFAULT_TOKENS
from octavo.operations.search.rendering import hit_lines, search_lines, search_model_lines
from octavo.operations.search.results import FoundHit, SearchAnswer, found_hit, without_hits
from octavo.operations.styled_answer_lines import lines, written
from octavo.operations.token_counts_and_page_cursor import (
    BYTES_PER_TOKEN,
    cursor,
    data_size,
    json_size,
    offset_of,
    size,
    text_room,
    within,
)

_LEAST_OF_HIT = 280  # bytes of text: its place and a line or two of its own
_LEAST_EXCERPT = 150  # characters of a hit that is cut because it is the last one
_UNUSED = 4  # of an answer's length a fourth may stay free rather than that the last hit is cut
_QUERY_SHARE = 8  # of an answer's length, the most that repeating the query may take


def fitting(result: Result, request: Any, *, explain: bool = False) -> SearchAnswer:
    """The hits from the request's cursor on that fit its `max_tokens`; at least one, cut if it must be.

    They fit both as JSON and as text, where somebody may read either, and else as the text for a model alone.
    """
    # A cursor is tied to the question, not to how much of the answer is read at a time.
    question = replace(request, cursor=None, max_tokens=DEFAULT_TOKENS)
    names = [hit.chunk_id for hit in result.hits]
    offset = offset_of(request.cursor, question, names=names)
    empty = replace(
        without_hits(result, explain=explain),
        next_cursor=cursor(len(names), question, last=max(names, key=len, default="")),
    )
    available = request.max_tokens * BYTES_PER_TOKEN
    if size(result.query) > available // _QUERY_SHARE:
        empty = replace(empty, query=None)  # its caller has it
    empty = replace(empty, trace=_within_half(empty.trace, available))
    if text_room() is not None and not explain:
        return _fitting_text(empty, result, question, names, offset)
    room = available - max(data_size(empty), _text_size(empty))
    hits = (found_hit(hit, result, explain=explain) for hit in result.hits[offset:])
    shown = tuple(within(hits, room, _size, _cut))
    left = room - sum(map(_size, shown))
    if offset + len(shown) < len(names) and left * _UNUSED > room:
        following = _cut(found_hit(result.hits[offset + len(shown)], result, explain=explain), left)
        shown += (following,) if len(following.excerpt) >= _LEAST_EXCERPT and _size(following) <= left else ()
    reached = offset + len(shown)
    more = cursor(reached, question, last=names[reached - 1]) if reached < len(names) else None
    return replace(empty, hits=shown, next_cursor=more)


def _fitting_text(
    empty: SearchAnswer, result: Result, question: Any, names: Sequence[str], offset: int
) -> SearchAnswer:
    """As many hits as the text has room for with a few lines of each."""
    most = text_room() or 0
    hits = tuple(found_hit(hit, result, explain=False) for hit in result.hits[offset : offset + most // _LEAST_OF_HIT])
    for count in range(len(hits), 0, -1):
        reached = offset + count
        more = cursor(reached, question, last=names[reached - 1]) if reached < len(names) else None
        answer = replace(empty, hits=hits[:count], next_cursor=more)
        text = written(search_model_lines(answer))
        if size(text) <= most and hits[count - 1].citation in text:
            return answer
    return replace(empty, hits=hits[:1], next_cursor=None)


def _within_half(trace: tuple[StageTrace, ...] | None, available: int) -> tuple[StageTrace, ...] | None:
    """The trace without stages that did nothing where it takes more than half of the answer, then without details."""
    if trace is None or _trace_size(trace) * 2 <= available:
        return trace
    ran = tuple(stage for stage in trace if stage.skipped is None)
    return ran if _trace_size(ran) * 2 <= available else tuple(replace(stage, detail={}) for stage in ran)


def _trace_size(trace: tuple[StageTrace, ...]) -> int:
    return sum(json_size(stage) for stage in trace)


def _text_size(empty: SearchAnswer) -> int:
    """Of everything but the hits; that there are some takes no longer to say than that there are none."""
    return size(written(search_lines(empty))) + size(QUOTED_LINES) + 1


def _size(hit: FoundHit) -> int:
    """In JSON a comma follows, in text an empty line."""
    return max(data_size(hit), size("\n".join(lines(hit_lines(hit, explain=True))))) + 2


def _cut(hit: FoundHit, room: int) -> FoundHit:
    """With as much of its excerpt as there is room for. Its span stays: it says where to read on."""
    length = len(hit.excerpt)
    while length and _size(hit) > room:
        length = max(0, min(length - 1, length * room // max(1, _size(hit))))
        hit = replace(hit, excerpt=hit.excerpt[:length], excerpt_truncated=True)
    return hit
