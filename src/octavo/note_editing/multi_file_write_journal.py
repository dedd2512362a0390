"""Several files changed together or not at all, also by a process that is killed half-way.

Before the first of them changes, what is about to be replaced is written to a journal, which is removed when all have
changed. Whoever takes the folder's lock and finds one puts everything back. It is whole or not there, and putting back
can be interrupted and begun again.

The journal is kept with the library, never in the folder: a folder may come from anyone, and what lies in it is data.
It is named by the device and inode of its folder, and says nothing about any other.
"""

from __future__ import annotations

import base64
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from octavo.atomic_file_replacement import replace_file, sync_folder
from octavo.errors import StorageError
from octavo.fast_dataclass import dataclass
from octavo.note_editing.note_files import File, StagedFile, digest, draft_name
from octavo.observability.logs import logger
from octavo.path_resolution_and_private_folders import make_folder

_VERSION = 2  # 1 lay in the folder itself, and is never read


@dataclass(frozen=True, slots=True)
class Journal:
    """Where the pending writes of a folder are kept."""

    root: Path
    path: Path

    @property
    def interrupted(self) -> bool:
        """Whether a writer was stopped half-way, or is at work."""
        return os.path.lexists(self.path)


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that gets another path, and the folders that are made for it."""

    source: Path
    target: Path
    made: Sequence[Path] = ()


def journal_of(root: Path, journals: Path) -> Journal:
    """The journal of a folder, among the `journals` of a library; `OSError` where there is no such folder."""
    base = Path(os.path.realpath(root))
    status = base.stat()
    return Journal(base, journals / f"{status.st_dev:x}-{status.st_ino:x}.json")


@contextmanager
def all_or_nothing(journal: Journal, changes: Sequence[tuple[File, bytes]], renamed: Renamed | None) -> Iterator[None]:
    """Around the changes; the folder's lock is the caller's. After an exception everything is as it was."""
    try:
        _write(journal.path, _written(journal.root, changes, renamed))
    except OSError as error:
        raise StorageError(
            f"{journal.path} cannot be written: {error.strerror}", hint="nothing was changed; make room, and try again"
        ) from error
    try:
        yield
    except BaseException:
        with suppress(StorageError):  # the journal stays, and whoever comes next tries again
            put_back(journal)
        raise
    journal.path.unlink()
    sync_folder(journal.path.parent)


def put_back(journal: Journal) -> None:
    """Takes back what a writer that was stopped half-way had changed; what somebody changed since stays."""
    if not journal.interrupted:
        return
    try:
        _put_back(journal.root, _read(journal))
        journal.path.unlink()
        sync_folder(journal.path.parent)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise StorageError(
            f"what a writer left half done in {journal.root} could not be put back: {error}",
            hint=f"make room and try again; the old files are in {journal.path}: without it, nothing is put back",
        ) from error


def _put_back(base: Path, kept: dict[str, Any]) -> None:
    moved = kept["renamed"]
    files = [(path, entry) for entry in kept["files"] if (path := _below(base, entry["path"]))]
    for path, _ in files:
        draft_name(path).unlink(missing_ok=True)
    if moved is not None:
        source, target = _below(base, moved["source"]), _below(base, moved["target"])
        if target and target.parent.is_dir():
            draft_name(target).unlink(missing_ok=True)
        if source and target and _is_own(target) and (not os.path.lexists(source) or source.samefile(target)):
            target.rename(source)
            sync_folder(source.parent)
        for folder in moved["made"]:
            with suppress(OSError):
                (_below(base, folder) or base).rmdir()
    for path, entry in files:
        _restore(path, entry)


def _restore(path: Path, entry: dict[str, Any]) -> None:
    if not _is_own(path):
        logger("writing").warning("%s is gone, and is not put back", path)
        return
    present, status = path.read_bytes(), path.stat()
    if digest(present) == entry["new"]:
        content = base64.b64decode(entry["old"])
        StagedFile(path, content, File(path, present, (0, 0, 0), status.st_mode & 0o7777)).replace()
        sync_folder(path.parent)


def _is_own(path: Path) -> bool:
    """Whether there is a file, and not a link to one."""
    return path.is_file() and not path.is_symlink()


def _below(base: Path, name: str) -> Path | None:
    """A path of the journal, which has no links in it; None where one leads elsewhere by now."""
    path = base / name
    if path != base and path.is_relative_to(base) and os.path.realpath(path.parent) == str(path.parent):
        return path
    logger("writing").warning("%s is not in %s any more, and is not put back", name, base)
    return None


def _written(base: Path, changes: Sequence[tuple[File, bytes]], renamed: Renamed | None) -> bytes:
    """The old bytes of each file at its old place, and the hash of the new ones."""
    files = []
    for file, content in changes:
        path = renamed.source if renamed is not None and file.path == renamed.target else file.path
        old = base64.b64encode(file.content).decode("ascii")
        files.append({"path": path.relative_to(base).as_posix(), "old": old, "new": digest(content)})
    moved = renamed and {
        "source": renamed.source.relative_to(base).as_posix(),
        "target": renamed.target.relative_to(base).as_posix(),
        "made": [folder.relative_to(base).as_posix() for folder in renamed.made],
    }
    return json.dumps({"version": _VERSION, "root": str(base), "renamed": moved, "files": files}).encode()


def _write(path: Path, content: bytes) -> None:
    """Readable by its owner alone, since it holds whole notes; there at once, and on the disk."""
    make_folder(path.parent)
    replace_file(path, content)


def _read(journal: Journal) -> dict[str, Any]:
    """Only what this module wrote: a regular file, of this account or of the one that owns the folder."""
    descriptor = os.open(journal.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        owners = (os.geteuid(), journal.root.stat().st_uid) if hasattr(os, "geteuid") else (status.st_uid,)
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in owners:
            raise ValueError("the journal is not a file of yours")
        kept = json.loads(stream.read())
    if not isinstance(kept, dict) or kept.get("version") != _VERSION:
        raise ValueError("the journal is none of this version")
    return kept
