"""MCP over stdin and stdout, with nothing but protocol on stdout, whoever prints."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from recto.errors import RectoError
from recto.observability.logs import logger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.config.following import ConfigFiles
    from recto.config.schema import Config
    from recto.interfaces.calls import Calls
    from recto.operations.operation import Operation


def take_output() -> int:
    """Keeps the real standard output for the protocol and points descriptor 1 at stderr, for whoever else writes.

    Called before anything heavy is imported: native libraries print while they load.
    """
    wire = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # started without stderr
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire


def serve(config: Config, files: ConfigFiles, operations: Sequence[Operation], wire: int) -> NoReturn:
    """Serves until the client closes its end, then ends the process: a search still running is nobody's any more."""
    import asyncio

    from recto.interfaces.calls import Calls, following, opened

    calls = Calls(lambda: opened(config), follow=following(config, files))
    code = 0
    try:
        asyncio.run(_serve(calls, operations, wire))
    except KeyboardInterrupt:
        code = 130
    except BaseException:
        logger("mcp").exception("the server failed")
        code = 70
    calls.close(timeout=0.5)
    # Threads that still work, or wait for input, would be waited for otherwise. What they write is in transactions.
    os._exit(code)


async def _serve(calls: Calls, operations: Sequence[Operation], wire: int) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from recto.interfaces.mcp.instructions import instructions, without_library
    from recto.interfaces.mcp.server import make_server

    try:
        told = await calls.work(instructions)
    except RectoError as error:
        told = without_library(error)
    server = make_server(calls, operations, told)
    output = io.TextIOWrapper(os.fdopen(wire, "wb"), encoding="utf-8", newline="\n")
    try:
        async with stdio_server(stdout=anyio.wrap_file(output)) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client went without closing its end first
    finally:
        with suppress(OSError):
            output.close()
