"""Prepares files for the index: a few in the calling thread, many in worker processes."""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from octavo.engine.processes.child_process import ChildProcess, Died
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.prepared_file import Origin, PreparationFailure, PreparedFile
from octavo.ingest.worker_message_serialization import Packed, pack, unpack
from octavo.model.folder_scan import SeenFile

_GROUP_BYTES = 400_000  # one message to a worker: large enough to hide the cost of sending it
_AHEAD_BYTES = 10_000_000  # prepared while a batch is being written: workers do not wait, and memory stays bounded


class InlinePreparers:
    """Fits `collection_indexing.Preparers` without leaving the thread."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def prepare(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[PreparedFile, None, None]:
        try:
            for file in files:
                yield from self._preparer.with_members(origin, file)
        finally:
            self._preparer.close()


class ProcessPreparers:
    """Fits `collection_indexing.Preparers` with processes. Outcomes come back in the order of the files.

    A process that dies takes along only the file it was at; a pool of `multiprocessing` would end the run.
    """

    def __init__(self, make: Callable[[], Preparer], count: int) -> None:
        self._make = make
        self._count = count

    def prepare(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[PreparedFile, None, None]:
        crew = _Crew(self._make, origin)
        groups = _groups(files)
        waiting: deque[tuple[Future[list[Packed]], int]] = deque()
        ahead = 0
        threads = ThreadPoolExecutor(self._count, "octavo-worker")
        try:
            while True:
                while len(waiting) <= self._count or ahead < _AHEAD_BYTES:
                    group = next(groups, None)
                    if group is None:
                        break
                    size = sum(file.stamp.size for file in group)
                    waiting.append((threads.submit(crew.prepare, group), size))
                    ahead += size
                if not waiting:
                    return
                prepared, size = waiting.popleft()
                yield from map(unpack, prepared.result())
                ahead -= size
        finally:
            crew.stop()
            threads.shutdown(cancel_futures=True)


def _groups(files: Sequence[SeenFile]) -> Iterator[list[SeenFile]]:
    group: list[SeenFile] = []
    size = 0
    for file in files:
        group.append(file)
        size += file.stamp.size
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


class _Crew:
    """A process for each thread that asks for one. One that dies takes along only the file it was at."""

    def __init__(self, make: Callable[[], Preparer], origin: Origin) -> None:
        self._make = make
        self._origin = origin
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._working: list[ChildProcess] = []
        self._stopped = False
        self._here: Preparer | None = None

    def prepare(self, files: list[SeenFile]) -> list[Packed]:
        process = self._process()
        if process is None:
            return self._prepare_here(files)
        try:
            answer: list[Packed] = process.ask((self._origin, files))
            return answer
        except Died:
            self._mine.process = None
            process.end()
        if len(files) > 1:
            return [packed for file in files for packed in self.prepare([file])]
        # What killed it may have been the file or the machine, so the next run tries again.
        return [
            pack(PreparedFile(files[0], PreparationFailure("the process that was preparing it died", passing=True)))
        ]

    def stop(self) -> None:
        """No process is left when this returns."""
        with self._lock:
            self._stopped = True
            for process in self._working:
                process.end()

    def _process(self) -> ChildProcess | None:
        """This thread's process, or None where processes cannot be started."""
        process: ChildProcess | None = getattr(self._mine, "process", None)
        if process is not None or self._here is not None:
            return process
        with self._lock:
            if self._stopped:
                return None
            try:
                process = ChildProcess()
            except OSError:
                self._here = self._make()
                return None
            self._working.append(process)
        try:
            process.begin(partial(_preparing, self._make))
        except Died:
            process.end()
            with self._lock:
                self._here = self._here or self._make()
            return None
        self._mine.process = process
        return process

    def _prepare_here(self, files: list[SeenFile]) -> list[Packed]:
        with self._lock:
            if self._stopped or self._here is None:
                return []
            return [pack(outcome) for outcome in self._here.files(self._origin, files)]


def _preparing(make: Callable[[], Preparer]) -> Callable[[tuple[Origin, list[SeenFile]]], list[Packed]]:
    """What a worker answers with."""
    # It makes values and sends them away: nothing cyclic is left behind for the collector to find.
    gc.disable()
    preparer = make()

    def prepared(request: tuple[Origin, list[SeenFile]]) -> list[Packed]:
        return [pack(outcome) for outcome in preparer.files(*request)]

    return prepared
