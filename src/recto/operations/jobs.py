"""Promised work: look at it, try it again, clear it away, do it."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import asdict, dataclass
from typing import Annotated

from recto.config.schema import Jobs
from recto.engine.engine import Engine
from recto.engine.upgrading import embed_newest
from recto.engine.working import AFTER_TROUBLE, done_everywhere
from recto.errors import InvalidArgument, NotFound, RectoError
from recto.jobs.worker import Pace, Round
from recto.model.job import Job, JobId, JobKind, JobState
from recto.model.limits import Field
from recto.observability.logs import logger
from recto.observability.progress import NoProgress
from recto.operations.memories import instant, when

_STATES = [state.value for state in JobState]
_ENDED = (JobState.DONE, JobState.DEAD)
_A_MOMENT = 128  # inputs whose vectors a command computes before it ends: about a second


@dataclass(frozen=True, slots=True)
class JobsListRequest:
    states: Annotated[tuple[str, ...], Field(max_length=4, description="Only in these states.")] = ()


@dataclass(frozen=True, slots=True)
class PromisedJob:
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
    jobs: tuple[PromisedJob, ...]


def jobs_list(engine: Engine, request: JobsListRequest) -> JobsAnswer:
    found = engine.store.outbox.jobs(engine.project.id, [_state(name) for name in request.states])
    return JobsAnswer(tuple(_shown(job) for job in found))


def jobs_retry(engine: Engine, numbers: tuple[int, ...]) -> int:
    """Makes the numbered jobs, or without numbers all dead ones, due now; how many there were."""
    outbox = engine.store.outbox
    wanted = [JobId(one) for one in numbers] or [job.id for job in outbox.jobs(engine.project.id, [JobState.DEAD])]
    with engine.store.transaction():
        found = outbox.retry(engine.project.id, wanted)
    if numbers and found < len(set(numbers)):
        raise NotFound("not every job could be tried again", hint="`recto jobs list` shows what waits or is dead")
    return found


def jobs_purge(engine: Engine, states: tuple[str, ...] = (), before: str | None = None) -> int:
    """Deletes jobs that have ended: done ones unless said otherwise; how many there were."""
    chosen = [_state(name) for name in states] or [JobState.DONE]
    if not set(chosen) <= set(_ENDED):
        raise InvalidArgument("only jobs that are done or dead can be purged")
    limit = instant(engine, before)
    with engine.store.transaction():
        return engine.store.outbox.purge(engine.project.id, chosen, engine.desk.clock() + 1 if limit is None else limit)


def work(engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True) -> Round:
    """Does promised work until nothing is due, or until told to stop."""
    name = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    return engine.worker(name, Pace(**asdict(settings))).run(stop or threading.Event(), until_idle=until_idle)


def work_everywhere(
    engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True
) -> Round:
    """Does the promised work of every project of the library, those made meanwhile too."""
    stop, total, pace = stop or threading.Event(), Round(), Pace(**asdict(settings))
    name = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    while not stop.is_set():
        done, held_up = done_everywhere(engine, name, pace, stop)
        total += done
        if not done.claimed:
            if until_idle:
                break
            engine.store.wait_for_work(stop, AFTER_TROUBLE if held_up else pace.poll_seconds)
    return total


def work_shortly(engine: Engine, settings: Jobs) -> None:
    """What a command that wrote a memory does before it ends: all that is promised where that takes a moment.

    A library that is still being embedded, or has something long to do, keeps nobody waiting: then only what was just
    written is given its vectors, and the rest is left to a worker.
    """
    project, outbox = engine.project.id, engine.store.outbox
    little = all(job.kind is JobKind.EMBED for job in outbox.jobs(project, [JobState.READY]))
    try:
        engine.follow_profile()
        little = little and not engine.store.embeddings.postponed(project, 0, 1)
        if little and len(engine.store.embeddings.pending(project, engine.embedder.profile)) <= _A_MOMENT:
            work(engine, settings)
        else:
            embed_newest(engine, _A_MOMENT, NoProgress())
    except RectoError as error:
        logger("jobs").warning("the rest is left to a worker: %s", error.message)


def _state(name: str) -> JobState:
    try:
        return JobState(name)
    except ValueError:
        raise InvalidArgument(f"no job is ever {name}", hint=f"choose one of: {', '.join(_STATES)}") from None


def _shown(job: Job) -> PromisedJob:
    return PromisedJob(
        job=job.id,
        kind=job.kind.value,
        state=job.state.value,
        attempts=job.attempts,
        created_at=when(job.created_at),
        run_after=when(job.run_after),
        error=job.error,
        worker=job.locked_by or None,
        lease_expires_at=None if job.lease_expires_at is None else when(job.lease_expires_at),
        finished_at=None if job.finished_at is None else when(job.finished_at),
    )
