"""Runs an MCP server for one client over lines; a malformed request is answered with a JSON-RPC error."""

from __future__ import annotations

from typing import Any

from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError


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
