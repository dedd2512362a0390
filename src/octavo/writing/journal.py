"""Several files changed together or not at all, also by a process that is killed half-way.

Before the first of them changes, what is about to be replaced is written to one file in the folder; when all have
changed it is removed. Whoever takes the folder's lock and finds it puts everything back. It is whole or not there, and
putting back can be interrupted and begun again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from octavo.dataclass import dataclass
from octavo.errors import StorageError
from octavo.observability.logs import logger
from octavo.writing.files import Draft, File, digest, draft_name, sync_folder

JOURNAL = ".octavo-writes.journal"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that gets another path, and the folders that are made for it."""

    source: Path
    target: Path
    made: Sequence[Path] = ()


@contextmanager
def all_or_nothing(root: Path, changes: Sequence[tuple[File, bytes]], renamed: Renamed | None) -> Iterator[None]:
    """Around the changes; the folder's lock is the caller's. After an exception everything is as it was."""
    base = root.resolve()
    journal = base / JOURNAL
    draft = None
    try:
        draft = Draft(journal, _written(base, changes, renamed), None)
        draft.appear()
        sync_folder(base)
    except OSError as error:
        raise StorageError(f"{base.name} cannot be written: {error.strerror}", hint="nothing was changed") from error
    finally:
        if draft is not None:
            draft.discard()
    try:
        yield
    except BaseException:
        with suppress(StorageError):  # the journal stays, and whoever comes next tries again
            put_back(base)
        raise
    journal.unlink()
    sync_folder(base)


def interrupted(root: Path) -> bool:
    """Whether a writer was stopped half-way, or is at work."""
    return (root / JOURNAL).exists()


def put_back(root: Path) -> None:
    """Takes back what a writer that was stopped half-way had changed; what somebody changed since stays."""
    if not interrupted(root):
        return
    base = root.resolve()
    journal = base / JOURNAL
    try:
        _put_back(base, json.loads(journal.read_bytes()))
        journal.unlink()
        sync_folder(base)
    except (OSError, ValueError) as error:
        raise StorageError(
            f"what a writer left half done in {base} could not be put back: {error}",
            hint=f"make room and try again; the old files are in {journal}",
        ) from error


def _put_back(base: Path, kept: dict[str, Any]) -> None:
    moved = kept["renamed"]
    for entry in kept["files"]:
        draft_name(base / entry["path"]).unlink(missing_ok=True)
    if moved is not None:
        source, target = base / moved["source"], base / moved["target"]
        if target.parent.is_dir():
            draft_name(target).unlink(missing_ok=True)
        if target.is_file() and (not source.exists() or source.samefile(target)):
            target.rename(source)
            sync_folder(source.parent)
        for folder in moved["made"]:
            with suppress(OSError):
                (base / folder).rmdir()
    for entry in kept["files"]:
        _restore(base / entry["path"], entry)


def _restore(path: Path, entry: dict[str, Any]) -> None:
    if not path.is_file():
        logger("writing").warning("%s is gone, and is not put back", path)
        return
    present, found = path.read_bytes(), path.stat()
    if digest(present) == entry["new"]:
        content = base64.b64decode(entry["old"])
        Draft(path, content, File(path, present, (0, 0, 0), found.st_mode & 0o7777)).replace()
        sync_folder(path.parent)


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
    return json.dumps({"version": _VERSION, "renamed": moved, "files": files}).encode()
