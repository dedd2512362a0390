"""A connection pool: connections are opened on first use, reused, and dropped once broken.

No state outlives a transaction: no prepared statements, no session settings, no session locks. A pooler that assigns
another server connection to every transaction (pgbouncer's transaction mode) therefore makes no difference.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from octavo.errors import Busy
from octavo.model.library_location import DatabaseUrl
from octavo_postgres.error_translation import translated

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
