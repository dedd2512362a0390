"""Who prepares files: this thread for a few, a pool of processes for many."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import active_children, get_context

from recto.ingest.prepare import Origin, Outcome, Preparer
from recto.ingest.transport import Packed, pack, unpack
from recto.sources.files import SeenFile

_GROUP_BYTES = 400_000  # one message to a worker: large enough to hide the cost of sending it
_AHEAD = 3  # groups per worker that may wait, so that memory stays bounded


class InlineWorkers:
    """Fits `ingest.pipeline.Workers` without leaving the thread."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def outcomes(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[Outcome, None, None]:
        for file in files:
            yield self._preparer.file(origin, file)


class ProcessWorkers:
    """Fits `ingest.pipeline.Workers` with a pool. Outcomes come back in the order of the files."""

    def __init__(self, make: Callable[[], Preparer], count: int) -> None:
        self._make = make
        self._count = count

    def outcomes(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[Outcome, None, None]:
        # spawn, not fork: threads of the model runtime may be running already.
        pool = ProcessPoolExecutor(self._count, get_context("spawn"), _begin, (self._make,))
        others = active_children()
        groups = iter(_groups(files))
        waiting: list[Future[list[Packed]]] = []
        try:
            while True:
                while len(waiting) < self._count * _AHEAD and (group := next(groups, None)) is not None:
                    with _interrupts_held():
                        waiting.append(pool.submit(_prepare, origin, group))
                if not waiting:
                    return
                wait(waiting[:1], return_when=FIRST_COMPLETED)
                yield from map(unpack, waiting.pop(0).result())
        except BaseException:
            # Nobody wants what the workers are still making, and they hold nothing that could be left half done.
            for process in active_children():
                if process not in others:
                    process.terminate()
            raise
        finally:
            # Waiting costs nothing here, and a pool left to the interpreter's exit can stumble over its own closing.
            pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until this is over, and a process started meanwhile never hears of it: it inherits the mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


_preparer: Preparer | None = None
"""One per worker process, made when it starts: its caches stay warm from file to file."""


def _begin(make: Callable[[], Preparer]) -> None:
    global _preparer
    # Ctrl-C belongs to the process that owns the library; workers just stop when it does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A worker makes values and sends them away: nothing cyclic is left behind for the collector to find.
    gc.disable()
    _preparer = make()


def _prepare(origin: Origin, files: list[SeenFile]) -> list[Packed]:
    assert _preparer is not None
    return [pack(_preparer.file(origin, file)) for file in files]
