"""Doing queued work in this process: of one project, of all, or the little that a command has time for."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import asdict

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.full_vectors import embed_newest
from octavo.engine.job_threads import AFTER_TROUBLE, run_due_everywhere
from octavo.errors import OctavoError
from octavo.jobs.worker import Pace, Round
from octavo.model.job import JobKind, JobState
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress

_A_MOMENT = 128  # inputs whose vectors a command computes before it ends: about a second


def work(engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True) -> Round:
    """Does queued jobs until none is due, or until `stop` is set."""
    name = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    return engine.job_worker(name, Pace(**asdict(settings))).run(stop or threading.Event(), until_idle=until_idle)


def work_everywhere(
    engine: Engine, settings: Jobs, stop: threading.Event | None = None, *, until_idle: bool = True
) -> Round:
    """Does the queued jobs of every project of the library, those made meanwhile too."""
    stop, total, pace = stop or threading.Event(), Round(), Pace(**asdict(settings))
    name = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    while not stop.is_set():
        done, held_up = run_due_everywhere(engine, name, pace, stop)
        total += done
        if not done.claimed:
            if until_idle:
                break
            engine.store.wait_for_work(stop, AFTER_TROUBLE if held_up else pace.poll_seconds)
    return total


def work_shortly(engine: Engine, settings: Jobs) -> None:
    """What a command that wrote a memory does before it ends: all that is queued where that takes a moment.

    A library that is still being embedded, or has something long to do, keeps nobody waiting: then only what was just
    written is given its vectors, and the rest is left to a worker.
    """
    project, outbox = engine.project.id, engine.store.outbox
    little = all(job.kind is JobKind.EMBED for job in outbox.jobs(project, [JobState.READY]))
    try:
        engine.follow_active_profile()
        little = little and not engine.store.embeddings.postponed(project, 0, 1)
        if little and len(engine.store.embeddings.pending(project, engine.embedder.profile)) <= _A_MOMENT:
            work(engine, settings)
        else:
            embed_newest(engine.library, _A_MOMENT, NoProgress())
    except OctavoError as error:
        logger("jobs").warning("the rest is left to a worker: %s", error.message)
