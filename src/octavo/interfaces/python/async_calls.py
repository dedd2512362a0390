"""Calls of a library awaited: the work is done in a thread, and its progress reported in the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from octavo.engine.index_runs import Stopped
from octavo.operations.python_methods import method_of
from octavo.operations.table import EVERY

if TYPE_CHECKING:
    from octavo.interfaces.python.library import Library
    from octavo.interfaces.python.progress import ProgressCallback, ProgressUpdate

_R = TypeVar("_R")
_THREADS = 8


class Threads:
    """The threads that work for one library. A closed library says so in the thread of the caller."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pool = ThreadPoolExecutor(_THREADS, "octavo-async")

    async def __call__(self, call: Callable[[], _R]) -> _R:
        if self._library.closed:
            return call()
        return await asyncio.wrap_future(self._pool.submit(call))

    async def run(self, name: str, arguments: Mapping[str, Any], progress: ProgressCallback | None) -> Any:
        """An operation. A call that is cancelled ends by itself; one that reports progress is stopped."""
        relay = _Relay(progress) if EVERY[name].watched else None
        method = attrgetter(method_of(EVERY[name]))(self._library)
        try:
            return await self(partial(method, **arguments, **({"progress": relay} if relay else {})))
        except asyncio.CancelledError:
            if relay is not None:
                relay.stop()
            raise

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Relay:
    """A progress callback for the working thread: calls the caller's in its event loop, and stops cancelled work."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def __call__(self, update: ProgressUpdate) -> None:
        if self._stopped.is_set():
            raise Stopped
        if self._callback is not None:
            self._loop.call_soon_threadsafe(self._callback, update)
