"""The operations on the log of queries."""

from __future__ import annotations

from octavo.operations.operation import WRITES, ErrorCase, Listing, Operation

_AT = "octavo.operations.queries"

QUERIES = (
    Operation(
        at=_AT,
        name="queries_list",
        summary="List what was asked, newest first, with what was opened.",
        description="The log of queries, where log.queries is on.",
        function="queries:queries_list",
        request="QueriesListRequest",
        answer="QueriesAnswer",
        lines="queries_lines",
        listing=Listing(rows="queries", columns=("at", "query", "profile", "shown", "opened")),
        command="queries list",
        examples=("octavo queries list -n 5",),
        example={"limit": 5},
        errors=(ErrorCase({"limit": 0}, "INVALID_ARGUMENT"),),
        remote=False,
    ),
    Operation(
        at=_AT,
        name="queries_clear",
        summary="Forget what was asked.",
        description="Empty the log of queries.",
        function="queries:queries_clear",
        request="QueriesClearRequest",
        answer="QueriesCleared",
        lines="queries_cleared_lines",
        listing=Listing(columns=("queries",), confirms=True),
        command="queries clear",
        shortcuts=("log clear",),
        examples=("octavo queries clear --before 30d",),
        example={"before": "30d"},
        errors=(ErrorCase({"before": "nonsense"}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
        remote=False,
    ),
)
