"""What would have git wait, or read elsewhere, is found before git is started: pipes and devices among its files, links
and borrowed objects outside of the folder, configuration that is included from other files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from octavo.errors import SourceError
from octavo.model.commit import REPOSITORY
from octavo.sources.small_files import read_small

_NOT_READ = frozenset({"modules", "worktrees", "lfs", "annex", "hooks", "logs"})  # by the commands that are used
_MOST_FILES = 1_000_000
_LARGEST = 1 << 28  # bytes of a file that is no object: git reads it whole, and a hole has no end
_ALTERNATES = Path("objects") / "info" / "alternates"
_CONFIGURATIONS = ("config", "config.worktree")


def refuse_traps(base: Path, folder: Path, *, outside: bool) -> None:
    """`SourceError` for a repository that git must not be started on; `outside` allows what lies out of the `base`."""
    try:
        for place in _git_folders(folder):
            links = []
            for entry in _files(place):
                if entry.is_symlink():
                    links.append(Path(entry.path))
                if not entry.is_file() and not entry.is_dir() and Path(entry.path).exists():
                    raise _refused(folder, f"{entry.path} is neither a file nor a folder", "remove it")
                is_object = entry.path.startswith(f"{place}{os.sep}objects{os.sep}")
                if not is_object and entry.is_file() and entry.stat().st_size > _LARGEST:
                    raise _refused(folder, f"{entry.path} is too large", "remove it")
            if outside or not _is_below(base, place):
                continue
            for path in (*links, *_borrowed(place)):
                if not _is_below(base, path):
                    raise _refused(folder, f"it leads out of the collection's folder, to {os.path.realpath(path)}")
            if any(b"[include" in _head(place / name).lower() for name in _CONFIGURATIONS):
                raise _refused(folder, "its configuration includes other files")
    except OSError as error:
        raise _refused(folder, error.strerror or str(error), f"run `git -C {folder} fsck`") from error


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
        named = _head(place).partition(b"gitdir:")[2].strip()
        place = folder / os.fsdecode(named)
    elif not place.is_dir():
        place = folder  # bare, or none that git would open
    yield place
    shared = _head(place / "commondir").strip()
    if shared:
        yield place / os.fsdecode(shared)


def _files(place: Path) -> Iterator[os.DirEntry[str]]:
    """Everything in a folder of git's that is not a folder, links included."""
    pending, number = [str(place)], 0
    while pending:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                number += 1
                if number > _MOST_FILES:
                    raise OSError(0, f"it has more than {_MOST_FILES:,} files")
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                elif entry.name not in _NOT_READ:
                    pending.append(entry.path)


def _borrowed(place: Path) -> Iterator[Path]:
    """Other repositories whose objects are taken for this one's own."""
    for line in _head(place / _ALTERNATES).split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            yield place / "objects" / os.fsdecode(line.strip())


def _head(path: Path) -> bytes:
    """A small file of git's; nothing where there is none."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return read_small(path, links=True)
    return b""


def _is_below(base: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(base)
