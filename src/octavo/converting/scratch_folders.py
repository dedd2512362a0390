"""The folders in which programs that converters start may write, and the end of those whose owner was killed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "octavo-convert-"


class ScratchFolder:
    """A temporary folder that is locked while its owner lives: the system lets go of the lock, however that ends."""

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            # Another process may take it for abandoned before it is locked: then it is gone, or about to be.
            with suppress(FileNotFoundError, BlockingIOError):
                self._lock = self._locked()
                Path(self.path).stat()
                return

    def _locked(self) -> int | None:
        try:
            return _locked(self.path)
        except (FileNotFoundError, BlockingIOError):
            raise
        except OSError:
            return None  # a file system without locks: there nobody takes it for abandoned either

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Folders of processes that were killed: those that nobody holds locked."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is locked, somebody else's, or gone
            lock = _locked(str(folder))
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def _locked(folder: str) -> int | None:
    """A lock on a folder. Raises `OSError` where another process has it; Windows has none for folders."""
    if sys.platform == "win32":
        return None
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
