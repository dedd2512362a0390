"""Wakes workers when work is promised: the server says so on commit, to everyone who listens."""

from __future__ import annotations

import threading
import time

import psycopg

from recto.errors import RectoError
from recto.stores.postgres.connections import Connection
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.dialect import queries

_SLICE = 0.25  # seconds: how soon a worker that is told to stop while it waits does so


class Bell:
    """Listens on a connection of its own, made at the first wait and made again when it breaks.

    A pooler in transaction mode delivers nothing to listeners; then a worker looks when its poll is due, as ever.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._guard = threading.Lock()

    def wait(self, stop: threading.Event, seconds: float) -> None:
        """Until work is promised anywhere in the library, or told to stop, or so many seconds have passed."""
        if not self._guard.acquire(blocking=False):
            stop.wait(seconds)  # another worker of this process listens already
            return
        try:
            self._listen(stop, time.monotonic() + seconds)
        except (psycopg.Error, RectoError):
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
            for _ in self._connection.notifies(timeout=min(_SLICE, left), stop_after=1):
                return
