"""MCP over stdin and stdout, with nothing but protocol on stdout, whoever prints."""

from __future__ import annotations

import asyncio
import io
import os
from contextlib import suppress
from typing import NoReturn

import anyio

from octavo.config.config_file_reloading import ConfigFiles
from octavo.config.schema import Config
from octavo.interfaces.execution.async_operation_calls import Calls, following, opened
from octavo.interfaces.mcp.line_transport import converse
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
