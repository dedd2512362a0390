"""Ways to reach the HTTP interface: in this process, and as `octavo serve` in another."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
import httpx2
from cli_calls import Location
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from octavo.config.schema import Serve
from octavo.engine.wiring import open_library
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.oauth_token_verification import Issuer
from octavo.interfaces.serving.asgi_app import make_app

SETTINGS = {"embedding.provider": "hashing"}
JSON = {"content-type": "application/json"}


def in_process(
    library: Location,
    talk: Callable[[httpx2.AsyncClient], Awaitable[None]],
    *,
    settings: Serve | None = None,
    token: str | None = None,
    base: str = "http://localhost:7411",
    issuer: Issuer | None = None,
) -> None:
    """Asks the application directly. The library is closed afterwards."""

    async def main() -> None:
        calls = Calls(lambda: open_library(library), threads=2)
        app = make_app(calls, settings or Serve(), token, issuer=issuer)
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        try:
            async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as client:
                await talk(client)
        finally:
            assert calls.close(timeout=60)

    anyio.run(main)


@dataclass(frozen=True)
class Running:
    """`page` lets a browser in, `headers` a program; without a token neither says anything more than the address."""

    process: subprocess.Popen[str]
    address: str
    page: str = ""

    @property
    def headers(self) -> dict[str, str]:
        _, _, token = self.page.partition("?token=")
        return {"authorization": f"Bearer {token}"} if token else {}


@asynccontextmanager
async def mcp_client(server: Running, mode: str = "auto") -> AsyncIterator[Client]:
    """A client over HTTP, which gives the token as its configuration says."""
    async with (
        httpx2.AsyncClient(headers=server.headers, timeout=120) as http,
        Client(streamable_http_client(f"{server.address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@contextmanager
def running(
    arguments: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    program: Sequence[str] = ("-m", "octavo"),
) -> Iterator[Running]:
    """`octavo serve` on a free port, from the moment it listens. `program` is what Python runs as `octavo`."""
    process = subprocess.Popen(
        [sys.executable, *program, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, **(environ or {})},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.match(r"Serving (http://\S+) ", line)
        assert found, line + process.stderr.read()
        opens = None if {"--token-file", "--no-token"} & set(arguments) else process.stderr.readline()
        yield Running(process, found[1], opens.removeprefix("Open ").strip() if opens else f"{found[1]}/")
    finally:
        process.kill()
        process.communicate()
