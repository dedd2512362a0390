"""The queue of jobs: look at it, try jobs again, delete those that have ended."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import dataclass
from octavo.model.job import JobId, JobState
from octavo.operations.jobs.requests import JobsListRequest, JobsPurgeRequest, JobsRetryRequest
from octavo.operations.memory.named_memory_lookup import instant
from octavo.operations.memory.results import when
from octavo.operations.same_named_fields import filled


@dataclass(frozen=True, slots=True)
class QueuedJob:
    job: int
    kind: str
    state: str
    attempts: int
    created_at: str
    run_after: str
    error: str
    worker: str | None = None
    lease_expires_at: str | None = None
    finished_at: str | None = None


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    jobs: tuple[QueuedJob, ...]


@dataclass(frozen=True, slots=True)
class JobsCountAnswer:
    """How many jobs were due again, or deleted."""

    jobs: int


def jobs_list(engine: Engine, request: JobsListRequest) -> JobsAnswer:
    """Oldest first."""
    jobs = engine.store.outbox.jobs(engine.project.id, [JobState(name) for name in request.states])
    return JobsAnswer(
        tuple(filled(QueuedJob, job, job=job.id, worker=job.locked_by or None, written=when) for job in jobs)
    )


def jobs_retry(engine: Engine, request: JobsRetryRequest) -> JobsCountAnswer:
    """Makes the numbered jobs, or without numbers all dead ones, due now."""
    outbox = engine.store.outbox
    numbers = [JobId(number) for number in request.numbers]
    numbers = numbers or [job.id for job in outbox.jobs(engine.project.id, [JobState.DEAD])]
    with engine.store.transaction():
        retried = outbox.retry(engine.project.id, numbers)
    if request.numbers and retried < len(set(numbers)):
        raise NotFound("not every job could be tried again", hint="`octavo jobs list` shows what waits or is dead")
    return JobsCountAnswer(retried)


def jobs_purge(engine: Engine, request: JobsPurgeRequest) -> JobsCountAnswer:
    """Deletes jobs that have ended: done ones unless said otherwise."""
    chosen = [JobState(name) for name in request.states] or [JobState.DONE]
    limit = instant(engine, request.before)
    before = engine.memories.clock() + 1 if limit is None else limit
    with engine.store.transaction():
        return JobsCountAnswer(engine.store.outbox.purge(engine.project.id, chosen, before))
