"""Refuses a repository whose files could make git wait or read elsewhere, before git is started on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from octavo.bounded_file_reading import read_small
from octavo.errors import SourceError
from octavo.model.git_commit import REPOSITORY

_NOT_READ = frozenset({"modules", "lfs", "annex", "hooks", "logs"})  # of a repository, by the commands that are used
_MOST_FILES = 1_000_000
_LARGEST = 1 << 28  # bytes of a file that is no object: git reads it whole, and a hole has no end
_MOST_STORES = 100  # git itself follows five, one after the other
_ALTERNATES = Path("info") / "alternates"
_CONFIGURATIONS = ("config", "config.worktree")


def refuse_traps(base: Path, folder: Path, *, outside: bool) -> frozenset[Path]:
    """The folders that git will read for a repository. `SourceError` for one that git must not be started on; `outside`
    allows what lies out of the `base`."""
    examined: set[Path] = set()
    try:
        pending, stores = list(_git_folders(folder)), set[Path]()
        while pending:
            place = Path(os.path.realpath(pending.pop(0)))
            if place in examined:
                continue
            examined.add(place)
            confined = not outside and place.is_relative_to(base)
            objects = place if place in stores else os.path.realpath(place / "objects")
            for entry in _files(place):
                if confined and entry.is_symlink():
                    _refuse_outside(base, folder, Path(entry.path))
                if not entry.is_file() and not entry.is_dir() and Path(entry.path).exists():
                    raise _refused(folder, f"{entry.path} is neither a file nor a folder", "remove it")
                is_object = entry.path.startswith(f"{objects}{os.sep}")
                if not is_object and entry.is_file() and entry.stat().st_size > _LARGEST:
                    raise _refused(folder, f"{entry.path} is too large", "remove it")
            for store in _borrowed(place):
                if confined:
                    _refuse_outside(base, folder, store)
                pending.append(store)
                stores.add(Path(os.path.realpath(store)))
                if len(stores) > _MOST_STORES:
                    raise _refused(folder, f"it borrows objects from more than {_MOST_STORES} others", "repack it")
            if confined and any(b"[include" in _head(place / name).lower() for name in _CONFIGURATIONS):
                raise _refused(folder, "its configuration includes other files")
    except OSError as error:
        raise _refused(folder, error.strerror or str(error), f"run `git -C {folder} fsck`") from error
    return frozenset(examined)


def _refuse_outside(base: Path, folder: Path, path: Path) -> None:
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(base):
        raise _refused(folder, f"it leads out of the collection's folder, to {target}")


def _refused(
    folder: Path,
    reason: str,
    hint: str = "if you want that history, allow it with `octavo add --outside-git` or history.outside_git",
) -> SourceError:
    return SourceError(f"the repository in {folder} is not read: {reason}", hint=hint)


def _git_folders(folder: Path) -> Iterator[Path]:
    """The folder that git reads for a worktree, and the one that it shares with others."""
    place = folder / REPOSITORY
    if place.is_file():
        place = folder / _named(_head(place).removeprefix(b"gitdir: "))
    elif not place.is_dir():
        place = folder  # bare, or none that git would open
    yield place
    if shared := _head(place / "commondir"):
        yield place / _named(shared)


def _named(content: bytes) -> str:
    """A path as git reads it: a blank at its end belongs to it."""
    return os.fsdecode(content.partition(b"\0")[0].rstrip(b"\r\n"))


def _files(place: Path) -> Iterator[os.DirEntry[str]]:
    """Everything in a folder of git's that is not a folder, links included, and what lies in folders behind links."""
    pending, behind_links, number = [str(place)], {str(place)}, 0
    while pending:
        listed = pending.pop()
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(listed) as entries:
            for entry in entries:
                number += 1
                if number > _MOST_FILES:
                    raise OSError(0, f"it has more than {_MOST_FILES:,} files")
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                    target = os.path.realpath(entry.path) if entry.is_symlink() and entry.is_dir() else ""
                    if target and target not in behind_links:
                        behind_links.add(target)
                        pending.append(target)
                elif listed != str(place) or entry.name not in _NOT_READ:
                    pending.append(entry.path)


def _borrowed(place: Path) -> Iterator[Path]:
    """Other repositories whose objects are taken for this one's own; `place` is a repository, or such a store."""
    for store in (place / "objects", place):
        # Once each: a line that is repeated a thousand times is looked up a thousand times.
        for line in dict.fromkeys(_head(store / _ALTERNATES).partition(b"\0")[0].split(b"\n")):
            if line.startswith(b'"'):
                raise OSError(0, "the list of repositories that it borrows from has quoted names")
            if line and not line.startswith(b"#"):
                yield store / os.fsdecode(line)


def _head(path: Path) -> bytes:
    """A small file of git's; nothing where there is none."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return read_small(path, links=True)
    return b""
