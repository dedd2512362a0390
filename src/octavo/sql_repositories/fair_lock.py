"""A fair lock for writers: threads of one process get it in the order in which they asked.

A database's own lock goes to whoever asks at the right moment. With many writers some then wait for seconds while
others continue; in a queue all wait about equally long.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairLock:
    """First come, first served. Not re-entrant: acquiring it while holding it deadlocks."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self.waiting: deque[threading.Event] = deque()
        self._locked = False

    @contextmanager
    def acquired(self, timeout: float) -> Iterator[None]:
        """Raises `TimeoutError` if the lock is not acquired within `timeout` seconds."""
        self._acquire(timeout)
        try:
            yield
        finally:
            self._release()

    def _acquire(self, timeout: float) -> None:
        turn = threading.Event()
        with self._guard:
            if not self._locked:
                self._locked = True
                return
            self.waiting.append(turn)
        granted = False
        try:
            granted = turn.wait(timeout)
        finally:
            if not granted:
                self._give_up(turn)
        if not granted:
            raise TimeoutError

    def _give_up(self, turn: threading.Event) -> None:
        with self._guard:
            if turn in self.waiting:
                self.waiting.remove(turn)
                return
        # The lock was granted between the timeout and this call: it goes to the next in the queue.
        self._release()

    def _release(self) -> None:
        with self._guard:
            if self.waiting:
                self.waiting.popleft().set()
            else:
                self._locked = False
