"""What every request passes first: who may ask, from where, how much, how long, and how many at once."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.config.schema import Serve
from recto.interfaces.http.problems import problem
from recto.observability.metrics import Metrics

OPEN = frozenset({"/health", "/readyz"})  # asked by supervisors, who have no token; they tell nothing
STREAMS = frozenset({"/mcp"})  # last as long as the client wants
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class _TooLarge(BaseException):
    """Passes by every handler inside: the guard answers it."""


class Guard:
    """An ASGI application around another one.

    A browser sends the name it looked up as Host, so a page that points its own name at this machine is told by it;
    and it says in Origin which page asks. Numbers cannot be pointed elsewhere, so away from loopback they are let in.
    """

    def __init__(self, app: ASGIApp, settings: Serve, token: str | None, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._token = token
        self._metrics = metrics
        self._active = 0
        self.draining = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._guarded(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.request(route, status, time.perf_counter() - started)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return
        self._active += 1
        try:
            await self._limited(scope, receive, send)
        finally:
            self._active -= 1

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False
        left = self._settings.max_request_bytes

        async def counting() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _TooLarge
            return message

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        streaming = scope["path"] in STREAMS
        try:
            async with asyncio.timeout(None if streaming else self._settings.timeout_seconds):
                if streaming and scope["method"] == "GET":
                    await self._until_draining(scope, counting, noting)
                else:
                    await self._app(scope, counting, noting)
        except _TooLarge:
            if begun:
                raise
            await self._too_large()(scope, receive, send)
        except TimeoutError:
            if begun:
                raise
            seconds = self._settings.timeout_seconds
            refused = problem(504, "INDEX_BUSY", f"this took longer than {seconds:g} s", "try again, or ask for less")
            await refused(scope, receive, send)

    async def _until_draining(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A stream that only waits for news ends when the server does."""
        stream = asyncio.ensure_future(self._app(scope, receive, send))
        end = asyncio.ensure_future(self.draining.wait())
        try:
            await asyncio.wait((stream, end), return_when=asyncio.FIRST_COMPLETED)
            if stream.done():
                await stream
        finally:
            for task in (stream, end):
                task.cancel()
            await asyncio.gather(stream, end, return_exceptions=True)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._known_host(host):
            hint = "ask it by its address, or start it with --allow-host NAME"
            return problem(421, "INVALID_ARGUMENT", f"this server is not called {host[:200]!r}", hint)
        origin = headers.get("origin")
        if origin is not None and not self._known_origin(origin, host):
            hint = "start it with --allow-origin ORIGIN if that page is yours"
            return problem(403, "INVALID_ARGUMENT", f"pages of {origin[:200]!r} may not ask this server", hint)
        if self._token and scope["path"] not in OPEN and not self._authorised(headers):
            challenge = {"WWW-Authenticate": "Bearer"}
            detail = "a token is needed, as Authorization: Bearer TOKEN"
            return problem(401, "INVALID_ARGUMENT", detail, headers=challenge)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.max_request_bytes:
            return self._too_large()
        if self.draining.is_set() or (self._active >= self._settings.concurrency and scope["path"] not in OPEN):
            detail = "the server is shutting down" if self.draining.is_set() else "too many requests at once"
            return problem(503, "INDEX_BUSY", detail, "try again in a moment", headers={"Retry-After": "1"})
        return None

    def _too_large(self) -> ASGIApp:
        most = self._settings.max_request_bytes
        return problem(413, "INVALID_ARGUMENT", f"a request may have {most:,} bytes at most", "ask for less at once")

    def _known_host(self, host: str) -> bool:
        name = _host_name(host)
        if name in _LOOPBACK or name in self._settings.allow_hosts or name == self._settings.host:
            return name != ""
        return not loopback(self._settings.host) and _is_address(name)

    def _known_origin(self, origin: str, host: str) -> bool:
        if origin in self._settings.allow_origins:
            return True
        try:
            asked_from = urlsplit(origin)
        except ValueError:
            return False
        return asked_from.scheme in ("http", "https") and asked_from.netloc == host

    def _authorised(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        wanted = (self._token or "").encode()
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), wanted)


def loopback(host: str) -> bool:
    """Whether binding here can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(host: str, forbidden: Collection[str] = frozenset("/@?#\\ \t")) -> str:
    """The name in a Host header, without its port; empty when it is not one."""
    if any(character in forbidden for character in host):
        return ""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
