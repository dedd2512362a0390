"""Speaks with a server that offers another program's tools: in this process, with the bundled encoder."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from octavo.engine.wiring import open_library
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.mcp.server import prepared_server


class SeedClient:
    """Answers are JSON as text."""

    def __init__(self, client: Client) -> None:
        self.mcp = client

    async def ask(self, tool: str, arguments: dict[str, Any] | None = None) -> Any:
        result = await self.mcp.call_tool(tool, arguments or {})
        payload = json.loads(result.content[0].text)
        assert not result.is_error, payload
        return payload

    async def refused(self, tool: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        result = await self.mcp.call_tool(tool, arguments or {})
        assert result.is_error
        payload: dict[str, Any] = json.loads(result.content[0].text)
        error: dict[str, Any] = payload.get("error", payload)
        return error


def talk_with(
    library: Path, tools: str, talk: Callable[[SeedClient], Awaitable[None]], settings: dict[str, Any] | None = None
) -> None:
    """One conversation over a library, which is made where there is none."""
    open_library(library, create=True, settings=settings).close()

    async def main() -> None:
        calls = Calls(lambda: open_library(library, settings=settings), threads=2)
        try:
            async with Client(await prepared_server(calls, tools)) as client:
                await talk(SeedClient(client))
        finally:
            assert calls.close(timeout=60)

    anyio.run(main)
