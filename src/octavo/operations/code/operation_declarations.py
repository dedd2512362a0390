"""Declares the operations on code: `search_code` and `augment`."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_CODE, Operation
from octavo.operations.search.operation_declarations import HITS

_code = partial(Operation, module="octavo.operations.code.code_search", tool_sets=IN_CODE)

CODE = (
    _code(
        name="search_code",
        summary="Find code by name, place, trace, message, pattern or meaning.",
        description=(
            "Find source code, configuration and the code blocks of notes. Ask with a symbol's name, a path with a "
            "line, a whole stack trace, an error message, a regular expression or a question."
        ),
        listing=HITS,
        examples=('octavo search-code "how are the exposures calibrated?" -n 3',),
        example={"query": "how are the exposures calibrated?", "max_results": 3},
        unlisted=("explain",),
    ),
    _code(
        name="augment",
        summary="Put the code that matters in front of a task.",
        description=(
            "For a small context window: the best passages of code for a task, quoted with their places and cut to "
            "fit, with the task below them. Without a match, the task alone."
        ),
        listing=Listing(
            rows="quotations", columns=("collection", "uri", "start_line", "end_line", "shown"), exact="text"
        ),
        example={"task": "Write the calibration of one more night.", "max_context_tokens": 300},
        typed="",
    ),
)
