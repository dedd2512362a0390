"""Replicas: a search reads from one that has replayed enough; one that is lost or lags is left out, and said.

What is enough is a position in the primary's log: that of this process's last write, so that whoever writes finds what
was written; that of the newest state a search has read, so that nothing disappears again; and what the primary had
within the bound of freshness.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

import psycopg

from octavo.errors import Busy, OctavoError
from octavo.model.library_location import DatabaseUrl
from octavo_postgres.connections_and_errors import Connection, Connections, translated, translation
from octavo_postgres.sql_dialect import queries

_AFTER_LOSS = 5.0  # seconds before a replica that failed is asked again


class Replica:
    """A server that follows the primary. `problem` is why it is left out; empty where it is not.

    `position` in the log is how far it had come when it was last asked, `newest_seconds` the age of its newest change.
    """

    def __init__(self, url: DatabaseUrl, connections: Connections) -> None:
        self.url = url
        self.connections = connections
        self.problem = ""
        self.verified = False
        self.not_before = 0.0
        self.position = 0
        self.newest_seconds = 0.0


class Sample(NamedTuple):
    """Where the primary's log ended at a time."""

    at: float = float("-inf")
    position: int = 0


class Lag(NamedTuple):
    """How far a replica is behind in bytes, None where it does not answer, and in seconds."""

    connections: Connections
    behind: int | None
    seconds: float
    usable: bool


class Replicas:
    """Those of one library. `primary` has connections to the server that is written to."""

    def __init__(
        self,
        primary: Connections,
        replicas: Sequence[Replica],
        within: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._primary = primary
        self._replicas = tuple(replicas)
        self._within = within
        self.clock = clock
        self._guard = threading.Lock()
        self._turn = 0
        self._identity: object = None
        self._seen = 0
        self._samples = Sample(), Sample()
        self._long_ago = 0  # a position that the primary had longer ago than the bound

    def __len__(self) -> int:
        return len(self._replicas)

    def left_out(self) -> tuple[str, ...]:
        return tuple(f"replica: {each.url} is left out: {each.problem}" for each in self._replicas if each.problem)

    def saw_primary(self, connection: Connection) -> None:
        """After a write, or in a read: no search from now on reads an earlier state."""
        try:
            self._saw(_position(connection))
        except psycopg.Error:  # what was written is written; how far a replica must be is asked anew
            self._samples = Sample(), Sample()

    def lost(self, replica: Replica, error: Exception) -> None:
        message = translation(replica.url, error).message if isinstance(error, psycopg.Error) else str(error)
        replica.connections.drop_free()
        self._leave_out(replica, message.replace(str(replica.url), "it", 1), lost=True)

    def close(self) -> None:
        for replica in self._replicas:
            replica.connections.close()

    @contextmanager
    def fresh(self) -> Iterator[tuple[Replica, Connection] | None]:
        """A replica in a read transaction; None where none has replayed enough."""
        bound = self._bound()
        self._turn += 1
        for number in range(len(self)):
            replica = self._replicas[(self._turn + number) % len(self)]
            with ExitStack() as stack:
                connection = self._begun(replica, bound, stack)
                if connection is not None:
                    yield replica, connection
                    return
        yield None

    def lags(self) -> Iterator[Lag]:
        """Asks each, after the primary, how far it has come."""
        with translated(self._primary.url), self._primary.borrowed() as connection:
            position = _position(connection)
        self.probe()
        for replica in self._replicas:
            behind = max(0, position - replica.position)
            seconds = replica.newest_seconds if behind else 0.0
            yield Lag(replica.connections, None if replica.not_before else behind, seconds, not replica.problem)

    def probe(self) -> None:
        """Asks each whether it is there and how far it has come."""
        bound = self._bound()
        for replica in self._replicas:
            with ExitStack() as stack:
                self._begun(replica, bound, stack)

    def _begun(self, replica: Replica, bound: int, stack: ExitStack) -> Connection | None:
        now = self.clock()
        if now < replica.not_before:
            return None
        if not replica.verified:
            replica.not_before = now + _AFTER_LOSS  # others do not wait for it at the same time
        try:
            try:
                connection = _transaction(replica, stack)
            except psycopg.OperationalError:  # opened before the replica's last restart
                stack.close()
                replica.connections.drop_free()
                connection = _transaction(replica, stack)
            problem = "" if replica.verified else self._strange(connection)
            row = connection.execute(queries()["replica_position"]).fetchall()[0]
            recovering, position, replica.newest_seconds = row
            replica.position = position
        except Busy:
            return None  # every connection to it is in use
        except (psycopg.Error, OctavoError) as error:
            self.lost(replica, error)
            return None
        if problem or not recovering:
            self._leave_out(replica, problem or "it is no replica, or no longer", lost=True)
        elif position < self._long_ago:
            behind = (
                f"it is {self._long_ago - position:,} bytes behind what the primary had {self._within:g} seconds ago"
            )
            self._leave_out(replica, behind, lost=False)
        else:  # one that lacks only what may have been written a moment ago is not at fault: the primary answers
            replica.problem, replica.verified, replica.not_before = "", True, 0.0
            if position >= max(bound, self._seen):
                self._saw(position)
                return connection
        return None

    def _leave_out(self, replica: Replica, problem: str, *, lost: bool) -> None:
        replica.problem, replica.verified = problem, not lost
        replica.not_before = self.clock() + _AFTER_LOSS if lost else 0.0

    def _saw(self, position: int) -> None:
        with self._guard:
            self._seen = max(self._seen, position)

    def _bound(self) -> int:
        """What the primary had not longer ago than the bound: asked anew after half of that."""
        older, newer = self._samples
        now = self.clock()
        age = now - newer.at
        passed = (sample.position for sample in (older, newer) if now - sample.at >= self._within)
        self._long_ago = max(self._long_ago, *passed, 0)
        if age >= self._within / 2:
            # Not under the guard: who waits for a connection must not hold up who has one.
            with translated(self._primary.url), self._primary.borrowed() as connection:
                sample = Sample(now, _position(connection))
                self._identity = self._identity or _identity(connection)
            older = newer if age < self._within else sample
            self._samples = older, sample
        return older.position

    def _strange(self, connection: Connection) -> str:
        return "" if _identity(connection) == self._identity else "it does not follow this library's server"


def _transaction(replica: Replica, stack: ExitStack) -> Connection:
    connection = stack.enter_context(replica.connections.borrowed())
    stack.callback(_ended, connection)  # or the pool closes it
    connection.execute(queries()["begin_reading"])
    return connection


def _ended(connection: Connection) -> None:
    with suppress(psycopg.Error):
        connection.rollback()


def _position(connection: Connection) -> int:
    return int(connection.execute(queries()["primary_position"]).fetchall()[0][0])


def _identity(connection: Connection) -> object:
    return connection.execute(queries()["server_identity"]).fetchone()
