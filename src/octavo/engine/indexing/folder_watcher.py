"""Keeps a library in step with its folders while a process lives.

A thread for each folder notes where something happened; one worker waits until a folder has been quiet for a while,
looks at those paths alone, and indexes what is new there. Now and then, and first of all, a whole folder is compared by
`stat`: what happened while nobody watched, or was missed, is found then. Whatever goes wrong is tried again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.engine.indexing.folder_and_change_indexing import is_stale
from octavo.engine.indexing.git_history_updates import follow_histories
from octavo.engine.indexing.index_runs import Stopped
from octavo.engine.indexing.memory_folder_watcher import MemoryFolders
from octavo.engine.search.index_freshness import unseen
from octavo.errors import Busy, OctavoError, SourceError
from octavo.fast_dataclass import dataclass
from octavo.ingest.collection_repository_watch import HistoryWatch
from octavo.ingest.indexing_report import IndexReport
from octavo.model.git_commit import is_repository
from octavo.model.projects_and_collections import Collection, FolderState
from octavo.observability.logs import logger
from octavo.path_resolution_and_private_folders import real_path

if TYPE_CHECKING:
    from octavo.config.schema import Watch
    from octavo.engine.library_indexing import Writer
    from octavo.engine.library_search import Reader
    from octavo.engine.open_project_library import OpenLibrary

WATCHING, POLLING, STARTING, MISSING, FAILED = "watching", "polling", "starting", "missing", "failed"

_LONGEST = 10  # debounces: under a stream of changes that never pauses, this is when they are taken in all the same
_STORM = 2_000  # paths: more than this, and looking at the whole folder is cheaper
RETRY_SECONDS = 5.0  # for a folder that is not there
BUSY_SECONDS = 1.0  # for a library another process is writing
LOOK_SECONDS = 5.0  # how often other processes' changes to the collections are looked for
_FIRST_LOOK_SECONDS = 0.1  # between two looks for the first documents: batches commit without telling
_MEMORY_PAUSE = 0.3  # seconds after a change in a folder of memories
_LOOKED_AT = 64  # paths that a search compares with the library; of more it is said that they changed
EMBED_AT_ONCE = 32  # inputs between two looks at what changed: shorter than the usual debounce
PAUSE_SECONDS = 0.25  # after them: another process may be waiting to index, and looks as often


@dataclass(frozen=True, slots=True)
class WatchState:
    active: bool
    folders: tuple[FolderState, ...] = ()
    last_event: float | None = None
    """When something was last noticed in a folder."""

    @property
    def queued(self) -> int:
        return sum(folder.queued for folder in self.folders)


@dataclass(frozen=True, slots=True)
class QueuedPath:
    """When something first and last happened at a path that is to be looked at."""

    first: float
    last: float

    def due(self, debounce: float) -> float:
        return min(self.last + debounce, self.first + _LONGEST * debounce)


@dataclass(slots=True)
class WatchedFolder:
    """One watched collection, guarded by the condition of its `Watching`."""

    collection: Collection
    stop: threading.Event = field(default_factory=threading.Event)
    state: str = STARTING
    detail: str = ""
    paths: dict[str, QueuedPath] = field(default_factory=dict)
    whole: bool = False
    looking: frozenset[str] = frozenset()
    first: float = 0.0
    last: float = 0.0
    compared: float = 0.0

    @property
    def queued(self) -> int:
        return len(self.paths) + self.whole + len(self.looking)

    def due(self, debounce: float) -> float | None:
        """When the first of what is queued is to be looked at; None when nothing is."""
        if self.whole:
            return min(self.last + debounce, self.first + _LONGEST * debounce)
        return min((queued.due(debounce) for queued in self.paths.values()), default=None)

    def take(self, now: float, debounce: float) -> frozenset[str]:
        """What is to be looked at now; "" stands for all of it. A file that keeps changing does not hold up others."""
        if self.whole:
            self.paths, self.whole = {}, False
            return frozenset({""})
        # With those that are nearly due: both names of a moved file belong into one look.
        settled = frozenset(
            path
            for path, queued in self.paths.items()
            if queued.due(debounce) <= now or now - queued.last >= debounce / 2
        )
        self.paths = {path: queued for path, queued in self.paths.items() if path not in settled}
        return settled


class Watcher:
    """Follows the folders of one library. Off until started; `on_report` is called after each run that changed it."""

    def __init__(self, library: OpenLibrary, reader: Reader, writer: Writer) -> None:
        self._library = library
        self._reader = reader
        self._writer = writer
        self.settings = library.config.watch
        self.condition = threading.Condition()
        self.folders: dict[str, WatchedFolder] = {}
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        self._active = False
        self._look_at = 0.0
        self._more = False  # vectors to make, without waiting for the next look
        self._last_event: float | None = None
        self._memories = MemoryFolders(library, self._look_soon)
        self.on_report: Callable[[IndexReport], None] | None = None

    @property
    def active(self) -> bool:
        return self._active

    def state(self) -> WatchState:
        with self.condition:
            folders = sorted(self.folders.values(), key=lambda folder: folder.collection.name)
            return WatchState(
                self._active,
                tuple(
                    FolderState(folder.collection.name, folder.state, folder.queued, folder.detail or None)
                    for folder in folders
                ),
                self._last_event,
            )

    def unseen(self) -> int:
        """How much of what is queued the library does not say yet; of many changes, how many are queued."""
        with self.condition:
            queued = [
                (each.collection, {*each.paths, *each.looking, *[""] * each.whole}) for each in self.folders.values()
            ]
        return sum(
            len(paths) if "" in paths or len(paths) > _LOOKED_AT else unseen(self._library, collection, sorted(paths))
            for collection, paths in queued
            if paths
        )

    def start(self, settings: Watch | None = None) -> None:
        with self.condition:
            self.settings = settings or self.settings
            if self._active:
                self.condition.notify_all()
                return
            self._active, self._stop = True, threading.Event()
        self._begin(self._work, "octavo-watch")

    def stop(self, timeout: float = 5.0) -> bool:
        """Whether every thread ended in time. A run under way ends at its next report."""
        with self.condition:
            if not self._active:
                return True
            self._active = False
            self._stop.set()
            self._memories.stop()
            for folder in self.folders.values():
                folder.stop.set()
            self.condition.notify_all()
            threads, self._threads = self._threads, []
            self.folders = {}
        deadline = time.monotonic() + timeout
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def reads_first_time(self) -> bool:
        """Whether there are folders that have never been compared with the library, and soon will be."""
        folders = any(collection.on_disk for collection in self._library.collections())
        return self._active and folders and self._reader.freshness().age_seconds is None

    def await_documents(self, seconds: float) -> bool:
        """Waits until such folders have documents that can be searched, or have been read; false if neither came."""
        deadline = time.monotonic() + seconds
        while not self._reader.freshness().documents and self.reads_first_time() and time.monotonic() < deadline:
            with self.condition:
                self.condition.wait(_FIRST_LOOK_SECONDS)
        # How many documents there are may have been counted before they came.
        return not self.reads_first_time() or bool(self._reader.freshness().documents)

    def look_again(self) -> None:
        """Compares every folder with the library, at once."""
        with self.condition:
            for folder in self.folders.values():
                self._queue(folder, frozenset({""}), at_once=True)

    def _look_soon(self) -> None:
        """Once a file of a memory has been written to its end."""
        with self.condition:
            self._look_at = min(self._look_at, time.monotonic() + _MEMORY_PAUSE)
            self.condition.notify_all()

    def _begin(self, work: Callable[..., None], name: str, *given: object) -> None:
        thread = threading.Thread(target=work, args=given, name=name, daemon=True)
        with self.condition:
            self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        """The one thread that reads and writes the library."""
        stop, generation = self._stop, -1
        histories = HistoryWatch()
        self._look_at = 0.0
        while not stop.is_set():
            try:
                now = time.monotonic()
                if now >= self._look_at:
                    self._look_at = now + LOOK_SECONDS
                    seen = self._library.store.generation()
                    if seen != generation:
                        self._follow(stop)
                        follow_histories(self._library, histories)
                    self._memories.follow(self._begin)
                    self._memories.step(everywhere=seen != generation)
                    generation = seen  # not before: what failed is tried again at the next look
                    self._histories(histories)
                taken = self._take(stop)
                if taken is not None and not stop.is_set():
                    self._look(*taken)
                elif not stop.is_set():
                    self._embed()
            except (Stopped, Busy):
                stop.wait(BUSY_SECONDS)
            except OctavoError as error:
                logger("watch").warning("%s", error.message)
                stop.wait(RETRY_SECONDS)
            except Exception:
                logger("watch").exception("watching failed")
                stop.wait(RETRY_SECONDS)

    def _histories(self, watch: HistoryWatch) -> None:
        """Takes in the commits of repositories whose refs have moved and come to rest."""
        moved = watch.moved()
        if (rest := watch.wait()) is not None:
            self._look_at = min(self._look_at, time.monotonic() + rest)
        if not moved:
            return
        try:
            report = self._writer.index_moved(moved, patience=0.0)
        except BaseException:
            watch.again(moved)
            raise
        if self.on_report is not None and any(part.commits or part.commits_removed for part in report.collections):
            self.on_report(report)

    def _follow(self, stop: threading.Event) -> None:
        """Watches the collections there are now; one whose root or rules changed is looked at as a whole."""
        collections = {collection.name: collection for collection in self._library.collections() if collection.on_disk}
        with self.condition:
            if stop.is_set():
                return  # the folders are those of whoever started anew
            for name, folder in list(self.folders.items()):
                if collections.get(name) == folder.collection:
                    continue
                folder.stop.set()
                del self.folders[name]
            fresh = [collection for name, collection in collections.items() if name not in self.folders]
            for collection in fresh:
                self.folders[collection.name] = WatchedFolder(collection)
            begun = [self.folders[collection.name] for collection in fresh]
        for folder in begun:
            if not stop.is_set():
                self._begin(self._read, f"octavo-watch-{folder.collection.name}", folder)

    def _read(self, folder: WatchedFolder) -> None:
        """One folder's thread: notes where something happened until told to stop."""
        changes = self._library.adapters.sources(self._library.config).changes
        polling, poll_ms = self.settings.polling, self.settings.poll_ms
        why = ""

        def ready() -> None:
            with self.condition:
                folder.state, folder.detail = (POLLING if polling else WATCHING), why
                # What happened before anybody watched is found by comparing.
                self._queue(folder, frozenset({""}), at_once=True)

        while not folder.stop.is_set():
            try:
                for paths in changes(folder.collection.root, folder.stop, ready, polling=polling, poll_ms=poll_ms):
                    repositories = frozenset(filter(is_repository, paths))
                    if not (files := self._indexable(folder.collection, paths - repositories)) and not repositories:
                        continue
                    with self.condition:
                        self._last_event = self._library.adapters.clock()
                        if files:
                            self._queue(folder, files)
                        if repositories:
                            self._look_at = 0.0  # refs have moved
                            self.condition.notify_all()
                return
            except SourceError as error:
                there = folder.collection.root.is_dir()
                if there and not polling:
                    polling, why = True, error.message
                    continue
                with self.condition:
                    folder.state, folder.detail = (FAILED if there else MISSING), error.message
            folder.stop.wait(RETRY_SECONDS)

    def _indexable(self, collection: Collection, paths: frozenset[str]) -> frozenset[str]:
        """Without what the collection leaves out and the library's own files: each write would be a change."""
        own = self._library.location
        if isinstance(own, Path):
            root, library = real_path(collection.root), f"{real_path(own)}"
            beside = f"{library}-", f"{library}.snapshots/", f"{library}/"
            paths = frozenset(path for path in paths if not f"{root / path}/".startswith(beside))
        return self._library.adapters.sources(self._library.config).matter(collection, paths)

    def _queue(self, folder: WatchedFolder, paths: frozenset[str], *, at_once: bool = False) -> None:
        now = time.monotonic()
        if not folder.whole:
            folder.first = now
        for path in paths - {""}:
            before = folder.paths.get(path)
            folder.paths[path] = QueuedPath(now if before is None else before.first, now)
        if "" in paths or len(folder.paths) > _STORM:
            folder.whole = True
            folder.paths.clear()
        folder.last = now - self.settings.debounce_ms / 1e3 if at_once else now
        self.condition.notify_all()

    def _take(self, stop: threading.Event) -> tuple[WatchedFolder, frozenset[str]] | None:
        """Waits for a folder whose changes have settled; "" stands for all of it. None when it is time to look, or when
        there are more vectors to make."""
        with self.condition:
            while not stop.is_set():
                now, debounce = time.monotonic(), self.settings.debounce_ms / 1e3
                self._reconcile(now)
                due = {name: at for name, folder in self.folders.items() if (at := folder.due(debounce)) is not None}
                if due:
                    name = min(due, key=lambda folder_name: (due[folder_name], folder_name))
                    if due[name] <= now:
                        folder = self.folders[name]
                        folder.looking = folder.take(now, debounce)
                        return folder, folder.looking
                if self._more or now >= self._look_at:
                    return None
                self.condition.wait(max(0.01, min([self._look_at, *due.values()]) - now))
        return None

    def _reconcile(self, now: float) -> None:
        every = self.settings.reconciliation_interval_seconds
        for folder in self.folders.values():
            if every and folder.compared and now >= folder.compared + every and not folder.whole:
                self._queue(folder, frozenset({""}), at_once=True)

    def _look(self, folder: WatchedFolder, paths: frozenset[str]) -> None:
        """Indexes what is new at these paths. When that fails they are queued again: nothing is lost to a failure."""
        collection, whole = folder.collection, "" in paths
        looked: list[str] | None = None if whole else sorted(paths)
        trouble = ""
        try:
            if is_stale(self._library, collection, looked):
                report = self._writer.index_changes({collection.name: looked}, patience=0.0)
                if self.on_report is not None:
                    self.on_report(report)
        except SourceError as error:
            trouble = error.message
        except BaseException:
            with self.condition:
                folder.looking = frozenset()
                self._queue(folder, paths)
            raise
        with self.condition:
            folder.looking = frozenset()
            if whole:
                folder.compared = time.monotonic()
            if trouble:
                folder.state, folder.detail = MISSING, trouble
            elif folder.state == MISSING:
                folder.state, folder.detail = (POLLING if self.settings.polling else WATCHING), ""

    def _embed(self) -> None:
        """Some of what has no vector yet, between looks at what changed. A change that settles goes first."""
        self._more = False
        if self._reader.freshness().pending and not self.state().queued:
            self._more = self._writer.embed(EMBED_AT_ONCE, patience=0.0) == EMBED_AT_ONCE
            self._stop.wait(PAUSE_SECONDS)
