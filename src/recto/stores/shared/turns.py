"""Whose turn it is to write: threads of one process queue here, first come first served.

A database's own lock is taken by whoever happens to ask at the right moment. Under many writers some then wait for
seconds while others go on; in a queue everybody waits about as long.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A fair lock. Not re-entrant: whoever waits for a turn inside a turn waits for ever."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._taken = False

    @contextmanager
    def turn(self, timeout: float) -> Iterator[None]:
        """Raises `TimeoutError` when no turn came in so many seconds."""
        self._take(timeout)
        try:
            yield
        finally:
            self._pass_on()

    def _take(self, timeout: float) -> None:
        mine = threading.Event()
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            self._waiting.append(mine)
        came = False
        try:
            came = mine.wait(timeout)
        finally:
            if not came:
                self._leave(mine)
        if not came:
            raise TimeoutError

    def _leave(self, mine: threading.Event) -> None:
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return
        # The turn came after all, between giving up and saying so: it is somebody else's now.
        self._pass_on()

    def _pass_on(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False
