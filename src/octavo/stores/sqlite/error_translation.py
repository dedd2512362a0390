"""Translates errors of SQLite and of the files below it into Octavo's own errors."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import apsw

from octavo.errors import Busy, Conflict, DamagedLibrary, LibraryError, NotALibrary, OctavoError, StorageError
from octavo.lazy_regex import regex

_READS = (apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_SHORT_READ)
_FILE_FORMAT = "unsupported file format"  # what SQLite says of a header whose bytes have changed
_WORD_INDEX = regex(r"\bfts5\b|\blexical\b")  # how SQLite refers to an FTS5 index it can no longer open


class translated:  # noqa: N801 (read as a verb: `with translated(path):`)
    """SQLite's errors in its block become Octavo's. A class: every query enters one, and a generator takes five times
    as long."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and (known := _translation(error, self._path)) is not None:
            raise known from error


def _translation(error: BaseException, path: Path) -> OctavoError | None:
    """What Octavo says of an error of SQLite or of the file below it; None where that is for others to say."""
    match error:
        case OctavoError():
            return None
        case apsw.NotADBError():
            return NotALibrary(
                f"{path} is not a database",
                hint="name another file with --library, or a new path to make a library there",
            )
        case apsw.CorruptError():
            return _damaged(f"the library {path} is damaged: {error}")
        case apsw.NoMemError():  # a row whose length was overwritten asks for more than there is
            return LibraryError(
                f"the library {path} is damaged, or memory has run out: {error}",
                hint="run `octavo db check`, then `octavo db repair`",
            )
        case UnicodeDecodeError():
            return _damaged(f"the library {path} is damaged: a text in it is none")
        case apsw.SQLError():
            if _FILE_FORMAT in str(error):
                return _damaged(f"the library {path} is damaged: {error}")
            return _damaged(f"the word index of {path} is damaged: {error}") if _WORD_INDEX.search(str(error)) else None
        case apsw.ConstraintError():
            return Conflict(f"the change contradicts what {path} already holds: {error}")
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return Busy(f"another process is writing to {path}", hint="try again in a moment")
        case apsw.FullError():
            return StorageError(
                f"the disk is full: {path} could not grow",
                hint="free some space and run it again",
                details={"path": str(path), "operation": "write", "errno": errno.ENOSPC},
            )
        case apsw.ReadOnlyError():
            return StorageError(
                f"{path} cannot be written",
                hint="check the permissions of the file and folder",
                details={"path": str(path), "operation": "write", "errno": errno.EROFS},
            )
        case apsw.IOError() | apsw.CantOpenError():
            return StorageError(
                f"{path} could not be read or written: {error}",
                hint="check the disk and the path",
                details={"path": str(path), "operation": _operation(error), "errno": errno.EIO},
            )
        case OSError():
            return StorageError(
                f"{path}: {error.strerror or error}",
                hint="check the path and its permissions",
                details={"path": str(path)},
            )
    return None


def _damaged(message: str) -> DamagedLibrary:
    return DamagedLibrary(message, hint="run `octavo db repair`, or restore a backup")


def _operation(error: apsw.Error) -> str:
    """What SQLite was at: its extended codes tell reading from writing."""
    if isinstance(error, apsw.CantOpenError):
        return "open"
    return "read" if getattr(error, "extendedresult", None) in _READS else "write"


def on_read_only_mount(path: Path) -> bool:
    """Whether neither the file nor its folder can be written, and there is no log that would have to be read."""
    if not path.is_file() or os.access(path, os.W_OK) or os.access(path.parent, os.W_OK):
        return False
    log = path.with_name(f"{path.name}-wal")
    return not log.exists() or not log.stat().st_size
