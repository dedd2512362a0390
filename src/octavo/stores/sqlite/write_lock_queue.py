"""A queue for writers of several processes: SQLite has none, and lets whoever asks at the right moment go first.

Whoever wants to write first takes a lock on the library's folder, waits for SQLite's write lock with that in hand, and
lets go of the folder once it writes. A process that has just written and wants to write again therefore stands behind
those that wait. The lock decides only the order: on a file system without such locks, SQLite's own decides alone, and
also while this process has locked the folder for something else, because it would wait for itself.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_SHORTEST, _LONGEST = 0.001, 0.008  # seconds between two looks; random, so that nobody is always the later one
_MOST = 1.0  # seconds in the queue: behind a long transaction, or another library of the folder, order matters less


_locked_elsewhere: Counter[tuple[int, int]] = Counter()  # folders by device and inode


@contextmanager
def locked_elsewhere(folder: int) -> Iterator[None]:
    """Marks a folder that this process has locked for something else than the queue."""
    place = _place(folder)
    _locked_elsewhere[place] += 1
    try:
        yield
    finally:
        _locked_elsewhere[place] -= 1


class WriteQueue:
    """The queue of one library. Threads of a process take turns among themselves before they come here."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._opened: int | None = None

    @contextmanager
    def first(self, seconds: float) -> Iterator[None]:
        """Waits for this process's turn to ask for the write lock, or until it has waited long enough."""
        folder = self._open()
        waits = folder is not None and not _locked_elsewhere[_place(folder)]
        locked = folder is not None and waits and _locked_within(folder, min(seconds, _MOST))
        try:
            yield
        finally:
            if folder is not None and locked:
                _unlock(folder)

    def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(OSError):
                os.close(opened)

    def _open(self) -> int | None:
        if self._opened is None and self._folder is not None and sys.platform != "win32":
            with suppress(OSError):
                self._opened = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        return self._opened


def _place(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


def _locked_within(folder: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while sys.platform != "win32":
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(random.uniform(_SHORTEST, _LONGEST))
        except OSError:
            return False  # a file system without such locks
        else:
            return True
    return False


def _unlock(folder: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(folder, fcntl.LOCK_UN)


def wait_for_lock(patience: Callable[[], float]) -> Callable[[int], bool]:
    """A busy handler that looks again every few milliseconds: SQLite's own sleeps up to a tenth of a second."""
    started = 0.0

    def again(attempt: int) -> bool:
        nonlocal started
        now = time.monotonic()
        started = started if attempt else now
        if now - started >= patience():
            return False
        time.sleep(min(0.001 * (attempt + 1), 0.01))
        return True

    return again


def inode(path: Path) -> int | None:
    """Which file a path names now; None when there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
