"""Who may read the files of a library: its owner alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def make_private(path: Path) -> None:
    """Makes a file that only its owner reads, as are then SQLite's files beside it. One that is there is left alone:
    it may be somebody else's."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def close_to_others(path: Path) -> None:
    """What an earlier version left open to others is closed to them: a library, its logs and its snapshots."""
    for suffix in ("", "-wal", "-shm", ".snapshots"):
        _close_to_others(path.with_name(f"{path.name}{suffix}"))


def _close_to_others(path: Path) -> None:
    if not hasattr(os, "geteuid"):
        return
    with suppress(OSError):  # not there, or on a disk without modes
        status = path.stat()
        if status.st_uid == os.geteuid() and status.st_mode & 0o077:
            path.chmod(stat.S_IMODE(status.st_mode) & 0o700)
