"""Whether somebody still waits for the answer: a long call ends once nobody does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancellation:
    """Told once that nobody waits any more; passes that on to what is under way. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Calls back when cancelled while inside, or at once where that has happened already."""
        with self._lock:
            if not self._cancelled:
                self._callbacks.append(callback)
        if self._cancelled:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)


_CURRENT: ContextVar[Cancellation | None] = ContextVar("octavo_cancellation", default=None)


def current_cancellation() -> Cancellation:
    """That of the request this thread works for; one that nobody cancels where there is none."""
    return _CURRENT.get() or Cancellation()


@contextmanager
def cancelled_by(cancellation: Cancellation) -> Iterator[None]:
    """Has everything this thread begins inside end with the cancellation."""
    token = _CURRENT.set(cancellation)
    try:
        yield
    finally:
        _CURRENT.reset(token)
