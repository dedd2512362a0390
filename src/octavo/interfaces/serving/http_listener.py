"""Runs uvicorn on a bound socket, with a token where one is needed, and answers open requests before it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from octavo.config.schema import OAuth, Serve
from octavo.errors import Busy, ConfigurationError
from octavo.fast_dataclass import Value
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.oauth_token_verification import Issuer
from octavo.interfaces.http.request_guard import Guard
from octavo.interfaces.http.server_token import read_token
from octavo.interfaces.serving.asgi_app import make_app

Companion = Callable[[], Awaitable[None]]


HEADER_SECONDS = 15.0


class Listening(Value):
    """Where a server is found. `page` lets a browser in for as long as the token holds, `invitation` lets one in once;
    both are the plain address where no token is needed."""

    address: str
    page: str
    invitation: str


def serve(
    calls: Calls,
    settings: Serve,
    tools: str,
    listening: Callable[[Listening], None],
    beside: Companion | None = None,
    further: tuple[socket.socket, ...] = (),
    oauth: OAuth = OAuth(),  # noqa: B008
) -> None:
    """Serves until SIGTERM or Ctrl-C, then answers what was asked before and ends. `listening` is told the address.

    `beside` runs in the same loop for as long: the socket on which other clients of the library find this server.
    `further` are sockets that are listened on too.
    """
    token = read_token(settings)
    issuer = Issuer(oauth) if oauth.issuer else None
    if issuer and token is None:
        raise ConfigurationError("oauth.issuer is set, and no token is to be required", hint="leave out --no-token")
    bound = _bind(settings)
    app = make_app(calls, settings, token, tools, issuer)
    config = uvicorn.Config(
        app,
        http=HeaderTimeoutProtocol,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=settings.drain_seconds,
    )
    host, port = bound.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    page, invitation = f"{address}/", f"{address}/"
    if app.access is not None:
        page, invitation = f"{address}/login?token={token}", f"{address}/login?code={app.access.invite()}"
    listening(Listening(address, page, invitation))
    _Server(config, app, beside).run(sockets=[bound, *further])
    if not calls.close(timeout=settings.drain_seconds):
        # Indexing that does not stop would be waited for. What it wrote is in transactions.
        os._exit(0)


class _Server(uvicorn.Server):
    """Ends with success on a signal: being asked to stop is no failure."""

    def __init__(self, config: uvicorn.Config, guard: Guard, beside: Companion | None) -> None:
        super().__init__(config)
        self._guard = guard
        self._beside = beside
        self._task: asyncio.Future[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._beside is not None:
            self._task = asyncio.ensure_future(self._beside())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        self._guard.draining.set()


def _bind(settings: Serve) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only for sockets that say they are TCP; with it, an answer takes 40 ms longer.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
        bound.listen(256)
        return bound
    except OSError as error:
        bound.close()
        place = f"{settings.host} port {settings.port}"
        raise Busy(
            f"{place} cannot be listened on: {error.strerror or error}",
            hint="choose another --port; `octavo open` takes any that is free",
        ) from error


class HeaderTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type, unused-ignore]
    """uvicorn's protocol, which would wait for the end of the headers for ever, with a time limit on that."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._waits_for_headers():
            self._expect_headers()
        else:
            self._stop_expecting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        super().connection_lost(exc)

    def _waits_for_headers(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_headers(self) -> None:
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(HEADER_SECONDS, self._give_up)

    def _stop_expecting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self._waits_for_headers() and not self.transport.is_closing():
            self.transport.close()
