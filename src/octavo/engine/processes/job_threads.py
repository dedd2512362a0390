"""Jobs done by threads of a server, while it answers: it needs no worker process."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Protocol

from octavo.config.schema import Jobs
from octavo.errors import OctavoError
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.jobs.follow_up_job_queueing import queue_snapshot
from octavo.jobs.lease_holder_process import holder_name
from octavo.jobs.worker import JobWorker, Round, jobs_due
from octavo.model.job import REBUILD
from octavo.observability.logs import logger
from octavo.sql_repositories.store import Store

AFTER_TROUBLE = 5.0
"""Seconds before a worker that met something unexpected goes on."""


class ProjectJobs(Protocol):
    """A library as one project sees it, in which jobs can be done."""

    @property
    def accelerator(self) -> Accelerator | None: ...

    def job_worker(self, name: str, settings: Jobs) -> JobWorker: ...


class AllProjects(Protocol):
    """A library that can be seen from each of its projects. An engine is one."""

    @property
    def store(self) -> Store: ...

    def within(self, project: str) -> ProjectJobs: ...


class JobThreads:
    """Threads that do jobs as they come. What they cannot do waits for another process, under its own lease."""

    def __init__(self, engine: AllProjects) -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def active(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def start(self, settings: Jobs, threads: int = 1) -> None:
        """Begins, once; a second start changes nothing."""
        if self._threads:
            return
        for number in range(threads):
            thread = threading.Thread(
                target=self._work, args=(settings, number), name=f"octavo-work-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout: float) -> bool:
        """Asks the threads to stop after the job they are at; whether they did in time."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout)
        return not self.active

    def _work(self, settings: Jobs, number: int) -> None:
        name = holder_name(f"server:{number}")
        if number == 0:
            self._recover()
        while not self._stop.is_set():
            try:
                done, waiting = run_due_everywhere(self._engine, name, settings, self._stop)
                if not done.claimed:
                    self._stop.wait(AFTER_TROUBLE if waiting else settings.poll_seconds)
            except OctavoError as error:
                logger("jobs").warning("the worker met trouble and goes on: %s", error.message)
                self._stop.wait(AFTER_TROUBLE)
            except Exception:
                logger("jobs").exception("the worker met trouble and goes on")
                self._stop.wait(AFTER_TROUBLE)

    def _recover(self) -> None:
        """Before anything else every byte of the snapshots is read: what a crash or a disk did to them is put right."""
        with suppress(OctavoError):  # whoever builds one at this moment checks it as well
            for project in self._engine.store.catalog.projects():
                accelerator = self._engine.within(project.name).accelerator
                if accelerator is not None and accelerator.upkeep.stored() and not accelerator.upkeep.recovered():
                    queue_snapshot(self._engine.store, project.id, REBUILD)


def run_due_everywhere(engine: AllProjects, name: str, settings: Jobs, stop: threading.Event) -> tuple[Round, bool]:
    """Does what is due in every project, once each; also whether one of them has to wait. Only a project with something
    due is opened.

    What goes wrong with a project as a whole, such as a model that is missing, does not hold up the others.
    """
    total, waiting = Round(), False
    for project in engine.store.catalog.projects():
        if stop.is_set() or not jobs_due(engine.store, project.id, settings.kinds):
            continue
        try:
            total += engine.within(project.name).job_worker(name, settings).run_due(stop)
        except OctavoError as error:
            waiting = True
            logger("jobs").warning("the work of project %s has to wait: %s", project.name, error.message)
    return total, waiting
