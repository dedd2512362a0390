"""Starts, tracks and stops runs of indexing: one at a time in this process and, by a lease, across processes.

Runs of one process wait in a queue. A lease in the library keeps processes apart: the run renews it with its progress,
other processes read the progress from it, and they take over the lease of a process that died.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from octavo.errors import Busy, LeaseLost, OctavoError
from octavo.fast_dataclass import dataclass, replace
from octavo.jobs import lease_holder_process
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress, Progress

if TYPE_CHECKING:
    from octavo.ingest.indexing_report import IndexReport
    from octavo.model.ids import ProjectId
    from octavo.model.job import Lease
    from octavo.sql_repositories.leases import LeaseRepository

Work = Callable[["Progress"], "IndexReport"]

RUNNING, DONE, FAILED, STOPPED = "running", "done", "failed", "stopped"

_LEASE = "index"
_LEASE_SECONDS = 120.0
_BEAT_SECONDS = 30.0  # between two renewals by the heartbeat: work may last longer than a lease without a report
RENEW_SECONDS = 5.0
_WRITE_PATIENCE = 300.0  # seconds for which a run waits for other writers: what it has done so far is not thrown away
_LOOK_SECONDS = 0.2


class Stopped(Exception):
    """Raised through a run's progress by whoever no longer wants it. What was committed stays."""


@dataclass(frozen=True, slots=True)
class Build:
    """One run: what it was asked to do, how far it is, and how it ended. `process` names another process's."""

    number: int
    scope: str
    started_at: float
    state: str = RUNNING
    phase: str = ""
    done: int = 0
    total: int | None = None
    unit: str = ""
    finished_at: float | None = None
    error: str | None = None
    report: IndexReport | None = None
    process: str = ""


class IndexRuns:
    """The runs of one process. The engine's writing flow is not re-entrant: this is what keeps runs apart.

    Without `leases` nobody else is known of.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        leases: LeaseRepository | None = None,
        project: ProjectId | None = None,
        beat_seconds: float = _BEAT_SECONDS,
        patient: Callable[[float], AbstractContextManager[None]] | None = None,
    ) -> None:
        """`patient` has the transactions of a run wait so many seconds for other writers."""
        self._patient = patient or (lambda seconds: nullcontext())
        self._beat_seconds = beat_seconds
        self._clock = clock
        self._leases = leases
        self._project = project
        self._changed = threading.Condition()
        self._latest: Build | None = None
        self._stopping = False
        self._lease: Lease | None = None
        self.lost = False
        self._renewed = 0.0

    @property
    def latest(self) -> Build | None:
        """This process's run that is under way, or else its last one."""
        return self._latest

    def current(self) -> Build | None:
        """The run that is under way, whichever process does it, or else this one's last."""
        return self._latest if self._running() else (self._elsewhere() or self._latest)

    def under_way(self) -> bool:
        """Whether a run goes on, in this process or in another."""
        build = self.current()
        return build is not None and build.state == RUNNING

    def run(self, scope: str, work: Work, progress: Progress | None = None, *, patience: float | None = None) -> Build:
        """Waits for the run that is under way, then does this one here. What goes wrong is raised.

        `patience` is how many seconds to wait before that is `Busy`; None waits for as long as it takes.
        """
        self._claim(scope, progress, None if patience is None else time.monotonic() + patience)
        return self._do(work, progress or NoProgress())

    def start(self, scope: str, work: Work, *, patience: float = 0.0) -> Build:
        """Begins in another thread and returns at once; what goes wrong is read in `latest`."""
        begun = self._claim(scope, None, time.monotonic() + patience)
        threading.Thread(target=self._quietly, args=(work,), name="octavo-build", daemon=True).start()
        return begun

    @contextmanager
    def alone(self, scope: str) -> Iterator[None]:
        """While no run is under way in any process, for work that is no run of its own; waits for one that is."""
        before = self._latest
        self._claim(scope, None, None)
        try:
            with self._renewed_by_heartbeat():
                yield
        finally:
            self._release()
            with self._changed:
                self._latest = before
                self._changed.notify_all()

    def stop(self, timeout: float) -> bool:
        """Asks the run to stop at its next report and waits for it; whether nothing runs any more."""
        with self._changed:
            self._stopping = True
            return self._changed.wait_for(lambda: not self._running(), timeout)

    def _running(self) -> bool:
        return self._latest is not None and self._latest.state == RUNNING

    def _claim(self, scope: str, progress: Progress | None, deadline: float | None) -> Build:
        while True:
            with self._changed:
                if not self._running():
                    number = self._latest.number + 1 if self._latest else 1
                    build = Build(number, scope, self._clock())
                    other = self._take(build)
                    if other is None:
                        self._latest = build
                        return build
                else:
                    other = self._latest
                if deadline is not None and time.monotonic() >= deadline:
                    raise busy(other)
                self._changed.wait(_LOOK_SECONDS)
            _still_wanted(progress)
            self.still_wanted()

    def _take(self, build: Build) -> Build | None:
        """Takes the lease, or says whose run holds it."""
        if self._leases is None or self._project is None:
            return None
        mine = lease_holder_process.holder_name()
        # A look first: waiting for a run costs it nothing.
        current = self._leases.current(self._project, _LEASE)
        gone = current.holder if current is not None and lease_holder_process.has_ended(current.holder) else None
        if current is not None and gone is None:
            return _described(current)
        lease = self._leases.take(self._project, _LEASE, mine, _LEASE_SECONDS, _detail(build), over=gone)
        if lease.holder != mine:
            return _described(lease)
        self._lease, self.lost, self._renewed = lease, False, time.monotonic()
        return None

    def _elsewhere(self) -> Build | None:
        if self._leases is None or self._project is None:
            return None
        current = self._leases.current(self._project, _LEASE)
        return None if current is None or lease_holder_process.has_ended(current.holder) else _described(current)

    def _quietly(self, work: Work) -> None:
        try:
            self._do(work, NoProgress())
        except Stopped:
            pass
        except OctavoError as error:
            logger("engine").warning("indexing failed: %s", error.message)
        except Exception:
            logger("engine").exception("indexing failed")

    def _do(self, work: Work, progress: Progress) -> Build:
        state, error, report = FAILED, None, None
        try:
            with self._renewed_by_heartbeat(), self._patient(_WRITE_PATIENCE):
                report = work(_Watched(self, progress))
            # Whether the lease was held to the end is known once it is given back: a process that was suspended until
            # just now has not renewed it since.
            self.lost = not self._release() or self.lost
            self.still_leased()
            for collection in report.collections:
                collection.log()
            state = DONE
        except Stopped:
            state = STOPPED
            raise
        except BaseException as raised:
            error = raised.message if isinstance(raised, OctavoError) else f"{type(raised).__name__}: {raised}"
            raise
        finally:
            self._release()
            with self._changed:
                ended = self.update(state=state, error=error, report=report, finished_at=self._clock())
                self._changed.notify_all()
        return ended

    def _release(self) -> bool:
        """Gives the lease back; false if another process had taken it over."""
        lease, self._lease = self._lease, None
        if lease is None or self._leases is None:
            return True
        try:
            return self._leases.release(lease)
        except OctavoError as error:
            # It runs out by itself; what the run did is not undone by this.
            logger("engine").warning("the lease on indexing could not be given back: %s", error.message)
            return True
        except BaseException:
            # Ctrl-C just now: a process that goes on all the same would wait for itself.
            with suppress(OctavoError):
                self._leases.release(lease)
            raise

    def update(self, **changes: object) -> Build:
        assert self._latest is not None
        self._latest = replace(self._latest, **changes)
        return self._latest

    def still_wanted(self) -> None:
        if self._stopping:
            raise Stopped

    def still_leased(self) -> None:
        if self.lost:
            raise LeaseLost(
                "another process took over indexing while this one was suspended or its clock was set",
                hint="nothing is lost: `octavo status` says how far the other is",
            )

    @contextmanager
    def _renewed_by_heartbeat(self) -> Iterator[None]:
        """From a thread of its own: a remote model, a first scan or a snapshot may take longer than a lease lasts."""
        lease = self._lease
        if lease is None:
            yield
            return
        over = threading.Event()
        beat = threading.Thread(target=self._beat, args=(lease, over), name="octavo-index heartbeat", daemon=True)
        beat.start()
        try:
            yield
        finally:
            over.set()
            beat.join()

    def _beat(self, lease: Lease, over: threading.Event) -> None:
        while not over.wait(self._beat_seconds):
            latest = self._latest
            try:
                if self._leases is None or latest is None:
                    return
                if not self._leases.renew(lease, _LEASE_SECONDS, _detail(latest)):
                    self.lost = True
                    return
            except OctavoError as error:
                logger("engine").warning("the lease on indexing could not be renewed: %s", error.message)

    def renew(self) -> None:
        """Tells the other processes how far the run is. Whoever lost the lease, asleep for too long, stops."""
        lease, now = self._lease, time.monotonic()
        if lease is None or self._leases is None or self._latest is None or now < self._renewed + RENEW_SECONDS:
            return
        self._renewed = now
        try:
            renewed = self._leases.renew(lease, _LEASE_SECONDS, _detail(self._latest))
        except Busy:
            return  # somebody writes; the next report comes soon enough
        if not renewed:
            self._lease, self.lost = None, True
            self.still_leased()


class _Watched:
    """Fits `Progress`: notes how far the run is, passes it on, and stops the run that is no longer wanted."""

    def __init__(self, builds: IndexRuns, inner: Progress) -> None:
        self._builds = builds
        self._inner = inner

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self._builds.still_wanted()
        self._builds.still_leased()
        self._builds.update(phase=phase, done=0, total=total, unit=unit)
        self._builds.renew()
        self._inner.start(phase, total, unit)

    def advance(self, n: int = 1, note: str = "") -> None:
        self._builds.still_wanted()
        self._builds.still_leased()
        latest = self._builds.latest
        self._builds.update(done=(latest.done if latest else 0) + n)
        self._builds.renew()
        self._inner.advance(n, note)

    def finish(self) -> None:
        self._inner.finish()


def _still_wanted(progress: Progress | None) -> None:
    if progress is not None:
        progress.advance(0)


def _detail(build: Build) -> dict[str, Any]:
    return {
        "number": build.number,
        "scope": build.scope,
        "started_at": build.started_at,
        "phase": build.phase,
        "done": build.done,
        "total": build.total,
        "unit": build.unit,
    }


def _described(lease: Lease) -> Build:
    """Another process's run, from what it last said of itself. Another version may have said it in other words."""
    detail: Mapping[str, Any] = lease.detail
    return Build(
        number=int(detail.get("number") or 1),
        scope=str(detail.get("scope") or "changed"),
        started_at=float(detail.get("started_at") or lease.taken_at),
        phase=str(detail.get("phase") or ""),
        done=int(detail.get("done") or 0),
        total=detail.get("total"),
        unit=str(detail.get("unit") or ""),
        process=lease_holder_process.process_of(lease.holder),
    )


def busy(build: Build | None) -> Busy:
    job: dict[str, Any] = {}
    if build is not None:
        job = {"scope": build.scope, "started_at": build.started_at, "number": build.number}
        job |= {"process": build.process} if build.process else {}
    by = f" by process {build.process}" if build is not None and build.process else ""
    return Busy(
        f"the library is being indexed{by}",
        hint="`octavo status` says how far it is; `octavo index --wait` runs after it",
        details={"started_at": job.get("started_at"), "job": job},
    )
