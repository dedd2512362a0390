"""One run of the writing flow at a time, in the foreground or behind the caller's back, and what became of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recto.errors import Busy, RectoError
from recto.observability.logs import logger
from recto.observability.progress import NoProgress, Progress

if TYPE_CHECKING:
    from recto.engine.engine import IndexReport

Work = Callable[[Progress], "IndexReport"]

RUNNING, DONE, FAILED, STOPPED = "running", "done", "failed", "stopped"


class Stopped(Exception):
    """Raised through a run's progress by whoever no longer wants it. What was committed stays."""


@dataclass(frozen=True, slots=True)
class Build:
    """One run: what it was asked to do, how far it is, and how it ended."""

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


class Builds:
    """The runs of one process. The engine's writing flow is not re-entrant: this is what keeps runs apart."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._latest: Build | None = None
        self._stopping = False

    @property
    def latest(self) -> Build | None:
        """The run that is under way, or else the last one."""
        return self._latest

    def run(self, scope: str, work: Work, progress: Progress | None = None) -> Build:
        """Waits for the run that is under way, then does this one here. What goes wrong is raised."""
        with self._changed:
            while self._running():
                self._changed.wait(0.2)
                _still_wanted(progress)
            self._begin(scope)
        return self._do(work, progress or NoProgress())

    def start(self, scope: str, work: Work) -> Build:
        """Begins in another thread and returns at once; what goes wrong is read in `latest`."""
        with self._changed:
            if self._running():
                raise busy(self._latest)
            begun = self._begin(scope)
        threading.Thread(target=self._quietly, args=(work,), name="recto-build", daemon=True).start()
        return begun

    def stop(self, timeout: float) -> bool:
        """Asks the run to stop at its next report and waits for it; whether nothing runs any more."""
        with self._changed:
            self._stopping = True
            return self._changed.wait_for(lambda: not self._running(), timeout)

    def _running(self) -> bool:
        return self._latest is not None and self._latest.state == RUNNING

    def _begin(self, scope: str) -> Build:
        number = self._latest.number + 1 if self._latest else 1
        self._latest = Build(number, scope, self._clock())
        return self._latest

    def _quietly(self, work: Work) -> None:
        try:
            self._do(work, NoProgress())
        except Stopped:
            pass
        except RectoError as error:
            logger("engine").warning("indexing failed: %s", error.message)
        except Exception:
            logger("engine").exception("indexing failed")

    def _do(self, work: Work, progress: Progress) -> Build:
        state, error, report = FAILED, None, None
        try:
            report = work(_Watched(self, progress))
            state = DONE
        except Stopped:
            state = STOPPED
            raise
        except BaseException as raised:
            error = raised.message if isinstance(raised, RectoError) else f"{type(raised).__name__}: {raised}"
            raise
        finally:
            with self._changed:
                ended = self.update(state=state, error=error, report=report, finished_at=self._clock())
                self._changed.notify_all()
        return ended

    def update(self, **changes: object) -> Build:
        assert self._latest is not None
        self._latest = replace(self._latest, **changes)  # type: ignore[arg-type]
        return self._latest

    def still_wanted(self) -> None:
        if self._stopping:
            raise Stopped


class _Watched:
    """Fits `Progress`: notes how far the run is, passes it on, and stops the run that is no longer wanted."""

    def __init__(self, builds: Builds, inner: Progress) -> None:
        self._builds = builds
        self._inner = inner

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self._builds.still_wanted()
        self._builds.update(phase=phase, done=0, total=total, unit=unit)
        self._inner.start(phase, total, unit)

    def advance(self, n: int = 1, note: str = "") -> None:
        self._builds.still_wanted()
        latest = self._builds.latest
        self._builds.update(done=(latest.done if latest else 0) + n)
        self._inner.advance(n, note)

    def finish(self) -> None:
        self._inner.finish()


def _still_wanted(progress: Progress | None) -> None:
    if progress is not None:
        progress.advance(0)


def busy(build: Build | None) -> Busy:
    details = {"scope": build.scope, "started_at": build.started_at, "number": build.number} if build else {}
    return Busy(
        "the library is being indexed",
        hint="`status` says how far it is; pass wait to go after it",
        details={"job": details},
    )
