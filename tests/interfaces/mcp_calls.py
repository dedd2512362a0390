"""Ways to reach the server: in memory, as a process over stdio, and raw."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
from cli_calls import Location
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from octavo.engine.wiring import open_library
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.mcp.server import make_server
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import chosen


def in_memory(
    library: Location,
    talk: Callable[[Client], Awaitable[None]],
    operations: Sequence[Operation] = chosen("default"),
    *,
    data: bool = False,
) -> None:
    """Speaks with a server in this process, which answers by text or by `data`. The library is closed afterwards."""

    async def main() -> None:
        calls = Calls(lambda: open_library(library), threads=2)
        try:
            async with Client(make_server(calls, operations, "instructions", data=data)) as client:
                await talk(client)
        finally:
            assert calls.close(timeout=60)

    anyio.run(main)


def over_stdio(
    arguments: Sequence[str], talk: Callable[[Client], Awaitable[None]], *, mode: str = "auto", timeout: float = 120
) -> None:
    """Speaks with `octavo mcp` as a process of its own."""

    async def main() -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "octavo", "mcp", *arguments], env=dict(os.environ)
        )
        with anyio.fail_after(timeout):
            async with Client(command, mode=mode) as client:
                await talk(client)

    anyio.run(main)


def raw(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "octavo", "mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environ or {})},
    )


def uris(text: str) -> list[str]:
    """Which documents the text of a search names, in order."""
    return re.findall(r"(?m)^\d+\. [^/\n]+/(.+?):\d+-\d+  ", text)


def message(number: int | None, method: str, params: Mapping[str, Any]) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
    return json.dumps(body).encode() + b"\n"


HANDSHAKE = message(
    1,
    "initialize",
    {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
) + message(None, "notifications/initialized", {})
