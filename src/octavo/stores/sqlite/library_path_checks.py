"""Refuses paths that cannot be a library, with the reason; SQLite would only say that it cannot open the file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from octavo.errors import NotALibrary, OctavoError, StorageError

_KINDS = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


def refuse_impossible(path: Path, *, create: bool) -> None:
    """Raises where no library can be opened, nor made if that is wanted. What is not there yet is nothing wrong."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            target = path.readlink()
            raise NotALibrary(
                f"{path} is a link to {target}, which is not there", hint="mend the link, or name another file"
            ) from None
        if create:
            _refuse_locked_folder(path)
        return
    except NotADirectoryError as error:
        file = next(parent for parent in path.parents if parent.is_file())
        raise NotALibrary(
            f"{path} cannot be a library: {file} is a file, not a folder", hint="name a file in a folder with --library"
        ) from error
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror or error}",
            hint="check the path and the permissions of its folders",
            details={"path": str(path), "operation": "open", "errno": error.errno},
        ) from error
    if stat.S_ISDIR(mode):
        raise NotALibrary(
            f"{path} is a folder; a library is a file", hint=f"name a file in it: --library {path / 'library.db'}"
        )
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "special file")
        raise NotALibrary(f"{path} is a {kind}; a library is a file", hint="name another file with --library")
    if not os.access(path, os.R_OK):
        raise _forbidden(path, f"{path} may not be read by this account")


def _refuse_locked_folder(path: Path) -> None:
    folder = next(parent for parent in path.parents if parent.exists())
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        refused = f"no library can be made at {path}: {folder}"
        if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
            raise _forbidden(folder, f"{refused} is on a disk that can only be read", remedy="")
        raise _forbidden(folder, f"{refused} may not be written by this account")


def _forbidden(path: Path, message: str, remedy: str = "change its permissions, or ") -> OctavoError:
    return StorageError(
        message,
        hint=f"{remedy}name another file with --library",
        details={"path": str(path), "operation": "open", "errno": errno.EACCES},
    )
