"""Declares the operations on the log of queries."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_queries = partial(Operation, module="octavo.operations.query_log.query_logging_and_listing", remote=False)

QUERIES = (
    _queries(
        name="queries_list",
        summary="List what was asked, newest first, with what was opened.",
        description="The log of queries, where log.queries is on.",
        listing=Listing(rows="queries", columns=("at", "query", "profile", "shown", "opened")),
        examples=("octavo queries list -n 5",),
        example={"limit": 5},
    ),
    _queries(
        name="queries_clear",
        summary="Forget what was asked.",
        description="Empty the log of queries.",
        listing=Listing(columns=("queries",), confirms=True, shown=("Forgot {queries:query/queries}.",)),
        examples=("octavo queries clear --before 30d",),
        example={"before": "30d"},
        annotations=WRITES,
    ),
)
