"""Answers about queued jobs as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.jobs.answers import JobsAnswer, JobsCountAnswer
from octavo.operations.lines import Line, Part, columns, count

_STYLES = {"dead": "bad", "leased": "good", "done": "dim"}


def jobs_lines(answer: JobsAnswer) -> Iterator[Line]:
    rows = [
        (
            Part(str(job.job), "dim"),
            Part(job.kind),
            Part(job.state, _STYLES.get(job.state, "")),
            Part(count(job.attempts, "attempt")),
            Part(job.error, "warn"),
        )
        for job in answer.jobs
    ]
    yield from columns(rows) if rows else [(Part("No jobs."),)]


def jobs_retry_lines(answer: JobsCountAnswer) -> Iterator[Line]:
    yield (Part(f"{count(answer.jobs, 'job')} to be tried again"),)


def jobs_purge_lines(answer: JobsCountAnswer) -> Iterator[Line]:
    yield (Part(f"{count(answer.jobs, 'job')} deleted"),)
