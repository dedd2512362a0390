"""A circuit breaker: a service that did not answer a search is not asked by the next ones for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_FIRST, _LONGEST = 5.0, 60.0  # seconds; doubled with every failure


class CircuitBreaker:
    """Open after a failure, for longer each time; closed again by an answer. Safe from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until = self._pause = 0.0
        self._reason = ""

    def reason(self) -> str:
        """Why the service is not to be asked now; empty when it may be."""
        with self._lock:
            return self._reason if self._clock() < self._until else ""

    def failed(self, reason: str) -> None:
        with self._lock:
            self._pause = min(_LONGEST, max(_FIRST, 2 * self._pause))
            self._until, self._reason = self._clock() + self._pause, reason

    def answered(self) -> None:
        with self._lock:
            self._until = self._pause = 0.0
