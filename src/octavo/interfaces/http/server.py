"""Listening: a socket, a token where it is needed, and an orderly end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import uvicorn

from octavo.config.schema import Serve
from octavo.errors import Busy, ConfigurationError
from octavo.interfaces.calls import Calls
from octavo.interfaces.http.app import make_app
from octavo.interfaces.http.guard import Guard, loopback
from octavo.interfaces.http.protocol import HeaderTimeoutProtocol
from octavo.observability.logs import logger

Companion = Callable[[], Awaitable[None]]

_SHORTEST_TOKEN = 16


def serve(
    calls: Calls, settings: Serve, tools: str, listening: Callable[[str], None], beside: Companion | None = None
) -> None:
    """Serves until SIGTERM or Ctrl-C, then answers what was asked before and ends. `listening` is told the address.

    `beside` runs in the same loop for as long: the socket on which other clients of the library find this server.
    """
    token = read_token(settings)
    bound = _bind(settings)
    app = make_app(calls, settings, token, tools)
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
    listening(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    _Server(config, app, beside).run(sockets=[bound])
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


def read_token(settings: Serve) -> str | None:
    """The token callers must give. Without one, only this machine may be listened to."""
    if settings.token_file is None:
        if not loopback(settings.host):
            raise ConfigurationError(
                f"listening on {settings.host} lets others on the network ask, and needs a token",
                hint="put a secret into a file and pass --token-file FILE, or listen on 127.0.0.1",
            )
        if settings.write:
            raise ConfigurationError(
                "a page that changes things needs a token",
                hint="put a secret into a file and pass --token-file FILE, or leave out --write",
            )
        return None
    return _secret(settings.token_file.expanduser())


def _secret(path: Path) -> str:
    try:
        token = path.read_text("utf-8").strip()
        if os.name == "posix" and path.stat().st_mode & 0o077:
            logger("serve").warning("others on this machine may read the token in %s: run `chmod 600 %s`", path, path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the token file {path} cannot be read: {error}") from error
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or any(character.isspace() for character in token):
        raise ConfigurationError(
            f"the token in {path} is not {_SHORTEST_TOKEN} or more characters of ASCII without spaces",
            hint="make one with: openssl rand -hex 32",
        )
    return token


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
        raise Busy(f"{place} cannot be listened on: {error.strerror or error}", hint="choose another --port") from error
