"""Connections to PostgreSQL: a pool of them, and the driver's errors as Octavo's own.

No state outlives a transaction: no prepared statements, no session settings, no session locks. A pooler that assigns
another server connection to every transaction (pgbouncer's transaction mode) therefore makes no difference.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg.pq import TransactionStatus

from octavo.errors import Busy, Conflict, LibraryError, NotIndexed, OctavoError, StorageError
from octavo.model.library_location import DatabaseUrl


@contextmanager
def translated(url: DatabaseUrl) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise translation(url, error) from error


def translation(url: DatabaseUrl, error: psycopg.Error) -> OctavoError:
    state = error.sqlstate or ""
    message = url.without_password(" ".join((error.diag.message_primary or str(error)).split()))
    for known, meaning in _BY_STATE.items():
        if state.startswith(known):
            return meaning.about(url, message)
    if not state and isinstance(error, psycopg.OperationalError):
        return _by_message(url, message)
    return StorageError(f"{url}: {message}", hint="the server's log says more")


def _by_message(url: DatabaseUrl, message: str) -> OctavoError:
    """Errors before or below the protocol have no state: only the message distinguishes them."""
    message = message.rpartition("FATAL: ")[2]  # the server's own sentence, without the host
    for known, meaning in _BY_WORDS.items():
        if known in message:
            return meaning.about(url, message)
    return StorageError(
        f"{url} cannot be reached: {message}", hint="check that the server runs and that host and port are right"
    )


class _Meaning(NamedTuple):
    """What an error is called here. The sentence has `{url}` and the server's own `{message}` in it."""

    error: Callable[..., OctavoError]
    sentence: str
    hint: str | None = None

    def about(self, url: DatabaseUrl, message: str) -> OctavoError:
        return self.error(self.sentence.format(url=url, message=message), hint=self.hint)


_AGAIN = "try again in a moment"
_REFUSED = _Meaning(
    StorageError,
    "{url} does not let this user in: {message}",
    "check the user and the password in the URL, or ~/.pgpass",
)
_NO_DATABASE = _Meaning(
    NotIndexed, "{url}: {message}", "make it with `createdb` on the server, then give the command again"
)
_BUSY = _Meaning(Busy, "{url} is busy: {message}", _AGAIN)
_LOST = _Meaning(StorageError, "the connection to {url} was lost: {message}", _AGAIN)
_CONTRADICTED = _Meaning(Conflict, "the change contradicts what {url} already holds: {message}")
_NO_TABLE = _Meaning(LibraryError, "{url} lacks a part of the library: {message}", "run `octavo db upgrade`")

# By SQLSTATE or a prefix of it: the first match counts.
_BY_STATE = {
    "28": _REFUSED,
    "3D000": _NO_DATABASE,
    "23": _CONTRADICTED,
    "P0001": _CONTRADICTED,  # our own triggers: history never changes
    "25006": _Meaning(
        StorageError, "{url} can only be read: {message}", "a replica answers searches; write to the primary"
    ),
    "40": _BUSY,
    "55P03": _BUSY,
    "57014": _Meaning(
        Busy, "{url} gave up: {message}", "try again, or raise the server's statement_timeout for this role"
    ),
    "57P03": _BUSY,
    "57": _LOST,
    "53100": _Meaning(
        StorageError, "the disk of {url} is full: {message}", "free some space on the server and run it again"
    ),
    "53": _BUSY,
    "08": _LOST,
    "42501": _Meaning(
        StorageError, "{url} does not allow it: {message}", "grant the role what docs/guides/team.md lists"
    ),
    "42P01": _NO_TABLE,
    "42703": _NO_TABLE,
    "XX001": _Meaning(
        LibraryError, "the library {url} is damaged: {message}", "stop writing to it and restore a backup"
    ),
    "XX002": _Meaning(
        LibraryError,
        "an index of {url} is damaged: {message}",
        "the owner runs `reindex index NAME`, then `octavo db check`",
    ),
}
_BY_WORDS = {
    "password authentication failed": _REFUSED,
    "no password supplied": _REFUSED,
    "no pg_hba.conf entry": _REFUSED,
    'role "': _REFUSED,
    "does not exist": _NO_DATABASE,
    "too many clients": _BUSY,
    "is starting up": _BUSY,
    "shutting down": _BUSY,
    "closed the connection": _LOST,
    "connection is lost": _LOST,
    "the connection is closed": _LOST,
}


Connection = psycopg.Connection[tuple[Any, ...]]


class Connections:
    """At most `limit` at a time; when all are in use, callers wait, with a timeout.

    A pool that connects in background threads retries silently and reports a timeout in the end. Here the caller that
    needs a connection opens it, and gets the error if that fails.
    """

    def __init__(self, url: DatabaseUrl, limit: int, timeout: float, prepare: Callable[[Connection], None]) -> None:
        self.url = url
        self._timeout = timeout
        self._prepare = prepare
        self._free: list[Connection] = []
        self._guard = threading.Lock()
        self._slots = threading.BoundedSemaphore(limit)
        self.limit, self.in_use, self.waiting = limit, 0, 0

    @contextmanager
    def borrowed(self) -> Iterator[Connection]:
        self._count(waiting=1)
        try:
            if not self._slots.acquire(timeout=self._timeout):
                raise Busy(f"every connection to {self.url} is taken", hint="try again in a moment")
        finally:
            self._count(waiting=-1)
        self._count(in_use=1)
        try:
            connection = self._free_or_new()
            try:
                yield connection
            finally:
                self._return(connection)
        finally:
            self._count(in_use=-1)
            self._slots.release()

    @property
    def idle(self) -> int:
        return len(self._free)

    def connect(self, *, autocommit: bool = True) -> Connection:
        """A connection owned by the caller: to listen on, or to build an index with."""
        with translated(self.url):
            connection = psycopg.connect(
                self.url.secret,
                autocommit=autocommit,
                prepare_threshold=None,
                connect_timeout=max(2, round(self._timeout)),
                application_name="octavo",
            )
        self._prepare(connection)
        return connection

    def drop_free(self) -> None:
        """After one connection broke: idle ones were most likely opened before the same restart."""
        with self._guard:
            closed, self._free = self._free, []
        for connection in closed:
            connection.close()

    close = drop_free

    def _count(self, in_use: int = 0, waiting: int = 0) -> None:
        with self._guard:
            self.in_use += in_use
            self.waiting += waiting

    def _free_or_new(self) -> Connection:
        with self._guard:
            while self._free:
                connection = self._free.pop()
                if not connection.closed:
                    return connection
        return self.connect()

    def _return(self, connection: Connection) -> None:
        if connection.closed or connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.close()
            return
        with self._guard:
            self._free.append(connection)
