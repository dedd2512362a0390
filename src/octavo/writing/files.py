"""Markdown files below a folder: found by their relative path, read exactly, replaced whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from octavo.errors import Conflict, InvalidArgument, NotFound, SourceError, StorageError
from octavo.parsing.code.generated import generator_mark

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd")
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class File:
    """A file's bytes as they were read, and what tells whether it changed since."""

    path: Path
    content: bytes
    stamp: tuple[int, int, int]
    mode: int

    @property
    def hash(self) -> str:
        return digest(self.content)

    @property
    def text(self) -> str:
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidArgument(
                f"{self.path.name} is not UTF-8: byte {error.start} cannot be read", hint="convert the file first"
            ) from None


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"the text has half a character at {error.start}", hint="give whole characters") from None


def located(root: Path, uri: str) -> Path:
    """Where a uri leads, symbolic links resolved; it must be a Markdown file's name below the folder."""
    if "\0" in uri:
        raise InvalidArgument("the uri has a NUL in it", hint="give the file's path in the collection")
    segments = uri.split("/")
    if uri.startswith("/") or ".." in segments or (os.name == "nt" and ("\\" in uri or ":" in uri)):
        raise InvalidArgument(f"{uri!r} is not a path below the folder", hint="give a relative path without ..")
    _refuse_other_suffix(uri, segments[-1])
    base = Path(os.path.realpath(root))
    try:
        path = Path(os.path.realpath(base / uri))
        looped = path.is_symlink()
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{uri!r} cannot be a path here: {error}") from None
    if looped or not path.is_relative_to(base) or path == base:
        raise InvalidArgument(f"{uri!r} leads out of the collection's folder", hint="name a file inside of it")
    _refuse_other_suffix(uri, path.name)
    return path


def _refuse_other_suffix(uri: str, name: str) -> None:
    if Path(name).suffix.lower() not in SUFFIXES:
        raise InvalidArgument(f"{uri!r} is not a Markdown file", hint=f"its name must end in {', '.join(SUFFIXES)}")


def read(path: Path, uri: str, largest: int) -> File:
    """The file's bytes; `NotFound` if there is none."""
    try:
        # Not blocking: what a pipe of that name would do to a reader.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise NotFound(f"there is no file {uri}", hint="doc_create makes one", details={"uri": uri}) from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ):
            raise InvalidArgument(f"{uri[:200]!r} cannot be a path here: {error.strerror}") from None
        raise SourceError(f"{uri} cannot be read: {error.strerror}") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise NotFound(f"{uri} is not a file", hint="name a Markdown file", details={"uri": uri})
    with os.fdopen(descriptor, "rb") as file:
        if found.st_size > largest:
            raise InvalidArgument(
                f"{uri} has {found.st_size:,} bytes, more than the {largest:,} that are edited",
                hint="raise writing.max_file_bytes, or divide the file",
            )
        try:
            content = file.read()
        except OSError as error:
            raise SourceError(f"{uri} cannot be read: {error.strerror}") from error
    return File(path, content, _stamp(found), stat.S_IMODE(found.st_mode))


def everything_below(root: Path) -> list[str]:
    """The relative paths of all files and folders, without what is in hidden folders: what a link can lead to."""
    found: list[str] = []
    base = os.path.realpath(root)
    for folder, below, files in os.walk(base):
        within = os.path.relpath(folder, base)
        prefix = "" if within == "." else within.replace(os.sep, "/") + "/"
        found += (prefix + name for name in (*below, *files))
        below[:] = [name for name in below if not name.startswith(".")]
    return found


def refuse_changed(file: File | None, expected_hash: str | None, uri: str) -> None:
    """`Conflict` unless the file is the one the caller knows, where the caller says which."""
    if expected_hash is None:
        return
    if file is None:
        raise Conflict(f"there is no file {uri}, so its hash is not the expected one", hint="leave expected_hash out")
    present = digest(file.content)
    if present != expected_hash:
        raise Conflict(
            f"{uri} changed: its hash is {present}", hint="read it again, and then edit", details={"hash": present}
        )


def refuse_no_place(path: Path, uri: str) -> None:
    """A file can be where a file is, or where nothing is and every folder above it is one or can be made."""
    if path.exists() and not path.is_file():
        raise Conflict(f"{uri} is a folder", hint="choose another name")
    above = next(folder for folder in path.parents if folder.exists())
    if not above.is_dir():
        raise InvalidArgument(f"{uri} would be below the file {above.name}", hint="choose another folder")


def refuse_generated(text: str, uri: str) -> None:
    """What a program writes again would lose the edit."""
    mark = generator_mark(text)
    if mark:
        raise InvalidArgument(f"{uri} is generated: it says {mark!r}", hint="change what it is generated from instead")


def refuse_read_only(file: File) -> None:
    if not file.mode & _WRITABLE or not os.access(file.path, os.W_OK):
        raise StorageError(f"{file.path.name} is read-only", hint="make it writable first")


def overwrite(file: File, content: bytes) -> None:
    """Puts new bytes in a file's place at once; a file that changed since it was read stays."""

    def unchanged() -> None:
        try:
            now = _stamp(file.path.stat())
        except OSError:
            now = None
        if now != file.stamp:
            raise Conflict(f"{file.path.name} changed while it was edited", hint="read it again, and then edit")

    _put(file.path, content, file, unchanged)


def write_new(path: Path, content: bytes) -> None:
    """Writes a file that is not there yet, and the folders above it; if that fails, these are removed again."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)

        def absent() -> None:
            if os.path.lexists(path):
                raise Conflict(f"{path.name} was made meanwhile", hint="read it, and then edit")

        _put(path, content, None, absent)
    except BaseException as error:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            raise StorageError(f"{path.parent} cannot be made: {error.strerror}") from error
        raise


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size


def _put(path: Path, content: bytes, file: File | None, check: Callable[[], None]) -> None:
    """Writes beside the file, then renames: whoever looks, at any moment, sees the old bytes or the new ones."""
    draft = path.with_name(f".octavo-{digest(os.fsencode(path.name))[:16]}.draft")
    try:
        with suppress(FileNotFoundError):
            draft.unlink()  # of a process that was killed: the folder's lock is ours
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(draft, flags, 0o666 if file is None else 0o600)
        with os.fdopen(descriptor, "wb") as written:
            written.write(content)
            written.flush()
            if file is not None:
                _same_access(descriptor, file)
            os.fsync(descriptor)
        check()
        draft.replace(path)
    except OSError as error:
        _discard(draft)
        raise StorageError(f"{path.name} could not be written: {error.strerror}", hint="nothing was changed") from error
    except BaseException:
        _discard(draft)
        raise
    _sync_folder(path.parent)


def _same_access(descriptor: int, file: File) -> None:
    if hasattr(os, "fchown"):
        owner = file.path.stat()
        with suppress(OSError):  # only the superuser gives files away
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, file.mode)


def _discard(draft: Path) -> None:
    with suppress(OSError):
        draft.unlink()


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
