"""Queued work: list it, try it again, delete it, or do it now."""

from __future__ import annotations

import threading

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.indexing.full_vector_upgrade import embed_newest_within
from octavo.engine.processes.job_threads import AFTER_TROUBLE, run_due_everywhere
from octavo.errors import NotFound, OctavoError
from octavo.fast_dataclass import Value
from octavo.jobs.lease_holder_process import holder_name
from octavo.jobs.worker import Round
from octavo.model.job import JobId, JobKind, JobState
from octavo.operations.answer_conversion import filled
from octavo.operations.jobs.requests import JobsListRequest, JobsPurgeRequest, JobsRetryRequest
from octavo.operations.memory.named_memory_lookup import instant
from octavo.operations.memory.results import when
from octavo.services.json_client import asked_once


class QueuedJob(Value):
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


class JobsAnswer(Value):
    jobs: tuple[QueuedJob, ...]


class JobsCountAnswer(Value):
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


A_FEW = 16  # inputs whose vectors a command computes before it ends: about a second
A_MOMENT = 0.5  # seconds of computing others


def work(
    engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True, name: str = ""
) -> Round:
    """Does queued jobs until none is due, or until `stop` is set. `name` is what leases name, beside the process."""
    return engine.job_worker(_thread_name(name), settings).run(stop or threading.Event(), until_idle=until_idle)


def work_everywhere(
    engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True, name: str = ""
) -> Round:
    """Does the queued jobs of every project of the library, those made meanwhile too."""
    stop, total, pace = stop or threading.Event(), Round(), settings
    name = _thread_name(name)
    while not stop.is_set():
        done, held_up = run_due_everywhere(engine, name, pace, stop)
        total += done
        if not done.claimed:
            if until_idle:
                break
            engine.store.wait_for_work(stop, AFTER_TROUBLE if held_up else pace.poll_seconds)
    return total


def _thread_name(name: str) -> str:
    """No two threads have the same, whatever the workers are called: a lease is held by one."""
    return holder_name(f"{name or 'worker'}:{threading.get_ident()}")


def work_shortly(engine: Engine, settings: Jobs) -> str:
    """What a command that wrote a memory does before it ends: all that is queued where that takes a moment; why not,
    if it could not.

    A library that is still being embedded, or has something long to do, keeps nobody waiting: then only what was just
    written is given its vectors, and the rest is left to a worker. So is all of it where a service does not answer.
    """
    project, outbox = engine.project.id, engine.store.outbox
    little = all(job.kind is JobKind.EMBED for job in outbox.jobs(project, [JobState.READY]))
    try:
        with asked_once():
            engine.follow_active_profile()
            little = little and not engine.store.embeddings.postponed(project, 0, 1)
            if little and len(engine.store.embeddings.pending(project, engine.embedder.profile)) <= A_FEW:
                done = work(engine, settings)
                return _failure(engine) if done.failed or done.dead else ""
            embed_newest_within(engine.library, A_MOMENT)
    except OctavoError as error:
        return error.message
    return ""


def _failure(engine: Engine) -> str:
    failed = engine.store.outbox.jobs(engine.project.id, [JobState.READY, JobState.DEAD])
    return next((job.error for job in reversed(failed) if job.error), "")
