"""One writer at a time in a folder, across threads and processes, without leaving a file in it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from octavo.errors import Busy, OctavoError, SourceError
from octavo.note_editing.multi_file_write_journal import Journal, journal_of, put_back
from octavo.stores.sqlite.write_lock_queue import locked_elsewhere

_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.005
_threads: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@contextmanager
def folder_lock(folder: Path, journals: Path, patience: float = _PATIENCE_SECONDS) -> Iterator[Journal]:
    """Held while a file below the folder is read, edited and replaced; `Busy` when another writer keeps it.

    Gives the folder's journal, which is kept among these.
    """
    deadline = time.monotonic() + patience
    mutex = _threads[os.path.realpath(folder)]
    if not mutex.acquire(timeout=patience):
        raise _busy(folder)
    try:
        with _process_lock(folder, deadline):
            journal = journal_of(folder, journals)
            put_back(journal)  # what a writer that was killed left half done
            yield journal
    finally:
        mutex.release()


def finish_writes(folder: Path, journals: Path) -> None:
    """Puts back what a killed writer left half done, unless a writer is at work."""
    with suppress(OctavoError, OSError):
        if journal_of(folder, journals).interrupted:
            with folder_lock(folder, journals):
                pass  # taking the lock does it


def _busy(folder: Path) -> Busy:
    return Busy(f"another writer is at work in {folder}", hint="try again in a moment")


if sys.platform == "win32":

    @contextmanager
    def _process_lock(folder: Path, deadline: float) -> Iterator[None]:
        """Folders cannot be locked there: the check before the file is replaced is what remains."""
        yield

else:
    import fcntl

    @contextmanager
    def _process_lock(folder: Path, deadline: float) -> Iterator[None]:
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise SourceError(f"{folder} cannot be read: {error.strerror}") from error
        try:
            _locked(descriptor, folder, deadline)
            with locked_elsewhere(descriptor):
                yield
        finally:
            os.close(descriptor)

    def _locked(descriptor: int, folder: Path, deadline: float) -> None:
        """Where a disk has no locks, as some network drives, threads are all that is kept apart."""
        with suppress(OSError):
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise _busy(folder) from None
                    time.sleep(_PAUSE_SECONDS)
