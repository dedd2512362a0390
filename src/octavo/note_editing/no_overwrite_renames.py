"""Renames that overwrite nothing, and two files that change places: one call where the system has it.

Linux has `renameat2`, macOS `renamex_np`; Windows refuses to rename onto a file by itself. A system or a disk without
them takes the next best way.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_AT_FDCWD = -100
_LINUX = {"exclusive": 1, "exchange": 2}
_MACOS = {"exclusive": 4, "exchange": 2}
# EPERM is what some sandboxes say of calls that they do not know.
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)
_NO_LINKS = (*_UNSUPPORTED, errno.EMLINK, errno.EXDEV, errno.EACCES)


def rename_new(source: Path, target: Path) -> None:
    """Gives a file another name; `FileExistsError` where something has that name, however lately."""
    if sys.platform == "win32":
        source.rename(target)
    elif not renamed_by_system("exclusive", source, target):
        _link_new(source, target)


def exchange(one: Path, other: Path) -> bool:
    """Has two files change places at once; false where the system cannot."""
    return sys.platform != "win32" and renamed_by_system("exchange", one, other)


def replace_keeping_streams(source: Path, target: Path) -> None:
    """Puts a file in the place of another; on Windows with the other's access rules and alternate streams."""
    if sys.platform != "win32":
        source.replace(target)
    elif not ctypes.windll.kernel32.ReplaceFileW(str(target), str(source), None, 0, None, None):
        raise ctypes.WinError()


def renamed_by_system(what: str, source: Path, target: Path) -> bool:
    call, flags = _rename_call()
    if call is None:
        return False
    names = os.fsencode(source), os.fsencode(target)
    arguments = names if sys.platform == "darwin" else (_AT_FDCWD, names[0], _AT_FDCWD, names[1])
    if call(*arguments, flags[what]) == 0:
        return True
    failure = ctypes.get_errno()
    if failure in _UNSUPPORTED:
        return False
    raise OSError(failure, os.strerror(failure), str(source), None, str(target))


@cache
def _rename_call() -> tuple[Any, dict[str, int]]:
    """The system's call, None where its library has none."""
    name, flags = ("renamex_np", _MACOS) if sys.platform == "darwin" else ("renameat2", _LINUX)
    return getattr(ctypes.CDLL(None, use_errno=True), name, None), flags


def _link_new(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        source.unlink()
        return
    # A disk without links: the name is taken by an empty file first, which nobody who asks for a new one gets.
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        source.replace(target)
    except OSError:
        with suppress(OSError):
            target.unlink()
        raise
