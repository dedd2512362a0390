"""Who is let in: programs that give the token, browsers that exchanged it for a session, the account's own socket.

A browser sends a cookie to every port of a host, so whoever listens on another port may be told it. Hence a session is
not the token, ends with the server or when the person leaves, has the port in its name, and on Linux is bound to the
account whose browser began it.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from octavo.engine.caller_permissions import OWNER, Caller, caller_with
from octavo.interfaces.http.oauth_token_verification import Issuer
from octavo.model.access_token import TOKEN_PREFIX, AccessToken, token_hash

_OWN_ACCOUNT = None if sys.platform == "win32" else os.geteuid()
_SESSIONS = 1_000  # the oldest ends when another begins
_ESTABLISHED = "01"
_UNKNOWN_SECONDS = 5.0  # for which a hash without a token is believed to have none: guesses cost no query each
_UNKNOWN = 1_000  # such hashes


Lookup = Callable[[str], Awaitable[AccessToken | None]]
"""The token with a hash, as the library has it now."""


class BrowserSession(NamedTuple):
    """`account` is the one that began it, where that is known; `digest` that of its token, None for the server's."""

    account: int | None
    digest: str | None


class Access:
    """The server's own token opens everything; others are the library's, with what each allows, or the issuer's."""

    def __init__(self, token: str, lookup: Lookup, issuer: Issuer | None = None) -> None:
        self._token = token
        self._lookup = lookup
        self.issuer = issuer
        self._unknown: dict[str, float] = {}  # hash → when it was looked up
        self._sessions: dict[str, BrowserSession] = {}
        self._invitations: set[str] = set()
        self._budgets: dict[str, tuple[float, float]] = {}  # token → requests left, as of when

    def invite(self) -> str:
        """A code that opens one session. The address that a browser is started with is seen by every account of the
        machine in the list of processes, so it has such a code and not the token."""
        self._invitations.add(code := secrets.token_urlsafe(32))
        return code

    async def caller(self, scope: Scope, headers: Headers) -> Caller | None:
        """Who asks; None for those who are not let in."""
        if by_unix_socket(scope):
            return OWNER
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given = given.strip()
            caller = await self._caller_with(given)
            foreign = caller is None and self.issuer is not None and given and not given.startswith(TOKEN_PREFIX)
            return await self.issuer.caller(given) if foreign and self.issuer else caller
        session = self._sessions.get(session_of(headers))
        if session is None or not _same_account(session.account, account_of_peer(scope)):
            return None
        return OWNER if session.digest is None else await self._caller_of(session.digest)

    async def begin(self, scope: Scope, *, token: str = "", code: str = "") -> str | None:
        """The id of a new session for whoever has a token or an invitation; None for others."""
        account, digest = account_of_peer(scope), None
        if code in self._invitations and _same_account(_OWN_ACCOUNT, account):
            self._invitations.remove(code)
        elif await self._caller_with(token) is None:
            return None
        elif not self._is_token(token):
            digest = token_hash(token)
        while len(self._sessions) >= _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[session := secrets.token_urlsafe(32)] = BrowserSession(account, digest)
        return session

    def end(self, headers: Headers) -> None:
        self._sessions.pop(session_of(headers), None)

    def overdrawn(self, caller: Caller) -> float:
        """Seconds until the caller may ask again; 0 where it may now, which is then counted."""
        if caller.rate is None:
            return 0.0
        now, second = time.monotonic(), caller.rate / 60
        left, since = self._budgets.get(caller.name, (float(caller.rate), now))
        left = min(float(caller.rate), left + (now - since) * second)
        granted = left >= 1
        self._budgets[caller.name] = (left - 1 if granted else left, now)
        return 0.0 if granted else (1 - left) / second

    async def _caller_with(self, given: str) -> Caller | None:
        if self._is_token(given):
            return OWNER
        return await self._caller_of(token_hash(given)) if given.startswith(TOKEN_PREFIX) else None

    async def _caller_of(self, digest: str) -> Caller | None:
        now = time.monotonic()
        if now - self._unknown.get(digest, -_UNKNOWN_SECONDS) < _UNKNOWN_SECONDS:
            return None
        # Looked up for each request, by an index: a token that somebody has just revoked opens nothing.
        token = await self._lookup(digest)
        if token is None:
            while len(self._unknown) >= _UNKNOWN:
                del self._unknown[next(iter(self._unknown))]
            self._unknown[digest] = now
        return caller_with(token) if token is not None and token.holds(time.time()) else None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def by_unix_socket(scope: Scope) -> bool:
    """Its folder lets in nobody but the account that serves. Only such a socket has a name and no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


def cookie_name(headers: Headers) -> str:
    """With the port as the browser sees it, which two servers behind tunnels do not share."""
    try:
        port = urlsplit(f"//{headers.get('host', '')}").port
    except ValueError:
        port = None
    return f"octavo_session_{port or 80}"


def session_of(headers: Headers) -> str:
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def set_session(response: Response, headers: Headers, session: str) -> None:
    response.set_cookie(cookie_name(headers), session, path="/", httponly=True, samesite="strict")


def account_of_peer(scope: Scope) -> int | None:
    """The user id that owns the other end of a connection within this machine, as Linux lists it; None elsewhere."""
    if sys.platform != "linux" or not scope.get("client") or not scope.get("server"):
        return None
    here, there = (_endpoint(*scope[side]) for side in ("server", "client"))
    if here is None or there is None or not there[0].is_loopback:
        return None
    for near, far, state, user in _connections(there[1]):
        if state == _ESTABLISHED and near == there and far[1] == here[1]:
            return user
    return None


Endpoint = tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]


def _connections(port: int) -> Iterator[tuple[Endpoint, Endpoint, str, int]]:
    ending = f":{port:04X}"
    for table in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/net", table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[1].endswith(ending):
                yield _listed(fields[1]), _listed(fields[2]), fields[3], int(fields[7])


def _listed(written: str) -> Endpoint:
    """An address as Linux lists it: words of four bytes in the machine's order, and the port."""
    address, _, port = written.partition(":")
    words = (int(address[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(address), 8))
    return _unmapped(ipaddress.ip_address(b"".join(words))), int(port, 16)


def _endpoint(host: str, port: int | None) -> Endpoint | None:
    try:
        return (_unmapped(ipaddress.ip_address(host)), port) if port else None
    except ValueError:
        return None


def _unmapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return getattr(address, "ipv4_mapped", None) or address


def _same_account(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other
