"""The operations on code: find it, and put it in front of a task."""

from __future__ import annotations

from octavo.operations.operation import IN_CODE, ErrorCase, Listing, Operation
from octavo.operations.search.rows import HITS

_AT = "octavo.operations.code"
_SEARCH = "octavo.operations.search"

CODE = (
    Operation(
        at=_AT,
        name="search_code",
        summary="Find code by name, place, trace, message, pattern or meaning.",
        description=(
            "Find source code, configuration and the code blocks of notes. Ask with a symbol's name, a path with a "
            "line, a whole stack trace, an error message, a regular expression or a question."
        ),
        function="search:search_code",
        request="SearchCodeRequest",
        answer=f"{_SEARCH}.answers:SearchAnswer",
        lines=f"{_SEARCH}.lines:search_lines",
        listing=HITS,
        command="search-code",
        examples=('octavo search-code "how are the exposures calibrated?" -n 3',),
        example={"query": "how are the exposures calibrated?", "max_results": 3},
        errors=(
            ErrorCase({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
            ErrorCase({"query": "dome", "max_results": 0}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_CODE,
        unlisted=("explain",),
    ),
    Operation(
        at=_AT,
        name="augment",
        summary="Put the code that matters in front of a task.",
        description=(
            "For a small context window: the best passages of code for a task, quoted with their places and cut to "
            "fit, with the task below them. Without a match, the task alone."
        ),
        function="augment:augment",
        request="AugmentRequest",
        answer="AugmentAnswer",
        lines="augment_lines",
        listing=Listing(
            rows="quotations", columns=("collection", "uri", "start_line", "end_line", "shown"), exact="text"
        ),
        example={"task": "Write the calibration of one more night.", "max_context_tokens": 300},
        errors=(
            ErrorCase({"task": "x", "collections": ["nowhere"]}, "NOT_FOUND"),
            ErrorCase({"task": "x", "max_context_tokens": 1}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_CODE,
    ),
)
