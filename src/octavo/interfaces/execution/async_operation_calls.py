"""Operations called from an event loop: a fixed set of threads, each keeping its connection to the library.

The core is synchronous. A call that is no longer wanted stops being waited for; a search then ends by itself a moment
later, and indexing stops at its next report.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Container, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from contextvars import copy_context
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from octavo.config.layered_config_loading import library_location
from octavo.config.schema import Config
from octavo.engine.caller_permissions import ANYONE, OWNER, authorise, current_caller
from octavo.engine.engine import Engine
from octavo.engine.indexing.index_runs import Stopped
from octavo.engine.live_configuration_reload import reconfigure
from octavo.engine.processes.child_process import Died
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder, Embedders
from octavo.errors import DamagedLibrary, Forbidden, LibraryError, NotALibrary, OctavoError
from octavo.fast_dataclass import Value
from octavo.interfaces.execution.search_process_pool import ProcessPool
from octavo.model.access_token import AuditedWrite
from octavo.observability.cancellation import Cancellation, cancelled_by
from octavo.observability.logs import logger
from octavo.observability.metrics import Gauge, Metrics
from octavo.observability.progress import Progress
from octavo.operations.argument_parsing import request
from octavo.operations.argument_types import DEFAULT_TOKENS
from octavo.operations.database.upgrade_repair_and_prune import file_damage, heal, read_again
from octavo.operations.json_schemas import dump
from octavo.operations.library.results import Check, HealthAnswer
from octavo.operations.names_and_hints_by_interface import answer_for_model
from octavo.operations.operation import Operation
from octavo.operations.token_counts_and_page_cursor import read_as_text

if TYPE_CHECKING:
    from octavo.config.config_file_reloading import ConfigFiles

_T = TypeVar("_T")
_PATIENCE = 30.0  # seconds


class Answered(Value):
    """An operation's answer as a value, as plain data, and as text."""

    answer: Any
    data: dict[str, Any]
    text: str


class Calls:
    """`open_engine` is called when the first call needs the library, and again if that failed."""

    def __init__(
        self,
        open_engine: Callable[[], Engine],
        threads: int = 8,
        follow: Callable[[Engine, threading.Event], None] | None = None,
        processes: ProcessPool | None = None,
    ) -> None:
        """`follow` is told of the engine once it is open, and to stop when it is closed."""
        self._open = open_engine
        self._processes = processes
        self._follow = follow
        self._closing = threading.Event()
        self._resting = False
        self._engine: Engine | None = None
        self._looked_at = False
        self._guard = threading.Lock()
        self.metrics = Metrics()
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, "octavo-call")
        self._running: set[Future[Any]] = set()

    async def call(
        self,
        operation: Operation,
        arguments: Mapping[str, Any],
        *,
        forgiving: bool = False,
        progress: CallProgress | None = None,
        offered: Container[str] | None = None,
        text_alone: bool = False,
    ) -> Answered:
        """Runs an operation in a thread. Whatever goes wrong on purpose is raised as the error it is.

        Hints name the tools that are `offered`; None leaves them to a person with a command line. `text_alone`: of the
        answer only the text is read, so that a limit on its length bounds that.
        """
        await self._authorise(operation)
        made = request(operation.name, operation.takes, arguments, forgiving=forgiving)
        try:
            return await self.perform(
                operation, partial(_answered, operation, made, progress, offered, text_alone), progress
            )
        except OctavoError as error:
            if operation.gives is not HealthAnswer:
                raise
            # The library itself cannot be opened: that is what was asked.
            answer = HealthAnswer(False, (Check("library", False, error.message, error.hint),))
            return _told(operation, answer if offered is None else answer_for_model(answer, offered))

    async def value(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """The answer alone, for those who show it themselves: half of what a search costs is writing it in two ways."""
        await self._authorise(operation)
        made = request(operation.name, operation.takes, arguments)
        return await self.perform(operation, lambda engine: operation.run(engine, made, None))

    async def perform(
        self, operation: Operation, function: Callable[[Engine], _T], progress: CallProgress | None = None
    ) -> _T:
        """What an operation does, in a thread: refused where the caller may not, and audited where it writes."""
        await self._authorise(operation)
        if not operation.annotations.read_only:
            function = partial(_audited, operation.name, function)
        return await self.work(function, progress)

    async def _authorise(self, operation: Operation) -> None:
        try:
            authorise(operation.name, operation.scope)
        except Forbidden as error:
            if not operation.annotations.read_only:
                with suppress(OctavoError):  # a library that cannot be opened: the refusal is the answer all the same
                    await self.work(partial(_note_write, operation.name, error.code))
            raise

    async def work(self, function: Callable[[Engine], _T], progress: CallProgress | None = None) -> _T:
        """Anything else that needs the library, in a thread."""
        cancellation = Cancellation()

        def run() -> _T:
            with cancelled_by(cancellation):
                return self.run(function)

        future = self._pool.submit(copy_context().run, run)  # it works on behalf of the same caller
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancellation.cancel()  # a language model that is being asked is left
            if progress is not None:
                progress.stop()
            raise

    async def apart(self, function: Callable[[Engine], _T]) -> _T:
        """The same in a process of its own, where there are some: both `function` and what it gives are sent there and
        back, the one by `pickle`, the other made of plain values. What nobody waits for any more is not begun."""
        if self._processes is not None and current_caller() in (None, OWNER, ANYONE):  # they know of no caller
            with suppress(Died):
                return await asyncio.wrap_future(self._processes.submit(function))
        return await self.work(function)

    def run(self, function: Callable[[Engine], _T]) -> _T:
        """In this thread."""
        engine = self.engine()
        caller = current_caller()
        if caller is not None:
            engine = engine.within(caller.works_in(engine.project.name))
        try:
            return function(engine)
        except LibraryError:
            engine.reader.promise_repair()  # what derives from texts, folders and models is made anew meanwhile
            self._look_at_file()
            raise

    def engine(self) -> Engine:
        with self._guard:
            return self._engine or self._use(self._open())

    def _use(self, engine: Engine) -> Engine:
        self._engine = engine
        engine.observers.append(self.metrics)
        trace_if_wanted(engine)
        if self._follow is not None:
            self._follow(engine, self._closing)
        return engine

    def _look_at_file(self) -> None:
        """Once: processes beside this one would go on with the damaged file."""
        if not self._looked_at and self._processes is None:
            self._looked_at = True
            threading.Thread(target=self._heal, name="octavo-heal", daemon=True).start()

    def _heal(self) -> None:
        """Opens the library anew where its file is damaged and nothing of it is lost, once nobody works with it."""
        engine = self._engine
        place = engine.location if engine is not None else None
        if engine is None or not isinstance(place, Path) or not (found := file_damage(engine)):
            return
        with self._guard:
            ended = not wait(set(self._running), _PATIENCE).not_done and engine.watcher.stop(_PATIENCE)
            if self._closing.is_set() or not (ended and engine.job_threads.stop(_PATIENCE)):
                return
            engine.close()
            self._engine = None
            with suppress(LibraryError):  # every call says what it needs
                heal(place, found)
            read_again(self._use(self._open()))

    def gauges(self) -> tuple[Gauge, ...]:
        return Gauge("call_threads", self._threads), Gauge("calls_running", len(self._running))

    @property
    def opened_engine(self) -> Engine | None:
        """The engine, if anything has needed it yet."""
        return self._engine

    def rest(self) -> None:
        """Watches nothing while nobody asks: others do, by rules that may be newer."""
        with self._guard:
            if self._engine is not None and self._engine.watcher.active:
                self._resting = self._engine.watcher.stop(2.0)

    def go_on(self) -> None:
        """Somebody asks again."""
        with self._guard:
            if self._resting and self._engine is not None and not self._closing.is_set():
                self._engine.watcher.start()
            self._resting = False

    def close(self, timeout: float) -> bool:
        """Stops what is under way and closes the library; false when something did not stop in time."""
        self._closing.set()
        if self._processes is not None:
            self._processes.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        engine = self._engine
        stopped = True
        if engine is not None:
            engine.builds.stop(0.0)  # a watcher's run too ends at its next report
            stopped = engine.watcher.stop(timeout)
            stopped = engine.job_threads.stop(timeout) and stopped
            stopped = engine.builds.stop(timeout) and stopped
        if not stopped or wait(set(self._running), timeout).not_done:
            return False  # the library stays open under what still uses it
        if engine is not None:
            engine.close()
        return True


def opened(
    config: Config, *, embedders: Embedders = ConfiguredEmbedder, profiles: tuple[Path, ...] | None = None
) -> Engine:
    """An open library whose folders are watched and whose promised work is done, unless the configuration says no."""
    open_again = partial(open_engine, config, embedders=embedders, profiles=profiles)
    try:
        engine = open_again()
    except (DamagedLibrary, NotALibrary) as error:
        place = library_location(config)
        if not isinstance(place, Path) or not place.is_file():
            raise
        heal(place, error.message)
        engine = open_again()
        read_again(engine)
    if config.watch.enabled:
        engine.watcher.start()
    if config.work.in_server:
        engine.job_threads.start(config.jobs, config.work.threads)
    return engine


def following(config: Config, files: ConfigFiles) -> Callable[[Engine, threading.Event], None]:
    """Has an engine go by what its configuration files say, whenever they change."""

    def follow(engine: Engine, stop: threading.Event) -> None:
        now = [config]

        def use(changed: Config) -> None:
            if reconfigure(engine, now[0], changed):
                logger("config").info("the configuration changed and is followed")
            now[0] = changed

        files.follow(use, stop)

    return follow


def trace_if_wanted(engine: Engine) -> None:
    """Imported on use: few want spans."""
    if engine.library.config.traces:
        engine.observers.append(import_module("octavo.observability.opentelemetry_spans").Spans())


def _audited(operation: str, function: Callable[[Engine], _T], engine: Engine) -> _T:
    """Notes who had this done, where somebody else than the account itself may have."""
    outcome = "ok"
    try:
        return function(engine)
    except OctavoError as error:
        outcome = error.code
        raise
    except BaseException:
        outcome = OctavoError.code
        raise
    finally:
        _note_write(operation, outcome, engine)


def _note_write(operation: str, outcome: str, engine: Engine) -> None:
    if caller := current_caller():
        entry = AuditedWrite(engine.library.now(), caller.name, operation, engine.project.name, outcome)
        try:
            engine.store.access.note_write(engine.project.id, entry)
        except OctavoError as error:
            logger("audit").error("%s by %s (%s) is not in the audit: %s", operation, caller.name, outcome, error)


def _answered(
    operation: Operation,
    made: Any,
    progress: Progress | None,
    offered: Container[str] | None,
    text_alone: bool,
    engine: Engine,
) -> Answered:
    with read_as_text(made, DEFAULT_TOKENS) if text_alone else nullcontext():
        answer = operation.run(engine, made, progress)
        return _told(operation, answer if offered is None else answer_for_model(answer, offered))


def _told(operation: Operation, answer: Any) -> Answered:
    return Answered(answer, dump(operation.gives, answer), operation.written(answer))


class CallProgress:
    """Fits `Progress`: from the working thread to the event loop, and the wish to stop the other way.

    `tell(done, total, phase)` runs in the loop. What it is told only grows, over all phases; reports that come faster
    than ten a second are left out.
    """

    _PAUSE = 0.1

    def __init__(self, tell: Callable[[float, float | None, str], None]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._before = 0
        self._done = 0
        self._total: int | None = None
        self._phase = ""
        self._told = -1.0

    def stop(self) -> None:
        self._stopped.set()

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self._wanted()
        self._before += self._done
        self._done, self._total, self._phase = 0, total, phase
        self._report(hurry=True)

    def advance(self, n: int = 1, note: str = "") -> None:
        self._wanted()
        self._done += n
        self._report()

    def finish(self) -> None:
        self._report(hurry=True)

    def _wanted(self) -> None:
        if self._stopped.is_set():
            raise Stopped

    def _report(self, *, hurry: bool = False) -> None:
        now = self._loop.time()
        if not hurry and now < self._told + self._PAUSE:
            return
        self._told = now
        total = None if self._total is None else self._before + self._total
        self._loop.call_soon_threadsafe(self._tell, float(self._before + self._done), total, self._phase)
