"""A token budget: as many hits as fit, and a cursor to the next."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence

from octavo.errors import NotFound
from octavo.fast_dataclass import dataclass
from octavo.model.query import Query
from octavo.model.search_result import Candidate, StageTrace
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import texts_of

_BYTES_PER_TOKEN = 4  # about right for English, code and JSON, and high for most other scripts
_NEXT = "next_cursor"


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Hits from the query's cursor on whose excerpts fit the query's budget, or else `tokens`; at least one.

    A cursor names the last candidate that was given: paging goes on behind it even when others came or went.
    """

    tokens: int | None = None
    name: str = "token_budget"

    @property
    def cuts_list(self) -> bool:
        return True

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        query = search.query
        room = self.tokens if query.budget is None else query.budget
        if room is None and query.cursor is None:
            raise SkipStage("the query has no budget")
        start = _after(query, candidates)
        page = candidates[start : start + query.limit]
        if room is not None:
            page = page[: _fitting(search, page, room)]
        reached = start + len(page)
        if page and reached < len(candidates):
            search.notes[_NEXT] = _cursor(query, reached, page[-1])
        return page


def check_cursor(query: Query) -> None:
    """Refuses a cursor that another question gave. A stage cannot: what fails in it does not stop the search."""
    _after(query, ())


def next_cursor(trace: Sequence[StageTrace]) -> str | None:
    """Where the answer goes on, as the trace recorded it; None when everything was given."""
    return next((str(entry.detail[_NEXT]) for entry in reversed(trace) if _NEXT in entry.detail), None)


def _fitting(search: Search, page: Sequence[Candidate], room: int) -> int:
    """How many of the page fit, and one in any case."""
    cut = search.query.max_excerpt_chars
    left = room * _BYTES_PER_TOKEN
    for place, text in enumerate(texts_of(search, page)):
        left -= len(text[:cut].encode("utf-8", "surrogatepass"))
        if left < 0:
            return max(1, place)
    return len(page)


def _cursor(query: Query, reached: int, last: Candidate) -> str:
    return base64.urlsafe_b64encode(f"{_digest(query)}:{reached}:{last.chunk_id}".encode()).decode().rstrip("=")


def _after(query: Query, candidates: Sequence[Candidate]) -> int:
    """Where the query's cursor points: behind the candidate it names, or as far down as that one was."""
    if query.cursor is None:
        return 0
    try:
        plain = base64.urlsafe_b64decode(query.cursor.encode() + b"=" * (-len(query.cursor) % 4)).decode()
        digest, reached, last = plain.split(":", 2)
        start = int(reached)
    except (ValueError, binascii.Error):
        digest, start, last = "", 0, ""
    if digest != _digest(query):
        raise NotFound(
            "this cursor does not belong to this query", hint="repeat the query that gave it, or leave the cursor out"
        )
    return next((place for place, candidate in enumerate(candidates, 1) if candidate.chunk_id == last), start)


def _digest(query: Query) -> str:
    """What a cursor is tied to: the question, not how much of the answer is read at a time."""
    described = repr((query.text, query.terms, query.filters, query.variants, query.hypothesis))
    return hashlib.sha256(described.encode("utf-8", "surrogatepass")).hexdigest()[:8]
