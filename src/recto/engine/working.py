"""Promised work, done beside everything else while a process lives: a server needs no worker of its own."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from recto.errors import RectoError
from recto.observability.logs import logger

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.jobs.worker import Pace, Round

AFTER_TROUBLE = 5.0
"""Seconds before a worker that met something unexpected goes on."""


class Working:
    """Threads that do jobs as they come. What they cannot do waits for another process, under its own lease."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def active(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def start(self, pace: Pace, threads: int = 1) -> None:
        """Begins, once; a second start changes nothing."""
        if self._threads:
            return
        for number in range(threads):
            thread = threading.Thread(target=self._work, args=(pace, number), name=f"recto-work-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout: float) -> bool:
        """Asks the threads to stop after the job they are at; whether they did in time."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout)
        return not self.active

    def _work(self, pace: Pace, number: int) -> None:
        name = f"{socket.gethostname()}:{os.getpid()}:{number}"
        if number == 0:
            self._recover()
        while not self._stop.is_set():
            try:
                done, held_up = done_everywhere(self._engine, name, pace, self._stop)
                if not done.claimed:
                    self._stop.wait(AFTER_TROUBLE if held_up else pace.poll_seconds)
            except RectoError as error:
                logger("jobs").warning("the worker met trouble and goes on: %s", error.message)
                self._stop.wait(AFTER_TROUBLE)
            except Exception:
                logger("jobs").exception("the worker met trouble and goes on")
                self._stop.wait(AFTER_TROUBLE)

    def _recover(self) -> None:
        """Before anything else every byte of the snapshots is read: what a crash or a disk did to them is put right."""
        with suppress(RectoError):  # whoever builds one at this moment checks it as well
            for project in self._engine.store.catalog.projects():
                accelerator = self._engine.within(project.name).accelerator
                if accelerator is not None and accelerator.kept():
                    accelerator.recover()


def done_everywhere(engine: Engine, name: str, pace: Pace, stop: threading.Event) -> tuple[Round, bool]:
    """What was due in every project, once around, and whether one has to wait. Only a project with something due gets
    an engine of its own.

    What goes wrong with a project as a whole, such as a model that is not there, keeps no other one waiting.
    """
    from recto.jobs.worker import Round

    total, held_up = Round(), False
    for project in engine.store.catalog.projects():
        if stop.is_set() or not engine.store.outbox.due(project.id):
            continue
        try:
            total += engine.within(project.name).worker(name, pace).run_due(stop)
        except RectoError as error:
            held_up = True
            logger("jobs").warning("the work of project %s has to wait: %s", project.name, error.message)
    return total, held_up
