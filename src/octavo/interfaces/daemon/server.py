"""The library's server: one process, one model, a conversation for each client.

It ends when it has been idle for a while, when it is told to, and, after its last client, when one of another version
has come. Clients may die at any moment: their conversation ends, and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.indexing.index_runs import RUNNING
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.daemon.greeting_messages import ASK_ALOUD, LONGEST_LINE, STOP, WANTS, Hello, error_json, hello
from octavo.interfaces.daemon.socket_address import Address, private_folder
from octavo.interfaces.execution.answer_streaming import stream_answer
from octavo.interfaces.execution.async_operation_calls import Calls, opened
from octavo.interfaces.presenting.formatted_answer_writing import OutputFormat, Screen, written
from octavo.interfaces.presenting.operation_answer_in_every_format import search_answer
from octavo.interfaces.presenting.terminal_rendering import EXCERPT_LINES, TerminalView
from octavo.observability.logs import logger
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AskAnswer
from octavo.operations.argument_parsing import request as parsed
from octavo.operations.json_schemas import dump
from octavo.operations.operation_lookup import chosen, named
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find_everywhere
from octavo.version import __version__

_GREETING_SECONDS = 10.0
_LOOK_SECONDS = 0.25
_ALONE_SECONDS = 60.0  # that a library nobody talks about stays open, for the next search


def bind_private(path: Path) -> socket.socket:
    """A Unix socket that is listened on, in place of one that a killed server left. Who looks for it sees either no
    socket or one that answers."""
    aside = path.with_suffix(f".{os.getpid()}")
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    aside.unlink(missing_ok=True)
    bound.bind(str(aside))
    aside.chmod(0o600)
    bound.listen(128)
    aside.replace(path)
    return bound


class AlreadyRunning(Exception):
    """Another server holds this address."""


class Server:
    """Listens at an address until it has nothing more to do."""

    def __init__(self, address: Address, idle_seconds: float, calls: Mapping[str, Calls] | None = None) -> None:
        """`calls` are libraries that are open already, by `key_of` the configuration they were opened with."""
        self._address = address
        self._idle_seconds = idle_seconds
        self._lent = dict(calls or {})
        self._calls: dict[str, Calls] = {}
        self._talks: set[asyncio.Task[None]] = set()
        self._about: dict[str, int] = {}  # how many conversations go on with each open library
        self._alone: dict[str, float] = {}  # since when there are none
        self._leaving = self._stopped = False
        self._last = 0.0
        self._alive = -1
        self._bound: tuple[int, int] | None = None

    def listen(self) -> socket.socket:
        """Takes the address: a socket left by a server that was killed is replaced, that of a living one is not."""
        import fcntl

        private_folder(self._address.folder)
        self._alive = os.open(self._address.alive, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._alive)
            raise AlreadyRunning(str(self._address.socket)) from error
        bound = bind_private(self._address.socket)
        status = self._address.socket.stat()
        self._bound = (status.st_dev, status.st_ino)
        return bound

    async def run(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._last = loop.time()
        server = await asyncio.start_unix_server(self._talk, sock=bound, limit=LONGEST_LINE)
        try:
            while not self._finished(loop.time()):
                await asyncio.sleep(_LOOK_SECONDS)
                self._retire(loop.time())
                if self._leaving and server.is_serving():
                    server.close()
        finally:
            self.stop()
            server.close()
            await asyncio.gather(*self._talks, return_exceptions=True)

    def close(self) -> None:
        for calls in self._calls.values():
            calls.close(timeout=2.0)

    def stop(self) -> None:
        """Ends now, whoever still talks."""
        self._leave()
        self._stopped = True
        for task in self._talks:
            task.cancel()

    def _finished(self, now: float) -> bool:
        if self._stopped:
            return True
        if self._talks or any(_building(calls) for calls in self._calls.values()):
            self._last = now
            return False
        return self._leaving or now >= self._last + self._idle_seconds

    def _leave(self) -> None:
        """Takes no more clients; the address is free for another server."""
        if self._leaving:
            return
        self._leaving = True
        with suppress(OSError):
            status = self._address.socket.stat()
            if (status.st_dev, status.st_ino) == self._bound:
                self._address.socket.unlink()
        os.close(self._alive)

    def _retired_by(self, version: str) -> None:
        if not self._leaving:
            message = "a command of another Octavo (%s) came to this server of %s, which answers commands no more"
            logger("daemon").warning(f"{message}; start it anew to have the same one everywhere", version, __version__)
        self._leave()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        try:
            await self._conversation(reader, writer)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.CancelledError):
            pass  # the client is gone, or never was one of ours
        except Exception:
            logger("daemon").exception("a conversation failed")
        finally:
            self._talks.discard(task)
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _conversation(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not _same_user(writer):
            return
        async with asyncio.timeout(_GREETING_SECONDS):
            greeting = hello(await reader.readline())
        about = {"version": __version__, "pid": os.getpid(), "clients": len(self._talks)}
        if greeting.want == STOP:
            await _say(writer, {"ok": True} | about)
            self.stop()
            return
        try:
            talk = self._wanted(greeting) if greeting.version == __version__ else None
            retiring = greeting.version != __version__
        except ValidationError:  # its client took these settings: it is of another state of the same version
            talk, retiring = None, True
        except OctavoError as error:
            await _say(writer, {"ok": False, "error": error_json(error)})
            return
        if retiring:
            # A newer Octavo was installed, or an older one is still about: each is served by its own.
            await _say(writer, {"ok": False, "retiring": True} | about)
            self._retired_by(greeting.version)
            return
        await _say(writer, {"ok": True} | about)
        if talk is not None:
            key = key_of(greeting.settings, greeting.profiles)
            self._begun(key)
            try:
                await talk(reader, writer)
            finally:
                self._ended(key)

    def _begun(self, key: str) -> None:
        self._about[key] = self._about.get(key, 0) + 1
        if self._alone.pop(key, None) is not None and key in self._calls:
            self._aside(self._calls[key].go_on)
        self._let_rest()

    def _ended(self, key: str) -> None:
        self._about[key] -= 1
        self._let_rest()

    def _let_rest(self) -> None:
        """What nobody talks about while others do stops watching: its configuration may be one of the past."""
        if not any(self._about.values()):
            return
        for key, calls in self._calls.items():
            if not self._about.get(key) and key not in self._alone:
                self._alone[key] = asyncio.get_running_loop().time()
                self._aside(calls.rest)

    def _retire(self, now: float) -> None:
        """Closes what nobody has talked about for a while."""
        for key, since in list(self._alone.items()):
            if now >= since + _ALONE_SECONDS and not _building(self._calls[key]):
                del self._alone[key]
                self._aside(partial(self._calls.pop(key).close, 2.0))

    def _aside(self, work: Callable[[], object]) -> None:
        asyncio.get_running_loop().run_in_executor(None, work)

    def _wanted(self, greeting: Hello) -> Callable[..., Any] | None:
        match greeting.want:
            case "about":
                return None
            case "mcp":
                chosen(greeting.tools)  # a name that is none is refused here
                return partial(_speak_mcp, self._calls_for(greeting), greeting.tools)
            case "calls":
                return partial(_answer_calls, self._calls_for(greeting))
        raise InvalidArgument(f"the server knows nothing of {greeting.want!r}", hint=f"there are: {', '.join(WANTS)}")

    def _calls_for(self, greeting: Hello) -> Calls:
        """Clients with the same configuration share an open library; all of them share the models."""
        key = key_of(greeting.settings, greeting.profiles)
        if key in self._lent:
            return self._lent[key]
        if key not in self._calls:
            config = validated(Config, greeting.settings)
            profiles = tuple(Path(folder) for folder in greeting.profiles)
            self._calls[key] = Calls(partial(opened, config, embedders=_shared_embedders, profiles=profiles))
        return self._calls[key]


_shared_embedders = cache(ConfiguredEmbedder)
"""One model for all that ask with the same settings."""

_NOT_THE_LIBRARY = ("serve", "daemon", "watch", "log_level", "log_format")


def key_of(settings: Mapping[str, Any], profiles: Sequence[str]) -> str:
    """What an open library depends on: two clients that agree in this may share one."""
    of_library = {name: value for name, value in settings.items() if name not in _NOT_THE_LIBRARY}
    return json.dumps([of_library, list(profiles)], sort_keys=True)


def _building(calls: Calls) -> bool:
    engine = calls.opened_engine
    latest = engine.builds.latest if engine is not None else None
    return latest is not None and latest.state == RUNNING


def _same_user(writer: asyncio.StreamWriter) -> bool:
    """The folder keeps others out; where the system tells who asks, that is checked as well."""
    sock = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return bool(user == os.geteuid())


async def _say(writer: asyncio.StreamWriter, message: Mapping[str, Any]) -> None:
    writer.write(json.dumps(message, default=str).encode() + b"\n")
    await writer.drain()


async def _answer_calls(calls: Calls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One call after another. The next line is waited for meanwhile: where none can come, the client has gone."""
    line = await reader.readline()
    while line:
        answering = asyncio.ensure_future(_answer_call(calls, json.loads(line), writer))
        following = asyncio.ensure_future(reader.readline())
        try:
            await asyncio.wait((answering, following), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and not following.result():
                return
            await answering
            line = await following
        finally:
            for task in (answering, following):
                task.cancel()
            await asyncio.gather(answering, following, return_exceptions=True)


async def _answer_call(calls: Calls, message: Mapping[str, Any], writer: asyncio.StreamWriter) -> None:
    try:
        if message["call"] == ASK_ALOUD:
            await _tell(calls, message["arguments"], writer)
        else:
            await _say(writer, {"answer": await _called(calls, str(message["call"]), message["arguments"])})
    except OctavoError as error:
        await _say(writer, {"error": error_json(error)})


async def _tell(calls: Calls, arguments: Mapping[str, Any], writer: asyncio.StreamWriter) -> None:
    """Each sentence is a line, and the whole answer the last."""
    request: AskRequest = parsed("ask", AskRequest, arguments)
    async with aclosing(stream_answer(calls, request)) as parts:
        async for part in parts:
            await _say(writer, {"answer" if isinstance(part, AskAnswer) else "sentence": dump(type(part), part)})


async def _called(calls: Calls, name: str, arguments: Mapping[str, Any]) -> Any:
    if name == "search" and arguments.keys() == {"request", "shown"}:
        return await calls.work(partial(_shown, arguments["request"], arguments["shown"]))
    operation = named(name)
    if operation is None:
        raise InvalidArgument(f"there is no operation {name}")
    return (await calls.call(operation, arguments)).data


def _shown(arguments: Mapping[str, Any], shown: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """What `octavo search` prints, written for its screen as it would itself."""
    given = {name: value for name, value in arguments.items() if value is not None and name != "max_tokens"}
    request: SearchRequest = parsed("search", SearchRequest, given)
    if "max_tokens" in arguments:  # a terminal has no such limit
        request = replace(request, max_tokens=arguments["max_tokens"])
    result = find_everywhere(engine, request)
    view = TerminalView(result.marked_by, None if shown["full"] else EXCERPT_LINES, engine.roots())
    answer = search_answer(result, view, explain=request.explain)
    return {
        "text": written(answer, OutputFormat(shown["format"]), Screen(**shown["screen"])),
        "found": bool(result.hits),
    }


class _Lines:
    """Fits what the SDK reads from: the lines of a connection."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._reader.readline():
            yield line.decode("utf-8", "replace")


class _Output:
    """Fits what the SDK writes to."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        self._writer.write(text.encode("utf-8"))

    async def flush(self) -> None:
        await self._writer.drain()


async def _speak_mcp(calls: Calls, tools: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    from octavo.interfaces.mcp.server import prepared_server
    from octavo.interfaces.mcp.stdio import converse

    server = await prepared_server(calls, tools)
    lines: Any = _Lines(reader)
    output: Any = _Output(writer)
    try:
        await converse(server, stdin=lines, stdout=output)
    except* (OSError, EOFError):
        pass  # the client went in the middle of something


def serve(address: Address, idle_seconds: float, ready: Callable[[], None]) -> None:
    """Serves until there is nothing more to do. `ready` is called once clients can connect."""
    server = Server(address, idle_seconds)
    bound = server.listen()
    ready()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.stop)
        await server.run(bound)

    asyncio.run(main())
    server.close()
    # Threads that still work would be waited for otherwise. What they write is in transactions.
    sys.stderr.flush()
    os._exit(0)
