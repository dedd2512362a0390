"""Reads regular files up to a bounded size; pipes, devices and unwanted links are refused without blocking."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 1 << 20
"""Bytes of a file of settings: what is longer was not written by hand."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_small(path: Path, largest: int = LARGEST, *, links: bool = False) -> bytes:
    """The bytes of a file; `OSError` with a reason for a link, unless `links` are followed, for a pipe or a device,
    and for a larger file."""
    _refuse_special(path.stat(follow_symlinks=links), largest)  # before opening, which sets some devices going
    descriptor = os.open(path, _FLAGS | (0 if links else getattr(os, "O_NOFOLLOW", 0)))
    with os.fdopen(descriptor, "rb") as stream:
        _refuse_special(os.fstat(descriptor), largest)
        return stream.read(largest)


def _refuse_special(status: os.stat_result, largest: int) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a link")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if status.st_size > largest:
        raise OSError(errno.EFBIG, f"it has {status.st_size:,} bytes, more than {largest:,}")
