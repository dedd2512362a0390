"""Declares the operations on queued jobs, for whoever runs the library on its machine."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_queue = partial(Operation, module="octavo.operations.jobs.list_retry_and_run_jobs", remote=False)

JOBS = (
    _queue(
        name="jobs_list",
        summary="List queued jobs, oldest first.",
        description="Jobs that wait, run, are done or were given up, and why.",
        listing=Listing(
            rows="jobs",
            columns=("job", "kind", "state", "attempts", "created_at", "run_after", "error"),
            shown=("{job}|dim", "{kind}", "{state}|state", "{attempts:attempt}", "{error}|warn"),
        ),
        examples=("octavo jobs list --state dead",),
        example={"states": ["ready"]},
    ),
    _queue(
        name="jobs_retry",
        summary="Try jobs again now: the numbered ones, or all that were given up.",
        description="Make jobs due now.",
        listing=Listing(columns=("jobs",), confirms=True, shown=("{jobs:job} to be tried again",)),
        examples=("octavo jobs retry",),
        annotations=WRITES,
    ),
    _queue(
        name="jobs_purge",
        summary="Delete jobs that have ended.",
        description="Delete jobs that are done, or were given up.",
        listing=Listing(columns=("jobs",), confirms=True, shown=("{jobs:job} deleted",)),
        examples=("octavo jobs purge --before 7d",),
        example={"before": "7d"},
        annotations=WRITES,
    ),
)
