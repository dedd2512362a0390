"""Markdown files below a folder: found by their relative path, read exactly, replaced whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from octavo.atomic_file_replacement import sync_folder
from octavo.errors import Conflict, InvalidArgument, NotFound, SourceError, StorageError
from octavo.fast_dataclass import dataclass
from octavo.note_editing.file_attribute_copying import same_access
from octavo.note_editing.no_overwrite_renames import exchange, rename_new, replace_keeping_streams
from octavo.parsing.code.generated_and_vendored_files import generator_mark

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd")
_DRAFT, _DRAFT_SUFFIX = ".octavo-", ".draft"
_STALE_SECONDS = 60.0
_OPEN_AT_ONCE = 100  # drafts without a name, each of which keeps a file open
_PROC = Path("/proc/self/fd")
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class File:
    """A file's bytes as they were read, and what tells whether it changed since."""

    path: Path
    content: bytes
    stamp: tuple[int, int, int]
    mode: int
    names: int = 1
    """How many hard links lead to it."""

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
        raise NotFound(f"there is no file {uri}", hint="`octavo doc create` makes one", details={"uri": uri}) from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.EILSEQ):
            raise InvalidArgument(f"{uri[:200]!r} cannot be a path here: {error.strerror}") from None
        raise SourceError(f"{uri} cannot be read: {error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise NotFound(f"{uri} is not a file", hint="name a Markdown file", details={"uri": uri})
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > largest:
            raise InvalidArgument(
                f"{uri} has {status.st_size:,} bytes, more than the {largest:,} that are edited",
                hint="raise writing.max_file_bytes, or divide the file",
            )
        try:
            content = file.read()
        except OSError as error:
            raise SourceError(f"{uri} cannot be read: {error.strerror}") from error
    return File(path, content, _stamp(status), stat.S_IMODE(status.st_mode), status.st_nlink)


def everything_below(root: Path) -> list[str]:
    """The relative paths of all files and folders, without what is in hidden folders: what a link can lead to."""
    paths: list[str] = []
    base = os.path.realpath(root)
    for folder, below, files in os.walk(base):
        within = os.path.relpath(folder, base)
        prefix = "" if within == "." else within.replace(os.sep, "/") + "/"
        paths += (prefix + name for name in (*below, *files))
        below[:] = [name for name in below if not name.startswith(".")]
    return paths


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


def refuse_irreplaceable(file: File) -> None:
    """Another file takes its place: what may not be written stays, and so do names that lead to the same bytes."""
    if file.names > 1:
        raise StorageError(
            f"{file.path.name} has {file.names} names (hard links), and the others would keep the old text",
            hint="edit the file itself, or give it bytes of its own first: `cp -p NOTE copy && mv copy NOTE`",
        )
    if not file.mode & _WRITABLE or not os.access(file.path, os.W_OK):
        raise StorageError(f"{file.path.name} is read-only", hint="make it writable first")


def overwrite(file: File, content: bytes) -> None:
    """Puts new bytes in a file's place at once; a file that changed since it was read stays."""
    overwrite_all([(file, content)])


def overwrite_all(changes: Sequence[tuple[File, bytes]]) -> None:
    """The same for several files: all of them get their new bytes, or after an error none has."""
    drafts: list[StagedFile] = []
    replaced: list[tuple[File, StagedFile]] = []
    try:
        for file, content in changes:
            drafts.append(StagedFile(file.path, content, file, named=len(changes) > _OPEN_AT_ONCE))
        for file, _ in changes:
            if _stamp_at(file.path) != file.stamp:
                raise _changed_meanwhile(file.path)
        for (file, _), draft in zip(changes, drafts, strict=True):
            draft.replace(file.stamp)
            replaced.append((file, draft))
    except BaseException as error:
        for draft in drafts:
            draft.discard()
        for file, draft in replaced:
            with suppress(OSError, Conflict):  # what somebody saved since stays
                back = StagedFile(file.path, file.content, file)
                try:
                    back.replace(draft.stamp)
                finally:
                    back.discard()
        if isinstance(error, OSError):
            name = changes[len(replaced)][0].path.name if len(changes) > 1 else changes[0][0].path.name
            raise StorageError(f"{name} could not be written: {error.strerror}", hint="nothing was changed") from error
        raise
    for folder in {file.path.parent for file, _ in changes}:
        sync_folder(folder)


def _changed_meanwhile(path: Path) -> Conflict:
    return Conflict(f"{path.name} changed while it was edited", hint="read it again, and then edit")


def _stamp_at(path: Path) -> tuple[int, int, int] | None:
    try:
        return _stamp(path.lstat())
    except OSError:
        return None


def write_new(path: Path, content: bytes) -> None:
    """Writes a file that is not there yet, and the folders above it; if that fails, these are removed again."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = StagedFile(path, content, None)
        try:
            draft.appear()
        except FileExistsError:
            raise Conflict(f"{path.name} was made meanwhile", hint="read it, and then edit") from None
        finally:
            draft.discard()
    except BaseException as error:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            raise StorageError(
                f"{path.name} could not be written: {error.strerror}", hint="nothing was changed"
            ) from error
        raise
    sync_folder(path.parent)


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def draft_name(path: Path) -> Path:
    """What the draft of a file is called, while it has a name."""
    return path.with_name(f"{_DRAFT}{digest(os.fsencode(path.name))[:16]}{_DRAFT_SUFFIX}")


class StagedFile:
    """New bytes beside a file, on the disk, to be put in its place at once.

    Where the system can, they have no name until then: a process that is killed leaves nothing behind. Elsewhere they
    have one for as long as they are written, and the next write in that folder removes what a killed process left.
    """

    def __init__(self, path: Path, content: bytes, file: File | None, *, named: bool = False) -> None:
        self.path = path
        self.name = draft_name(path)
        mode = 0o666 if file is None else 0o600
        _sweep(path.parent)
        with suppress(FileNotFoundError):
            self.name.unlink()  # of a process that was killed: the folder's lock is ours
        unnamed = None if named else unnamed_file(path.parent, mode)
        self.named = unnamed is None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._descriptor: int | None = os.open(self.name, flags, mode) if unnamed is None else unnamed
        try:
            with os.fdopen(self._descriptor, "wb", closefd=False) as written:
                written.write(content)
            if file is not None:
                same_access(self._descriptor, file.path, file.mode)
            os.fsync(self._descriptor)
            self.stamp = _stamp(os.fstat(self._descriptor))
        except BaseException:
            self.discard()
            raise
        if self.named:
            self._close()

    def replace(self, expected: tuple[int, int, int] | None = None) -> None:
        """Takes the file's place: whoever looks, at any moment, sees the old bytes or the new ones.

        Where the system can, the two change places, and what comes out is looked at: a file that is not the `expected`
        one goes back, however lately it came. Elsewhere the last look is right before.
        """
        if not self.named:
            self._link(self.name)
            self.named = True
        self._close()
        if expected is not None and self._exchanged():
            if _stamp_at(self.name) != expected:
                self._put_back()
                raise _changed_meanwhile(self.path)
            self.name.unlink()
        else:
            if expected is not None and _stamp_at(self.path) != expected:
                raise _changed_meanwhile(self.path)
            replace_keeping_streams(self.name, self.path)
        self.named = False

    def _put_back(self) -> None:
        """What came out belongs to somebody else: it goes back, and is never taken for a draft."""
        self.named = False
        try:
            exchange(self.name, self.path)
        except FileNotFoundError:
            rename_new(self.name, self.path)
        else:
            self.named = True

    def _exchanged(self) -> bool:
        try:
            return exchange(self.name, self.path)
        except FileNotFoundError:
            raise _changed_meanwhile(self.path) from None

    def appear(self) -> None:
        """Takes a place where there is no file; `FileExistsError` where there is one."""
        if not self.named:
            self._link(self.path)
            self._close()
            return
        rename_new(self.name, self.path)
        self.named = False

    def discard(self) -> None:
        self._close()
        if self.named:
            with suppress(OSError):
                self.name.unlink()
            self.named = False

    def _link(self, name: Path) -> None:
        folder = os.open(name.parent, os.O_RDONLY)
        try:
            # With a folder's descriptor the link in /proc is followed, to the file that has no name yet.
            os.link(f"/proc/self/fd/{self._descriptor}", name.name, dst_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def unnamed_file(folder: Path, mode: int) -> int | None:
    """A file without a name in a folder, where the system has such."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not _PROC.is_dir():
        return None
    try:
        return os.open(folder, os.O_WRONLY | flag, mode)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT):
            return None
        raise


def _sweep(folder: Path) -> None:
    """Removes what killed processes left, once nobody can be writing it any more."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_DRAFT) and entry.name.endswith(_DRAFT_SUFFIX):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                        Path(entry.path).unlink()
