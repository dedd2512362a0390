"""Copies owner, mode, extended attributes and ACL of a file to the one that replaces it."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

from octavo.errors import StorageError

_COPYFILE_ACL_AND_XATTR = 1 | 4


def same_access(descriptor: int, path: Path, mode: int) -> None:
    """Gives an open file what the one at `path` has; `StorageError` where the system refuses a part of it."""
    if hasattr(os, "fchown"):
        owner = path.stat()
        with suppress(OSError):  # only the superuser gives files away
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    if sys.platform == "linux":
        _same_attributes(descriptor, path)
    elif sys.platform == "darwin":
        _same_on_macos(descriptor, path)


def attributes(file: int | Path) -> dict[str, bytes]:
    """A file's extended attributes, among them its access control list; none where the disk has no such."""
    if sys.platform != "linux":
        return {}
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except OSError:
        return {}


def _same_attributes(descriptor: int, path: Path) -> None:
    kept, given = attributes(path), attributes(descriptor)
    for name in given.keys() - kept.keys():  # the access control list that a folder gives its new files
        with suppress(OSError):
            os.removexattr(descriptor, name)
    for name, value in kept.items():
        if given.get(name) == value:
            continue
        try:
            os.setxattr(descriptor, name, value)
        except OSError as error:
            raise _refused(path, f"its attribute {name}", error) from error


def _same_on_macos(descriptor: int, path: Path) -> None:
    source = os.open(path, os.O_RDONLY)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if library.fcopyfile(source, descriptor, None, _COPYFILE_ACL_AND_XATTR) < 0:
            failure = ctypes.get_errno()
            raise _refused(path, "its attributes", OSError(failure, os.strerror(failure)))
    finally:
        os.close(source)


def _refused(path: Path, what: str, error: OSError) -> StorageError:
    return StorageError(
        f"{path.name} would lose {what}: {error.strerror}", hint="edit the file itself; nothing was changed"
    )
