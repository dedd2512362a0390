"""Errors of SQLite and of the files below it, as Octavo's."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from octavo.errors import Busy, Conflict, LibraryError, NotALibrary, OctavoError, StorageError

_READS = (apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_SHORT_READ)
_FILE_FORMAT = "unsupported file format"  # what SQLite says of a header whose bytes have changed
_WORD_INDEX = re.compile(r"\bfts5\b|\blexical\b")  # how SQLite refers to an FTS5 index it can no longer open


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OctavoError:
        raise
    except apsw.NotADBError as error:
        raise NotALibrary(
            f"{path} is not a database",
            hint="point --library at another file, or run `octavo init` on a new path",
        ) from error
    except apsw.CorruptError as error:
        raise LibraryError(
            f"the library {path} is damaged: {error}", hint="run `octavo db repair`, or restore a backup"
        ) from error
    except apsw.NoMemError as error:  # a row whose length was overwritten asks for more than there is
        raise LibraryError(
            f"the library {path} is damaged, or memory has run out: {error}",
            hint="run `octavo db check`, then `octavo db repair`",
        ) from error
    except UnicodeDecodeError as error:
        raise LibraryError(
            f"the library {path} is damaged: a text in it is none", hint="run `octavo db repair`, or restore a backup"
        ) from error
    except apsw.SQLError as error:
        if _FILE_FORMAT in str(error):
            raise LibraryError(
                f"the library {path} is damaged: {error}", hint="run `octavo db repair`, or restore a backup"
            ) from error
        if not _WORD_INDEX.search(str(error)):
            raise
        raise LibraryError(
            f"the word index of {path} is damaged: {error}", hint="run `octavo db repair`, or restore a backup"
        ) from error
    except apsw.ConstraintError as error:
        raise Conflict(f"the change contradicts what {path} already holds: {error}") from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise Busy(f"another process is writing to {path}", hint="try again in a moment") from error
    except apsw.FullError as error:
        raise StorageError(
            f"the disk is full: {path} could not grow",
            hint="free some space and run it again",
            details={"path": str(path), "operation": "write", "errno": errno.ENOSPC},
        ) from error
    except apsw.ReadOnlyError as error:
        raise StorageError(
            f"{path} cannot be written",
            hint="check the permissions of the file and folder",
            details={"path": str(path), "operation": "write", "errno": errno.EROFS},
        ) from error
    except (apsw.IOError, apsw.CantOpenError) as error:
        raise StorageError(
            f"{path} could not be read or written: {error}",
            hint="check the disk and the path",
            details={"path": str(path), "operation": _operation(error), "errno": errno.EIO},
        ) from error
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror or error}",
            hint="check the path and its permissions",
            details={"path": str(path)},
        ) from error


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
