"""The library for an event loop: its methods as coroutines that run in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, TypeVar

from octavo.engine.indexing.index_runs import Stopped
from octavo.errors import InvalidArgument
from octavo.interfaces.python.library import Library
from octavo.interfaces.python.library_opening import Settings, open
from octavo.interfaces.python.method_lookup import AsyncMethods
from octavo.operations.names_and_hints_by_interface import method_of
from octavo.operations.operation_lookup import EVERY

if TYPE_CHECKING:
    from octavo.answers import WatchAnswer
    from octavo.interfaces.python.folder_watch import ChangeCallback, FolderWatch
    from octavo.interfaces.python.language_model_tools import ToolAnswer, Tools
    from octavo.interfaces.python.progress_callbacks import ProgressCallback, ProgressUpdate


_R = TypeVar("_R")
_THREADS = 8


def open_async(
    path: str | PathLike[str] | None = None,
    *,
    create: bool = False,
    project: str | None = None,
    config: Settings | None = None,
    also_search: Iterable[str | PathLike[str]] = (),
) -> AsyncOpening:
    """The same as `open`, for `async with` or `await`: a library whose methods are coroutines."""
    return AsyncOpening(partial(open, path, create=create, project=project, config=config, also_search=also_search))


class AsyncLibrary(AsyncMethods):
    """An open library for an event loop: `octavo.open_async` makes one. The methods of `Library`, each awaited.

    Its work is done in threads, so several calls go on at once. A call that is cancelled is no longer waited for, and
    one that indexes stops.
    """

    def __init__(self, library: Library, threads: Threads) -> None:
        super().__init__(threads.run)
        self._opened = library
        self._in_thread = threads

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return repr(self._opened).replace("Library", "AsyncLibrary")

    @property
    def location(self) -> str:
        """Where the library is: its file, or its database without the password."""
        return self._opened.location

    @property
    def project(self) -> str:
        """The project whose collections and memories it shows."""
        return self._opened.project

    @property
    def closed(self) -> bool:
        return self._opened.closed

    async def close(self) -> None:
        """Waits for the calls under way, stops a run that is indexing, and closes. Closing again does nothing."""
        self._in_thread.close()
        await asyncio.to_thread(self._opened.close)

    def watch(self, *, debounce_ms: int | None = None, changed: ChangeCallback | None = None) -> AsyncWatch:
        """The same as `Library.watch`, for `async with`; `changed` is called in the event loop."""
        start = partial(self._opened.watch, debounce_ms=debounce_ms)
        return AsyncWatch(self._in_thread, start, changed)

    def tools(self, names: str | Iterable[str] = "default") -> AsyncTools:
        """The same as `Library.tools`, with a dispatcher that is awaited."""
        return AsyncTools(self._in_thread, self._opened.tools(names))


class AsyncWatch:
    """Folders that are watched from `async with` on until it is left."""

    def __init__(self, in_thread: Threads, start: Callable[..., FolderWatch], changed: ChangeCallback | None) -> None:
        self._in_thread = in_thread
        self._start = start
        self._changed = changed
        self._watch: FolderWatch | None = None

    async def __aenter__(self) -> Self:
        self._watch = await self._in_thread(partial(self._start, changed=self._relayed()))
        return self

    def _relayed(self) -> ChangeCallback | None:
        changed, loop = self._changed, asyncio.get_running_loop()
        return None if changed is None else lambda job: loop.call_soon_threadsafe(changed, job)

    async def __aexit__(self, *raised: object) -> None:
        if self._watch is not None:
            await asyncio.to_thread(self._watch.close)

    async def state(self) -> WatchAnswer:
        """What is watched, and how many changes wait to be indexed."""
        if self._watch is None:
            raise InvalidArgument("the folders are not watched yet", hint="use it as `async with library.watch() as …`")
        return await self._in_thread(self._watch.state)


class AsyncTools:
    """The tools of `Library.tools`, called without holding up the event loop."""

    def __init__(self, in_thread: Threads, tools: Tools) -> None:
        self._in_thread = in_thread
        self._tools = tools

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def names(self) -> tuple[str, ...]:
        return self._tools.names

    def definitions(self, schema_key: str = "parameters") -> list[dict[str, Any]]:
        """The same as `Tools.definitions`."""
        return self._tools.definitions(schema_key)

    async def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolAnswer:
        """The same as `Tools.call`, awaited."""
        return await self._in_thread(partial(self._tools.call, name, arguments))


class AsyncOpening:
    """A library about to be opened: `async with` opens and closes it, `await` opens it."""

    def __init__(self, opened: Callable[[], Library]) -> None:
        self._opened = opened
        self._library: AsyncLibrary | None = None

    def __await__(self) -> Generator[Any, None, AsyncLibrary]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncLibrary:
        self._library = await self._open()
        return self._library

    async def __aexit__(self, *raised: object) -> None:
        if self._library is not None:
            await self._library.close()

    async def _open(self) -> AsyncLibrary:
        library = await asyncio.to_thread(self._opened)
        return AsyncLibrary(library, Threads(library))


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
