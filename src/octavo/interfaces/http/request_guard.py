"""Guards every HTTP request: host and origin, caller and rate, body size, time limit, concurrency."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import time
from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from octavo.config.schema import Serve
from octavo.engine.caller_permissions import ANYONE, CALLER, Caller, acting_as
from octavo.errors import Forbidden, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.http.authentication import Access, session_of
from octavo.interfaces.http.oauth_token_verification import METADATA
from octavo.interfaces.http.problem_responses import protocol_problem
from octavo.interfaces.http.server_token import loopback
from octavo.observability.metrics import Metrics

OPEN = frozenset({"/health", "/readyz"})  # asked by supervisors, who have no token; they tell nothing
_BEFORE_LOGIN = ("/login", "/assets/", METADATA)  # the form that asks a person for the token; where programs get one
STREAMS = frozenset({"/mcp"})  # last as long as the client wants
_BODY_SECONDS = 15.0  # for the whole body of a request to arrive
_AGAIN = "give the token in another tab, then come back here, go back and send it again: what you wrote is still there"
_OWN_PAGES = frozenset({"same-origin", "none"})  # none: a person typed the address, or a program sends the header
PROJECT_HEADER = "octavo-project"
"""Names the project of a request, where that is not the server's."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


Refused = Callable[[int, str, str | None, Mapping[str, str] | None], ASGIApp]
"""Makes the answer to a request that is not let in: its status, what is wrong, what to do, and further headers."""


class _TooLarge(Exception):
    """The body is longer than a request may be."""


class Guard:
    """An ASGI application around another one.

    A browser sends the name it looked up as Host, so a page that points its own name at this machine is told by it;
    and it says in Origin which page asks, for pictures and links at least in Sec-Fetch-Site. Pages of another port of
    this machine are another's pages too. Numbers cannot be pointed elsewhere, so away from loopback they are let in.
    `page` makes what a person sees who is refused; programs get a problem as JSON.
    """

    def __init__(
        self, app: ASGIApp, settings: Serve, access: Access | None, metrics: Metrics, page: Refused = protocol_problem
    ) -> None:
        self._app = app
        self._settings = settings
        self.access = access
        self._metrics = metrics
        self._page = page
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
        refused = await self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return
        try:
            replayed = await self._received(receive)
        except _TooLarge:
            await self._too_large(scope)(scope, receive, send)
            return
        except TimeoutError:
            detail = f"the body did not arrive within {_BODY_SECONDS:g} s"
            await self._refused(scope)(408, detail, None, None)(scope, receive, send)
            return
        if replayed is None:
            return  # the client went away; nobody is left to answer
        self._active += 1
        try:
            with acting_as(scope.get(CALLER)):
                await self._limited(scope, replayed, send)
        finally:
            self._active -= 1

    async def _received(self, receive: Receive) -> Receive | None:
        """What replays the body once all of it has arrived: half a request takes up no turn. None without a client."""
        body, left = [], self._settings.max_request_bytes
        async with asyncio.timeout(_BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body.append(message.get("body", b""))
                left -= len(body[-1])
                if left < 0:
                    raise _TooLarge
                if not message.get("more_body", False):
                    break
        whole: list[Message] = [{"type": "http.request", "body": b"".join(body), "more_body": False}]

        async def replayed() -> Message:
            return whole.pop() if whole else await receive()

        return replayed

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        streaming = scope["path"] in STREAMS
        try:
            async with asyncio.timeout(None if streaming else self._settings.timeout_seconds):
                if streaming and scope["method"] == "GET":
                    await self._until_draining(scope, receive, noting)
                else:
                    await self._app(scope, receive, noting)
        except TimeoutError:
            if begun:
                raise
            seconds = self._settings.timeout_seconds
            detail = f"this took longer than {seconds:g} s"
            refused = self._refused(scope)(504, detail, "try again, or ask for less", None)
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

    def _refused(self, scope: Scope) -> Refused:
        """A page for whoever looks at one, forms included."""
        return self._page if _asks_for_page(Headers(scope=scope)) else protocol_problem

    async def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        refused = self._refused(scope)
        host = headers.get("host", "")
        if not self._known_host(host):
            hint = "ask it by its address, or start it with --allow-host NAME"
            return refused(421, f"this server is not called {host[:200]!r}", hint, None)
        origin = headers.get("origin")
        if origin is not None and not self._known_origin(origin, host):
            hint = "start it with --allow-origin ORIGIN if that page is yours"
            return refused(403, f"pages of {origin[:200]!r} may not ask this server", hint, None)
        allowed = origin is not None and origin in self._settings.allow_origins
        if headers.get("sec-fetch-site", "none") not in _OWN_PAGES and not allowed:
            again = None if scope["method"] == "GET" else "open the page of this server, and send it from there"
            return refused(403, "another web page made this request", again, None)
        preflight = allowed and scope["method"] == "OPTIONS"  # which browsers send without the token
        if not preflight and not _open(scope["path"]):
            try:
                caller = await self.access.caller(scope, headers) if self.access else ANYONE
            except Forbidden as error:
                told = {"WWW-Authenticate": self._challenge("insufficient_scope", error.details.get("scope"))}
                return refused(403, error.message, error.hint, told)
            except OctavoError as error:
                return refused(503, f"who asks cannot be looked up: {error.message}", "try again in a moment", None)
            if caller is None:
                return self._unknown(scope, headers)
            if forbidden := self._forbidden(scope, headers, caller):
                return forbidden
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.max_request_bytes:
            return self._too_large(scope)
        if self.draining.is_set() or (self._active >= self._settings.concurrency and scope["path"] not in OPEN):
            detail = "the server is shutting down" if self.draining.is_set() else "too many requests at once"
            return refused(503, detail, "try again in a moment", {"Retry-After": "1"})
        return None

    def _forbidden(self, scope: Scope, headers: Headers, caller: Caller) -> ASGIApp | None:
        """A project that the token is not for, whether there is one or not, and more requests than it may make."""
        refused, project = self._refused(scope), headers.get(PROJECT_HEADER)
        if project and not caller.sees(project):
            detail = f"the token {caller.name} is not for the project {project[:200]!r}"
            return refused(403, detail, f"it is for: {', '.join(caller.projects)}", None)
        if self.access and (seconds := self.access.overdrawn(caller)):
            detail = f"the token {caller.name} may make {caller.rate} requests a minute"
            return refused(429, detail, "wait a moment", {"Retry-After": str(math.ceil(seconds))})
        scope[CALLER] = replace(caller, project=project) if project else caller
        return None

    def _unknown(self, scope: Scope, headers: Headers) -> ASGIApp:
        """What somebody is told who has neither token nor session."""
        if not _asks_for_page(headers):
            detail = "a token is needed, as Authorization: Bearer TOKEN"
            hint = "`octavo serve` prints which file it is in; `octavo mcp install --http` tells a client"
            told = {"WWW-Authenticate": self._challenge("invalid_token" if "authorization" in headers else "")}
            return protocol_problem(401, detail, hint, told)
        if scope["method"] == "GET":
            return RedirectResponse("/login?refused=1" if session_of(headers) else "/login", 303)
        # A form of a page that is older than the server.
        return self._page(401, "the session that this page was opened in is over", _AGAIN, None)

    def _challenge(self, error: str, scope: object = None) -> str:
        issuer = self.access and self.access.issuer
        return issuer.challenge(error, scope) if issuer else "Bearer"

    def _too_large(self, scope: Scope) -> ASGIApp:
        most = self._settings.max_request_bytes
        return self._refused(scope)(413, f"a request may have {most:,} bytes at most", "ask for less at once", None)

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


def _asks_for_page(headers: Headers) -> bool:
    return "text/html" in headers.get("accept", "")


def _open(path: str) -> bool:
    return path in OPEN or path.startswith(_BEFORE_LOGIN)


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
