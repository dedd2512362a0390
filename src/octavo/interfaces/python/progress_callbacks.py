"""Calls a function with the progress of long work."""

from __future__ import annotations

import time
from collections.abc import Callable

from octavo.fast_dataclass import Value

_PAUSE = 0.1  # seconds between two reports within a phase


class ProgressUpdate(Value):
    """How far a phase of long work has come; `total` is None where nobody knows.

    >>> str(ProgressUpdate("embedding", 32, 120, "chunks"))
    'embedding: 32 of 120 chunks'
    """

    phase: str
    done: int
    total: int | None
    unit: str

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total}"
        return f"{self.phase}: {self.done}{of} {self.unit}"


ProgressCallback = Callable[[ProgressUpdate], object]
"""Takes a `ProgressUpdate`. What it raises stops the work and reaches the caller."""


class Reporter:
    """Fits `observability.progress.Progress`: a phase's start and end, and in between at most ten reports a second.

    A phase that has nothing to do is not reported.
    """

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        self._update: ProgressUpdate | None = None
        self._reported: ProgressUpdate | None = None
        self._at = 0.0

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self._update = None if total == 0 else ProgressUpdate(phase, 0, total, unit)
        self._report()

    def advance(self, n: int = 1, note: str = "") -> None:
        if self._update is None:
            return
        update = self._update
        self._update = ProgressUpdate(update.phase, update.done + n, update.total, update.unit)
        if time.monotonic() >= self._at + _PAUSE:
            self._report()

    def finish(self) -> None:
        self._report()
        self._update = None

    def _report(self) -> None:
        if self._update is not None and self._update != self._reported:
            self._reported, self._at = self._update, time.monotonic()
            self._callback(self._update)
