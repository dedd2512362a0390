"""MCP over stdin and stdout, with nothing but protocol on stdout, whoever prints."""

from __future__ import annotations

import asyncio
import io
import os
from contextlib import suppress
from typing import Any, NoReturn

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from octavo.config.config_file_reloading import ConfigFiles
from octavo.config.schema import Config
from octavo.interfaces.execution.async_operation_calls import Calls, following, opened
from octavo.interfaces.mcp.server import prepared_server
from octavo.observability.logs import logger
from octavo.operations.operation_lookup import chosen


def serve(config: Config, files: ConfigFiles, tools: str, wire: int) -> NoReturn:
    """Serves until the client closes its end, then ends the process: a search still running is nobody's any more."""
    chosen(tools)  # a name that is none is refused here
    calls = Calls(lambda: opened(config), follow=following(config, files))
    code = 0
    try:
        asyncio.run(_serve(calls, tools, wire))
    except KeyboardInterrupt:
        code = 130
    except BaseException:
        logger("mcp").exception("the server failed")
        code = 70
    calls.close(timeout=0.5)
    # Threads that still work, or wait for input, would be waited for otherwise. What they write is in transactions.
    os._exit(code)


async def _serve(calls: Calls, tools: str, wire: int) -> None:
    server = await prepared_server(calls, tools)
    output = io.TextIOWrapper(os.fdopen(wire, "wb"), encoding="utf-8", newline="\n")
    try:
        await converse(server, stdout=anyio.wrap_file(output))
    except* BrokenPipeError:
        pass  # the client went without closing its end first
    finally:
        with suppress(OSError):
            output.close()


async def converse(server: Server[Any], *, stdin: Any = None, stdout: Any = None) -> None:
    """Until the client closes its end."""
    async with stdio_server(stdin=stdin, stdout=stdout) as (reading, writing):
        await server.run(_Answering(reading, writing), writing, server.create_initialization_options())


class _Answering:
    """Fits the SDK's stream of messages. The SDK only logs what it cannot read, and its sender would wait for ever."""

    def __init__(self, reading: Any, writing: Any) -> None:
        self._reading, self._writing = reading, writing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reading, name)

    async def __aenter__(self) -> _Answering:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._reading.aclose()

    def __aiter__(self) -> _Answering:
        return self

    async def __anext__(self) -> Any:
        while isinstance(message := await self._reading.__anext__(), Exception):
            if refused := _refusal(message):
                await self._writing.send(SessionMessage(refused))
        return message


def _refusal(error: Exception) -> types.JSONRPCError | None:
    """What to answer to a line that is no message: nothing, where it asks nothing or does not say by which id."""
    problems = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    whole = next((problem["input"] for problem in problems if isinstance(problem["input"], dict)), {})
    number = whole.get("id")
    if "method" not in whole or isinstance(number, bool) or not isinstance(number, int | str):
        return None
    fits = isinstance(whole.get("params", {}), dict)
    code, reason = (
        (types.INVALID_REQUEST, "this is no request of JSON-RPC 2.0")
        if fits
        else (types.INVALID_PARAMS, "params has to be an object")
    )
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=reason))
