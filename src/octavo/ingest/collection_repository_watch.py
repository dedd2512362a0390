"""Watches the git repositories of collections, and tells those whose refs moved and have come to rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from octavo.errors import SourceError
from octavo.model.git_commit import Repository
from octavo.sources.git_ref_watch import COOLDOWN, RefWatch
from octavo.sources.git_repository_discovery import readable_repository


class HistoryWatch:
    """Follows repositories, by collection and folder; `moved` tells which of them changed.

    A repository counts as moved when it is first followed: what happened before is not known.
    """

    def __init__(self, *, cooldown: float = COOLDOWN, clock: Callable[[], float] = time.monotonic) -> None:
        self._cooldown = cooldown
        self._clock = clock
        self._watched: dict[tuple[str, Path, str], RefWatch | None] = {}
        self._fresh: dict[str, list[Repository]] = {}

    def follow(
        self, known: Mapping[str, tuple[Path, Iterable[str]]], *, outside: Collection[str] = frozenset()
    ) -> None:
        """Collection → its root, and the folders inside it that hold repositories.

        Those of the collections in `outside` may lie anywhere.
        """
        keys = {(name, root, prefix) for name, (root, prefixes) in known.items() for prefix in prefixes}
        self._watched = {key: watch for key, watch in self._watched.items() if key in keys}
        for key in sorted(keys - self._watched.keys()):
            name, root, prefix = key
            try:
                repository = readable_repository(root, prefix, outside=name in outside)
            except SourceError:
                self._watched[key] = None  # a run over the whole folder says why
                continue
            self._watched[key] = RefWatch([repository], cooldown=self._cooldown, clock=self._clock)
            self._fresh.setdefault(name, []).append(repository)

    def moved(self) -> dict[str, list[Repository]]:
        """By collection. Each is told of once for each time it moved."""
        moved_repositories, self._fresh = self._fresh, {}
        for (name, _, _), watch in self._watched.items():
            if watch is not None and (changed := watch.changed()):
                moved_repositories.setdefault(name, []).extend(changed)
        return moved_repositories

    def wait(self) -> float | None:
        """Seconds until what was seen to move may have come to rest; None while all is still."""
        waits = [wait for watch in self._watched.values() if watch is not None and (wait := watch.wait()) is not None]
        return min(waits, default=None)

    def again(self, moved: Mapping[str, Iterable[Repository]]) -> None:
        """Has `moved` tell these repositories once more."""
        for name, repositories in moved.items():
            self._fresh.setdefault(name, []).extend(repositories)
