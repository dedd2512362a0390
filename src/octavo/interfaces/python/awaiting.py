"""A method of a library as a coroutine: its work is done in a thread, and its progress reported in the event loop."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from octavo.engine.builds import Stopped
from octavo.interfaces.python.library import Library

if TYPE_CHECKING:
    from octavo.interfaces.python.progress import ProgressCallback, ProgressUpdate

_P = ParamSpec("_P")
_R = TypeVar("_R")
_THREADS = 8


class InThread(Protocol):
    """Calls something in a thread and awaits what it returns."""

    async def __call__(self, call: Callable[[], _R], /) -> _R: ...


class AsyncCaller:
    """What the coroutines made from a library's methods stand on."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._pool = ThreadPoolExecutor(_THREADS, "octavo-async")

    async def _in_thread(self, call: Callable[[], _R]) -> _R:
        if self._library.closed:
            return call()  # which says so
        return await asyncio.wrap_future(self._pool.submit(call))


def awaited(
    method: Callable[Concatenate[Library, _P], _R],
) -> Callable[Concatenate[AsyncCaller, _P], Coroutine[Any, Any, _R]]:
    """A method as a coroutine. A call that is cancelled ends by itself; one that reports progress is stopped."""
    reports = "progress" in inspect.signature(method).parameters

    @functools.wraps(method)
    async def call(self: AsyncCaller, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        relay = _Relay(kwargs.get("progress")) if reports else None
        if relay is not None:
            kwargs["progress"] = relay
        try:
            return await self._in_thread(functools.partial(method, self._library, *args, **kwargs))
        except asyncio.CancelledError:
            if relay is not None:
                relay.stop()
            raise

    return call


class _Relay:
    """A progress callback for the working thread: calls the caller's in its event loop, and stops cancelled work."""

    def __init__(self, callback: Any) -> None:
        self._callback: ProgressCallback | None = callback
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def __call__(self, update: ProgressUpdate) -> None:
        if self._stopped.is_set():
            raise Stopped
        if self._callback is not None:
            self._loop.call_soon_threadsafe(self._callback, update)
