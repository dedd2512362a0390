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
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

_OWN_ACCOUNT = None if sys.platform == "win32" else os.geteuid()
_SESSIONS = 1_000  # the oldest ends when another begins
_ESTABLISHED = "01"


class Access:
    def __init__(self, token: str) -> None:
        self._token = token
        self._sessions: dict[str, int | None] = {}  # id → the account that began it, where that is known
        self._invitations: set[str] = set()

    def invite(self) -> str:
        """A code that opens one session. The address that a browser is started with is seen by every account of the
        machine in the list of processes, so it has such a code and not the token."""
        self._invitations.add(code := secrets.token_urlsafe(32))
        return code

    def admits(self, scope: Scope, headers: Headers) -> bool:
        if by_unix_socket(scope):
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._is_token(given.strip())
        session = session_of(headers)
        return session in self._sessions and _same_account(self._sessions[session], account_of_peer(scope))

    def begin(self, scope: Scope, *, token: str = "", code: str = "") -> str | None:
        """The id of a new session for whoever has the token or an invitation; None for others."""
        account = account_of_peer(scope)
        if code in self._invitations and _same_account(_OWN_ACCOUNT, account):
            self._invitations.remove(code)
        elif not self._is_token(token):
            return None
        while len(self._sessions) >= _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[session := secrets.token_urlsafe(32)] = account
        return session

    def end(self, headers: Headers) -> None:
        self._sessions.pop(session_of(headers), None)

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


def _unmapped(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return getattr(address, "ipv4_mapped", None) or address


def _same_account(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other
