"""Repositories under a collection, and what to look at to learn that one of them moved on.

A repository is looked for in folders that a scan listed, so that what a collection ignores stays ignored. Inside
one, only its submodules are: any other repository in there is somebody's private matter. Worktrees of one repository
share its history, which is told once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recto.errors import SourceError
from recto.model.commit import REPOSITORY, Repository
from recto.sources.git import opened

DEPTH = 6
"""How many folders below the root a repository may lie."""

COOLDOWN = 5.0
"""Seconds without a change before a repository is read: a rebase moves refs many times in a row."""

_MOST = 200  # repositories in one collection
_MOST_REFS = 20_000  # files below refs/ that are looked at; a repository with more keeps them packed


@dataclass(frozen=True, slots=True)
class Unread:
    """A repository that git will not read, and why."""

    prefix: str
    reason: str
    hint: str | None = None


def repositories(root: Path, listed: Iterable[str]) -> tuple[list[Repository], list[Unread]]:
    """What lies in the listed folders, the outermost first; submodules after the repository that holds them."""
    found: list[Repository] = []
    unread: list[Unread] = []
    inside: dict[str, frozenset[str]] = {}
    histories: set[Path] = set()
    base = Path(os.path.realpath(root))
    for prefix in sorted(listed, key=lambda one: (one.count("/") + bool(one), one)):
        if prefix.count("/") + bool(prefix) > DEPTH or len(found) >= _MOST:
            break
        above = _above(prefix, inside)
        if above is not None and prefix not in inside[above]:
            continue
        folder = base / prefix
        if not _holds_repository(folder):
            continue
        inside[prefix] = _submodules(folder, prefix)
        try:
            repository = opened(folder, prefix)
        except SourceError as error:
            unread.append(Unread(prefix, error.message, error.hint))
            continue
        if repository.common not in histories:
            histories.add(repository.common)
            found.append(repository)
    return found, unread


def holds_repository(root: Path, prefix: str) -> bool:
    """Whether there is still a repository in this folder; True where that cannot be known."""
    try:
        return _holds_repository(Path(os.path.realpath(root)) / prefix)
    except OSError:
        return True


def watched_paths(repository: Repository) -> tuple[Path, ...]:
    """Files and folders whose change says that commits may have come: HEAD, the packed refs, and the folder of refs.

    Of a shallow clone also where it ends: deepening it moves no ref.
    """
    common = repository.common
    names = {repository.git_dir / "HEAD", *(common / name for name in ("HEAD", "packed-refs", "refs", "shallow"))}
    return tuple(sorted(names))


class RefWatch:
    """Tells which repositories moved on and have come to rest since. Looks at times of files only: no git is started.

    `changed` may be asked as often as one likes; a repository is named once for each time it moved.
    """

    def __init__(
        self,
        repositories: Sequence[Repository],
        *,
        cooldown: float = COOLDOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cooldown = cooldown
        self._clock = clock
        self._told = {one: _stamps(one) for one in repositories}
        self._seen = dict(self._told)
        self._moved: dict[Repository, float] = {}

    def changed(self) -> tuple[Repository, ...]:
        now = self._clock()
        ready = []
        for repository, told in self._told.items():
            stamps = _stamps(repository)
            if stamps != self._seen[repository]:
                self._seen[repository] = stamps
                self._moved[repository] = now
            elif repository in self._moved and now - self._moved[repository] >= self._cooldown:
                del self._moved[repository]
                if stamps != told:
                    ready.append(repository)
        for repository in ready:
            self._told[repository] = self._seen[repository]
        return tuple(ready)

    def wait(self) -> float | None:
        """Seconds until `changed` may have something to tell of what it has seen move; None while all is still."""
        if not self._moved:
            return None
        return max(0.0, min(self._moved.values()) + self._cooldown - self._clock())


def _above(prefix: str, inside: Mapping[str, frozenset[str]]) -> str | None:
    """The innermost repository around a folder, if there is one."""
    while prefix:
        prefix = prefix.rpartition("/")[0]
        if prefix in inside:
            return prefix
    return None


def _holds_repository(folder: Path) -> bool:
    if (folder / REPOSITORY).exists():
        return True
    # A bare repository is its own folder: told by what git itself looks for.
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _submodules(folder: Path, prefix: str) -> frozenset[str]:
    """The folders of submodules, by what `.gitmodules` says: `path = lib/thing`."""
    try:
        lines = (folder / ".gitmodules").read_text("utf-8", "replace")[:1_000_000].split("\n")
    except OSError:
        return frozenset()
    named = (line.partition("=")[2].strip().strip('"').strip("/") for line in lines if _names_path(line))
    start = f"{prefix}/" if prefix else ""
    return frozenset(start + path for path in named if path and ".." not in path.split("/"))


def _names_path(line: str) -> bool:
    return line.partition("=")[0].strip().lower() == "path"


def _stamps(repository: Repository) -> tuple[tuple[str, int, int], ...]:
    stamps: list[tuple[str, int, int]] = []
    for path in watched_paths(repository):
        if path.name == "refs":
            for folder, below, files in os.walk(path):
                below.sort()
                stamps += filter(None, (_stamp(os.path.join(folder, name)) for name in files))  # noqa: PTH118
                if len(stamps) > _MOST_REFS:
                    break
        elif stamp := _stamp(str(path)):
            stamps.append(stamp)
    return tuple(sorted(stamps))


def _stamp(path: str) -> tuple[str, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return path, status.st_mtime_ns, status.st_size
