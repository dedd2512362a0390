"""Connections to a SQLite file: borrowed for a query or a transaction, then reused by whichever thread comes next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

_IDLE = 8  # connections kept open while nobody uses them; each has a page cache and up to three descriptors


class PooledConnection(Protocol):
    @property
    def in_transaction(self) -> bool: ...

    def close(self) -> None: ...


C = TypeVar("C", bound=PooledConnection)


class ConnectionPool(Generic[C]):
    """As many as are in use at once, and a few idle ones: however many threads come and go, descriptors do not add up.

    The connection that was used last is reused first: its page cache is warm.
    """

    def __init__(self, connect: Callable[[], C]) -> None:
        self._connect = connect
        self._idle: list[C] = []
        self._guard = threading.Lock()
        self._closed = 0  # how often it was closed: a connection borrowed before that is not reused
        self.in_use: dict[int, int] = {}

    @property
    def open(self) -> int:
        """How many are open, idle or in use."""
        with self._guard:
            return len(self._idle) + len(self.in_use)

    @contextmanager
    def borrowed(self) -> Iterator[C]:
        connection = self.borrow()
        try:
            yield connection
        finally:
            self.give_back(connection)

    def borrow(self) -> C:
        with self._guard:
            connection = self._idle.pop() if self._idle else None
            closed = self._closed
        if connection is None:
            connection = self._connect()
        with self._guard:
            self.in_use[id(connection)] = closed
        return connection

    def give_back(self, connection: C) -> None:
        with self._guard:
            current = self.in_use.pop(id(connection), -1) == self._closed
            reusable = current and len(self._idle) < _IDLE and not connection.in_transaction
            if reusable:
                self._idle.append(connection)
        if not reusable:
            connection.close()

    def close(self) -> None:
        """Closes the idle ones now, and those in use once they are given back: no thread loses one while it reads."""
        with self._guard:
            idle, self._idle = self._idle, []
            self._closed += 1
        for connection in idle:
            connection.close()
