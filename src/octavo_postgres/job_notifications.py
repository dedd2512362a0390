"""Job notifications: PostgreSQL notifies listening workers when a committed transaction enqueued a job."""

from __future__ import annotations

import threading
import time

import psycopg

from octavo.errors import OctavoError
from octavo_postgres.connection_pool import Connection
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import queries

_STOP_CHECK = 0.25  # seconds between checks whether to stop


class JobListener:
    """Listens on a connection of its own, opened at the first wait and reopened when it breaks.

    A pooler in transaction mode delivers no notifications; then a worker polls as usual.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._guard = threading.Lock()

    def wait(self, stop: threading.Event, seconds: float) -> None:
        """Blocks until a job is enqueued anywhere in the library, `stop` is set, or the time is over."""
        if not self._guard.acquire(blocking=False):
            stop.wait(seconds)  # another worker of this process already listens
            return
        try:
            self._listen(stop, time.monotonic() + seconds)
        except (psycopg.Error, OctavoError):
            self.close()
            stop.wait(seconds)
        finally:
            self._guard.release()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listen(self, stop: threading.Event, until: float) -> None:
        if self._connection is None or self._connection.closed:
            self._connection = self._database.connections.connect()
            self._connection.execute(queries()["jobs_listen"])
        while not stop.is_set() and (left := until - time.monotonic()) > 0:
            for _ in self._connection.notifies(timeout=min(_STOP_CHECK, left), stop_after=1):
                return
