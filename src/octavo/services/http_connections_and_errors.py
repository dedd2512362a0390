"""HTTP connections shut when time is over or nobody waits, and errors that say whether asking again can help."""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from octavo.observability.cancellation import Cancellation

REQUEST_ERRORS = (OSError, ValueError, http.client.HTTPException)
"""What urllib raises for a request that is not answered."""

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class ServiceFailure(Exception):
    """`again` where asking again can help, `after` so many seconds; `status` is the answer's, if there was one."""

    def __init__(self, reason: str, *, again: bool = False, after: float = 0.0, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.after = after
        self.status = status


def failure_of(error: Exception, *, slow: bool = False) -> ServiceFailure:
    """Of an error in `REQUEST_ERRORS`. `slow` where a deadline passed, whatever the connection says of it."""
    if isinstance(error, ServiceFailure) and not slow:
        return error
    if isinstance(error, urllib.error.HTTPError):
        after = error.headers.get("Retry-After", "") if error.headers else ""
        return ServiceFailure(
            f"it answered {error.code}",
            again=error.code in _AGAIN,
            after=float(after) if after.replace(".", "", 1).isdigit() else 0.0,
            status=error.code,
        )
    reason = getattr(error, "reason", None)
    if slow or isinstance(reason or error, TimeoutError):
        return ServiceFailure("it did not answer in time", again=True)
    if isinstance(error, ValueError):
        return ServiceFailure(f"this is no address ({error})")
    return ServiceFailure(
        f"it cannot be reached ({reason})" if reason else f"it broke off ({type(error).__name__})", again=True
    )


class RequestSockets:
    """The sockets of one request. A read that blocks in one of them ends when they are shut."""

    def __init__(self, seconds: float, cancellation: Cancellation) -> None:
        self._seconds = seconds
        self._cancellation = cancellation
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._shut = False
        self.expired = False

    @property
    def cancelled(self) -> bool:
        return self._cancellation.cancelled

    def opened(self, connected: socket.socket) -> None:
        with self._lock:
            self._sockets.append(connected)
            shut = self._shut
        if shut:
            self.shut()

    def shut(self) -> None:
        with self._lock:
            self._shut = True
            sockets = list(self._sockets)
        for connected in sockets:
            with suppress(OSError, ValueError):
                connected.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def watching(self) -> Iterator[None]:
        timer = threading.Timer(self._seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            with self._cancellation.calling(self.shut):
                yield
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self.expired = True
        self.shut()


class _Connection(http.client.HTTPConnection):
    """Tells whoever watches of its socket, so that it can be shut from outside."""

    def __init__(self, *arguments: Any, opened: Callable[[socket.socket], None], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._opened = opened

    def connect(self) -> None:
        super().connect()
        self._opened(self.sock)


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    """The same, encrypted: what it inherits first calls what it inherits second."""


class WatchedHttp(urllib.request.HTTPHandler):
    """Opens `http:` addresses by connections that a watch knows."""

    def __init__(self, watch: RequestSockets) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_Connection, opened=self._watch.opened), request)


class WatchedHttps(urllib.request.HTTPSHandler):
    """The same for `https:`."""

    def __init__(self, watch: RequestSockets) -> None:
        super().__init__()
        self._watch = watch

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_SecureConnection, opened=self._watch.opened), request)
