"""The operations on queued jobs, for whoever runs the library on its machine."""

from __future__ import annotations

from octavo.operations.operation import WRITES, ErrorCase, Listing, Operation

_AT = "octavo.operations.jobs"

JOBS = (
    Operation(
        at=_AT,
        name="jobs_list",
        summary="List queued jobs, oldest first.",
        description="Jobs that wait, run, are done or were given up, and why.",
        function="queue:jobs_list",
        request="JobsListRequest",
        answer="JobsAnswer",
        lines="jobs_lines",
        listing=Listing(rows="jobs", columns=("job", "kind", "state", "attempts", "created_at", "run_after", "error")),
        command="jobs list",
        examples=("octavo jobs list --state dead",),
        example={"states": ["ready"]},
        errors=(ErrorCase({"states": ["nonsense"]}, "INVALID_ARGUMENT"),),
        remote=False,
    ),
    Operation(
        at=_AT,
        name="jobs_retry",
        summary="Try jobs again now: the numbered ones, or all that were given up.",
        description="Make jobs due now.",
        function="queue:jobs_retry",
        request="JobsRetryRequest",
        answer="JobsCountAnswer",
        lines="retried_lines",
        listing=Listing(columns=("jobs",), confirms=True),
        command="jobs retry",
        examples=("octavo jobs retry",),
        example={},
        errors=(ErrorCase({"numbers": [999_999]}, "NOT_FOUND"),),
        annotations=WRITES,
        remote=False,
    ),
    Operation(
        at=_AT,
        name="jobs_purge",
        summary="Delete jobs that have ended.",
        description="Delete jobs that are done, or were given up.",
        function="queue:jobs_purge",
        request="JobsPurgeRequest",
        answer="JobsCountAnswer",
        lines="purged_lines",
        listing=Listing(columns=("jobs",), confirms=True),
        command="jobs purge",
        examples=("octavo jobs purge --before 7d",),
        example={"before": "7d"},
        errors=(ErrorCase({"states": ["ready"]}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
        remote=False,
    ),
)
