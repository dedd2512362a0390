"""Who prepares files: this thread for a few, processes of their own for many."""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

from octavo.ingest.prepare import Failure, Origin, PreparedFile, Preparer
from octavo.ingest.transport import Packed, pack, unpack
from octavo.model.scan import SeenFile

_GROUP_BYTES = 400_000  # one message to a worker: large enough to hide the cost of sending it
_AHEAD_BYTES = 10_000_000  # prepared while a batch is being written: workers do not wait, and memory stays bounded

_SIZE = 8  # bytes that say how long an answer is

# What a worker runs. The path comes first, so that it finds the Octavo that started it wherever that lies.
_PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from octavo.engine.preparer_pool import serve
serve()
"""


class InlinePreparers:
    """Fits `ingest.pipeline.Preparers` without leaving the thread."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def prepare(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[PreparedFile, None, None]:
        try:
            for file in files:
                yield from self._preparer.with_members(origin, file)
        finally:
            self._preparer.close()


class ProcessPreparers:
    """Fits `ingest.pipeline.Preparers` with processes. Outcomes come back in the order of the files.

    The processes are plain ones that read from a pipe, not a pool of `multiprocessing`: that would run the caller's own
    script again in each, leave them behind when this process is killed, and end the run when one of them dies.
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
        self._working: list[_Process] = []
        self._stopped = False
        self._here: Preparer | None = None

    def prepare(self, files: list[SeenFile]) -> list[Packed]:
        process = self._process()
        if process is None:
            return self._prepare_here(files)
        try:
            answer: list[Packed] = process.ask((self._origin, files))
            return answer
        except _Died:
            self._mine.process = None
            process.end()
        if len(files) > 1:
            return [packed for file in files for packed in self.prepare([file])]
        # What killed it may have been the file or the machine, so the next run tries again.
        return [pack(PreparedFile(files[0], Failure("the process that was preparing it died", passing=True)))]

    def stop(self) -> None:
        """No process is left when this returns."""
        with self._lock:
            self._stopped = True
            for process in self._working:
                process.end()

    def _process(self) -> _Process | None:
        """This thread's process, or None where processes cannot be started."""
        found: _Process | None = getattr(self._mine, "process", None)
        if found is not None or self._here is not None:
            return found
        with self._lock:
            if self._stopped:
                return None
            try:
                found = _Process()
            except OSError:
                self._here = self._make()
                return None
            self._working.append(found)
        try:
            found.ask(self._make)
        except _Died:
            found.end()
            with self._lock:
                self._here = self._here or self._make()
            return None
        self._mine.process = found
        return found

    def _prepare_here(self, files: list[SeenFile]) -> list[Packed]:
        with self._lock:
            if self._stopped or self._here is None:
                return []
            return [pack(outcome) for outcome in self._here.files(self._origin, files)]


class _Died(Exception):
    """A process went away before it answered."""


class _Process:
    """A process that answers what it is sent, in a group of its own: Ctrl-C belongs to the owner of the library.

    Nobody else holds the other end of its pipe, so that it ends with this process however this process ends.
    """

    def __init__(self) -> None:
        apart: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        command = [sys.executable, "-c", _PROGRAM]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart)
        assert self._child.stdin is not None and self._child.stdout is not None
        self._to: IO[bytes] = self._child.stdin
        self._from: IO[bytes] = self._child.stdout
        self._greeted = False

    def ask(self, question: object) -> Any:
        try:
            if not self._greeted:
                self._greeted = True
                _send(self._to, pickle.dumps(sys.path))
            _send(self._to, pickle.dumps(question, pickle.HIGHEST_PROTOCOL))
            return _received(self._from)
        except (EOFError, OSError, ValueError, TypeError) as error:
            raise _Died from error

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        for channel in (self._to, self._from):
            with suppress(OSError):
                channel.close()


def _send(channel: IO[bytes], *parts: bytes) -> None:
    for part in parts:
        channel.write(part)
    channel.flush()


def _answer(channel: IO[bytes], value: Any) -> None:
    """Plain values, which `marshal` writes and reads in two thirds of the time that `pickle` takes."""
    message = marshal.dumps(value)
    _send(channel, len(message).to_bytes(_SIZE, "big"), message)


def _received(channel: IO[bytes]) -> Any:
    size = int.from_bytes(_exactly(channel, _SIZE), "big")
    return marshal.loads(_exactly(channel, size))


def _exactly(channel: IO[bytes], size: int) -> bytes:
    found = channel.read(size)
    if len(found) < size:
        raise EOFError
    return found


def serve() -> None:
    """A worker's life: it is told how to make a preparer, then prepares group after group until the pipe closes."""
    asked = sys.stdin.buffer
    # Answers have a channel of their own; whatever else is printed goes where errors go.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # A worker makes values and sends them away: nothing cyclic is left behind for the collector to find.
    gc.disable()
    try:
        preparer: Preparer = pickle.load(asked)()
        _answer(answers, "ready")
        while True:
            origin, files = pickle.load(asked)
            _answer(answers, [pack(outcome) for outcome in preparer.files(origin, files)])
    except (EOFError, BrokenPipeError):
        # Nothing is left to flush to: leave without the interpreter's farewell, which would complain about it.
        os._exit(0)
