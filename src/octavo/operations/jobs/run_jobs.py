"""Doing queued work in this process: of one project, of all, or the little that a command has time for."""

from __future__ import annotations

import threading

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.indexing.full_vector_upgrade import embed_newest_within
from octavo.engine.processes.job_threads import AFTER_TROUBLE, run_due_everywhere
from octavo.errors import OctavoError
from octavo.jobs.lease_holder_process import holder_name
from octavo.jobs.worker import Round
from octavo.model.job import JobKind, JobState
from octavo.services.json_client import asked_once

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
