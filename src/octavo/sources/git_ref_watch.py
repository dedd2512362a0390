"""Which repositories have new commits: their refs and logs are compared by file times, without starting git."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from octavo.model.git_commit import Repository

COOLDOWN = 5.0
"""Seconds without a change before a repository is read: a rebase moves refs many times in a row."""

_MOST_REFS = 20_000  # files below refs/ to check; a repository with more has them packed


def watched_paths(repository: Repository) -> tuple[Path, ...]:
    """Files and folders that change when commits arrive: HEAD, the packed refs, and the folder of refs.

    For a shallow clone also the file with its boundary: deepening moves no ref.
    """
    common = repository.common
    names = {repository.git_dir / "HEAD", *(common / name for name in ("HEAD", "packed-refs", "refs", "shallow"))}
    return tuple(sorted(names))


class RefWatch:
    """Reports which repositories changed and then came to rest. Looks only at file times; git is not started.

    `changed` may be called any number of times; a repository is reported once per change.
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
        self._reported = {repository: _stamps(repository) for repository in repositories}
        self._seen = dict(self._reported)
        self._moved: dict[Repository, float] = {}

    def changed(self) -> tuple[Repository, ...]:
        now = self._clock()
        ready = []
        for repository, reported in self._reported.items():
            stamps = _stamps(repository)
            if stamps != self._seen[repository]:
                self._seen[repository] = stamps
                self._moved[repository] = now
            elif repository in self._moved and now - self._moved[repository] >= self._cooldown:
                del self._moved[repository]
                if stamps != reported:
                    ready.append(repository)
        for repository in ready:
            self._reported[repository] = self._seen[repository]
        return tuple(ready)

    def wait(self) -> float | None:
        """Seconds until `changed` may report a change it has noticed; None when nothing has changed."""
        if not self._moved:
            return None
        return max(0.0, min(self._moved.values()) + self._cooldown - self._clock())


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
