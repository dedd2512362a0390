"""A worker: claims jobs in a short transaction, runs them outside any, and says in another what became of them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from octavo.config.schema import Jobs
from octavo.errors import ConfigurationError, OctavoError
from octavo.fast_dataclass import dataclass
from octavo.jobs.handlers import Handler, JobEngine, handlers
from octavo.jobs.lease_holder_process import has_ended
from octavo.model.ids import ProjectId
from octavo.model.job import Job, JobKind, JobState
from octavo.observability.logs import logger
from octavo.ports import Observer
from octavo.sql_repositories.store import Store

_LOG = logger("jobs")
_KEPT_SECONDS = 7 * 86_400.0  # for which a job that is done is listed
_JITTER = 0.5  # of a delay that is left to chance


@dataclass(frozen=True, slots=True)
class Round:
    """What became of the jobs of one claim. A `lost` job ran longer than its lease, and another worker has it."""

    finished: int = 0
    failed: int = 0
    dead: int = 0
    lost: int = 0

    def __add__(self, other: Round) -> Round:
        return Round(
            self.finished + other.finished, self.failed + other.failed, self.dead + other.dead, self.lost + other.lost
        )

    @property
    def claimed(self) -> int:
        return self.finished + self.failed + self.dead + self.lost


class JobWorker:
    """One project's worker. Several may share a project, in one process or in many."""

    def __init__(
        self,
        store: Store,
        project: ProjectId,
        name: str,
        handlers: Mapping[JobKind, Handler],
        settings: Jobs,
        clock: Callable[[], float],
        observers: Sequence[Observer] = (),
    ) -> None:
        self._observers = observers
        self._store = store
        self._project = project
        self._name = name
        self._handlers = handlers
        self._settings = settings
        self._clock = clock

    def run(self, stop: threading.Event, until_idle: bool = False) -> Round:
        """Until told to stop, or until nothing is due."""
        total = Round()
        while not stop.is_set():
            done = self.run_due(stop)
            total += done
            if done.claimed:
                continue
            if until_idle:
                break
            self._store.wait_for_work(stop, self._settings.poll_seconds)
        return total

    def run_due(self, stop: threading.Event | None = None) -> Round:
        """Claims what is due, as much as a batch holds, and does it."""
        kinds = self._settings.kinds
        if not jobs_due(self._store, self._project, kinds):
            return Round()
        with self._store.transaction():
            jobs = self._store.outbox.claim(
                self._project,
                self._name,
                lease_seconds=self._settings.lease_seconds,
                limit=self._settings.batch,
                max_attempts=self._settings.max_attempts,
                kinds=kinds,
            )
            self._store.outbox.purge(self._project, [JobState.DONE], self._clock() - _KEPT_SECONDS)
        total = Round()
        with self._kept(jobs), self._store.patient(self._settings.lease_seconds):
            for number, job in enumerate(jobs):
                if stop is not None and stop.is_set():
                    self._give_back(jobs[number:])
                    break
                try:
                    total += self._observed(job)
                except BaseException:
                    self._give_back(jobs[number:])
                    raise
        return total

    def _observed(self, job: Job) -> Round:
        started = time.perf_counter()
        for observer in self._observers:
            observer.claimed(job.kind.value)
        ended = self._do(job)
        outcome = "done" if ended.finished else "dead" if ended.dead else "lost" if ended.lost else "failed"
        for observer in self._observers:
            observer.worked(job.kind.value, outcome, time.perf_counter() - started)
        return ended

    def _do(self, job: Job) -> Round:
        try:
            self._handlers[job.kind](job)
        except Exception as error:
            return self._failed(job, error)
        with self._store.transaction():
            still_claimed = self._store.outbox.finish(job)
        return Round(finished=1) if still_claimed else Round(lost=1)

    def _failed(self, job: Job, error: Exception) -> Round:
        message = error.message if isinstance(error, OctavoError) else f"{type(error).__name__}: {error}"
        last = job.attempts >= self._settings.max_attempts
        wait = delay(job.attempts, self._settings.retry_seconds, self._settings.max_retry_seconds, f"job {job.id}")
        with self._store.transaction():
            still_claimed = self._store.outbox.fail(job, message, None if last else self._clock() + wait)
        if not still_claimed:
            return Round(lost=1)
        _LOG.warning("job %s (%s) failed at attempt %s: %s", job.id, job.kind.value, job.attempts, message)
        if last:
            _LOG.warning("job %s (%s) is given up after %s attempts", job.id, job.kind.value, job.attempts)
        return Round(dead=1) if last else Round(failed=1)

    def _give_back(self, jobs: tuple[Job, ...]) -> None:
        """What was claimed and is not going to be done here is due again at once, and nobody has tried it."""
        with self._store.transaction():
            for job in jobs:
                self._store.outbox.give_back(job)

    @contextmanager
    def _kept(self, jobs: tuple[Job, ...]) -> Iterator[None]:
        """Renews the leases from a thread of its own while the jobs are done."""
        over = threading.Event()
        beat = threading.Thread(target=self._renew, args=(jobs, over), name=f"{self._name} heartbeat", daemon=True)
        beat.start()
        try:
            yield
        finally:
            over.set()
            beat.join()

    def _renew(self, jobs: tuple[Job, ...], over: threading.Event) -> None:
        while not over.wait(self._settings.lease_seconds / 3):
            try:
                with self._store.transaction():
                    for job in jobs:
                        self._store.outbox.renew(job, self._settings.lease_seconds)
            except OctavoError as error:
                # Two more chances before the lease ends; after that, another worker and the fence decide.
                _LOG.warning("the leases of %s could not be renewed: %s", self._name, error.message)


def jobs_due(store: Store, project: ProjectId, kinds: Sequence[str] = ()) -> int:
    """How many jobs could be claimed now: those too whose worker was killed, which may never end its lease itself."""
    if ended := [holder for holder in store.outbox.holders(project) if has_ended(holder)]:
        with store.transaction():
            store.outbox.expire(project, ended)
    return store.outbox.due(project, kinds)


def worker_of(engine: JobEngine, name: str, settings: Jobs, clock: Callable[[], float]) -> JobWorker:
    """A worker that does every kind of job of an engine's project, or those that the settings name."""
    if unknown := [kind for kind in settings.kinds if kind not in list(JobKind)]:
        raise ConfigurationError(
            f"jobs.kinds names {unknown[0]}, which is no kind of job", hint=f"there are: {', '.join(JobKind)}"
        )
    return JobWorker(engine.store, engine.project.id, name, handlers(engine), settings, clock, engine.observers)


def delay(attempt: int, first: float, longest: float, seed: str) -> float:
    """Seconds after the attempt of this number, from 1. The same seed and attempt always wait the same."""
    # Large exponents would overflow long after the limit was reached.
    whole = min(longest, first * 2.0 ** min(attempt - 1, 64))
    return whole * (1.0 - _JITTER * random.Random(f"{seed}:{attempt}").random())
