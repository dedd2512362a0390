"""Watching a library's folders, for as long as a block of code runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from octavo.engine.engine import Engine
from octavo.errors import LibraryClosed
from octavo.interfaces.python.argument_conversion import run
from octavo.interfaces.python.shared_engine_handle import Handle
from octavo.operations.library.indexing import indexing_run

if TYPE_CHECKING:
    from octavo.answers import IndexingRun, WatchAnswer

ChangeCallback = Callable[["IndexingRun"], object]
"""Takes the run that indexed a change, in the watcher's thread."""


class FolderWatch:
    """Folders that are being watched: a context manager. Closing it, or the library, ends the watch."""

    def __init__(self, handle: Handle, debounce_ms: int | None, changed: ChangeCallback | None) -> None:
        self._handle = handle
        if changed is not None:
            with handle.use() as engine:
                engine.watcher.on_report = lambda _: _report(engine, changed)
        run(handle, "watch", {"enabled": True, "debounce_ms": debounce_ms})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def state(self) -> WatchAnswer:
        """What is watched, and how many changes wait to be indexed."""
        answer: WatchAnswer = run(self._handle, "watch", {})
        return answer

    def close(self) -> None:
        """Stops watching. Closing twice, or after the library was closed, does nothing."""
        try:
            run(self._handle, "watch", {"enabled": False})
            with self._handle.use() as engine:
                engine.watcher.on_report = None
        except LibraryClosed:
            return


def _report(engine: Engine, changed: ChangeCallback) -> None:
    latest = engine.builds.latest
    if latest is not None:
        changed(indexing_run(latest))
