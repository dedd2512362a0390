"""Connections to a PostgreSQL server: made when first needed, kept for the next who asks, dropped once broken.

No state outlives a transaction: no prepared statements, no session settings, no session locks. A pooler that gives
every transaction another server connection (pgbouncer's transaction mode) therefore makes no difference.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from recto.errors import Busy
from recto.model.location import DatabaseUrl
from recto.stores.postgres.trouble import translated

Connection = psycopg.Connection[tuple[Any, ...]]


class Connections:
    """At most `limit` at a time; whoever finds all of them taken waits, but not for ever.

    A pool that connects from threads of its own retries in silence and reports a timeout in the end. Here the first
    who needs a connection makes it, and is told why that failed.
    """

    def __init__(self, url: DatabaseUrl, limit: int, timeout: float, prepare: Callable[[Connection], None]) -> None:
        self._url = url
        self._timeout = timeout
        self._prepare = prepare
        self._free: list[Connection] = []
        self._guard = threading.Lock()
        self._places = threading.BoundedSemaphore(limit)

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        if not self._places.acquire(timeout=self._timeout):
            raise Busy(f"every connection to {self._url} is taken", hint="try again in a moment")
        try:
            connection = self._one()
            try:
                yield connection
            finally:
                self._take_back(connection)
        finally:
            self._places.release()

    def connect(self, *, autocommit: bool = True) -> Connection:
        """A connection of the caller's own: to listen on, or to build an index with."""
        with translated(self._url):
            connection = psycopg.connect(
                self._url.secret,
                autocommit=autocommit,
                prepare_threshold=None,
                connect_timeout=max(2, round(self._timeout)),
                application_name="recto",
            )
        self._prepare(connection)
        return connection

    def drop_free(self) -> None:
        """After one connection broke: the others that wait here were most likely made before the same restart."""
        with self._guard:
            gone, self._free = self._free, []
        for connection in gone:
            connection.close()

    close = drop_free

    def _one(self) -> Connection:
        with self._guard:
            while self._free:
                connection = self._free.pop()
                if not connection.closed:
                    return connection
        return self.connect()

    def _take_back(self, connection: Connection) -> None:
        if connection.closed or connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.close()
            return
        with self._guard:
            self._free.append(connection)
