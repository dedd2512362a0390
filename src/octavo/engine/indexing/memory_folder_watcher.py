"""Keeps folders of memories in step while a process watches: those synchronised before, and configured ones."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.engine.open_project_memories import project_memories
from octavo.errors import Busy, OctavoError, SourceError
from octavo.memory.folder_sync import TRASH, sync
from octavo.observability.logs import logger
from octavo.path_resolution_and_private_folders import expand_user, real_path

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary


class MemoryFolders:
    """Of one watcher, whose working thread calls everything but `_read`: a folder's own thread, which only wakes it."""

    def __init__(self, library: OpenLibrary, wake: Callable[[], None]) -> None:
        self._library = library
        self._wake = wake
        self._watched: dict[Path, threading.Event] = {}
        self._changed: set[Path] = set()

    def follow(self, begin: Callable[..., None]) -> None:
        """Watches the folders there are now. One that is not there is neither made nor taken for empty."""
        folders = {folder for folder in self._named() if folder.is_dir()}
        for folder, stop in tuple(self._watched.items()):
            if folder not in folders or stop.is_set():
                stop.set()
                del self._watched[folder]
        for folder in sorted(folders - self._watched.keys()):
            self._watched[folder] = stop = threading.Event()
            self._changed.add(folder)
            begin(self._read, f"octavo-memories-{folder.name}", folder, stop)

    def step(self, *, everywhere: bool) -> None:
        """Takes in what changed in the folders; `everywhere`, writes out too what changed in the library."""
        due = sorted(folder for folder in self._watched if everywhere or folder in self._changed)
        self._changed.clear()
        for folder in due:
            try:
                report = sync(project_memories(self._library), folder)
            except Busy:
                self._changed.add(folder)
                raise
            except OctavoError as error:
                logger("watch").warning("the memories in %s are not in step: %s", folder, error.message)
                continue
            if report.created or report.revised:
                logger("watch").info("%d memories from %s", len(report.created) + len(report.revised), folder.name)

    def stop(self) -> None:
        for stop in tuple(self._watched.values()):
            stop.set()

    def _named(self) -> set[Path]:
        library, watch = self._library, self._library.config.watch
        known = library.store.memories.folders(library.project.id) if watch.memories else ()
        return {real_path(expand_user(Path(name))) for name in (*known, *watch.memory_folders)}

    def _read(self, folder: Path, stop: threading.Event) -> None:
        watch = self._library.config.watch
        changes = self._library.adapters.sources(self._library.config).changes
        try:
            for paths in changes(folder, stop, self._wake, polling=watch.polling, poll_ms=watch.poll_ms):
                if any(not path.startswith(TRASH) for path in paths):
                    self._changed.add(folder)
                    self._wake()
        except SourceError as error:
            logger("watch").warning("%s", error.message)
            stop.set()  # watched again at the next look, if it is there then
