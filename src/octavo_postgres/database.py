"""A PostgreSQL database behind the repositories' port, with driver errors translated into Octavo's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from octavo.errors import InvalidArgument
from octavo.model.library_location import DatabaseUrl
from octavo.sql_repositories.database_port import Counters, Row
from octavo.sql_repositories.store import ReplicaLost
from octavo_postgres.connections_and_errors import Connection, Connections, translated
from octavo_postgres.replicas import Replica, Replicas
from octavo_postgres.schema_migrations import Extensions, ensure_schema
from octavo_postgres.sql_dialect import (
    Batch,
    Half,
    batched,
    decoded,
    driver_syntax,
    encoded,
    little_endian,
    queries,
    query_texts,
    register,
    with_names,
)

T = TypeVar("T")

_REPLICA_SECONDS = 2.0  # to wait for a connection to a replica: the primary answers as well
_ROW_BATCH = 2_000  # rows per insert: far below the protocol's message limit
_FEW = 50  # rows that are written as text among other statements
_LONGEST = 1_000_000  # characters of statements that wait to be sent
_STEADY = frozenset(
    ("active_profile_settings", "collections", "generation", "named_profiles", "profile_key", "projects", "vectors_any")
)
"""Queries whose rows change with the generation alone: read transactions of one generation share them."""


class PostgresDatabase(Counters):
    """Fits `sql_repositories.database_port.Database`.

    The write lock of a library is an advisory lock that a transaction takes first, like `begin immediate` in SQLite:
    flows read, decide and write under it, and two of them can neither interleave nor deadlock.
    """

    def __init__(
        self,
        url: DatabaseUrl,
        *,
        create: bool = True,
        upgrade: bool = False,
        busy_timeout_ms: int = 5_000,
        connections: int = 8,
        reads: Sequence[DatabaseUrl] = (),
        reads_within: float = 0.0,
    ) -> None:
        """Searches go to one of `reads` that has what the primary had `reads_within` seconds ago."""
        self.url = url
        self._busy_timeout_ms = busy_timeout_ms
        self.queries = queries()
        self._local = threading.local()
        self._batches: dict[str, Batch | None] = {}
        self._types: dict[str, Mapping[str, str]] = {}
        self._steady: tuple[int, dict[tuple[Any, ...], list[Row]]] = (-1, {})
        self.connections = Connections(url, connections, busy_timeout_ms / 1e3, self._prepare)
        self.extensions = Extensions()
        self.replicas: Replicas | None = None
        try:
            with translated(url), self.connections.borrowed() as connection:
                self.extensions = ensure_schema(connection, url, create=create, upgrade=upgrade)
                self._prepare(connection)
        except BaseException:
            self.close()
            raise
        followers = [
            Replica(follower, Connections(follower, connections, _REPLICA_SECONDS, self._prepare)) for follower in reads
        ]
        self.replicas = Replicas(self.connections, followers, reads_within) if followers else None

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None, settings: Sequence[str] = ()) -> list[Row]:
        """`settings` are queries that change a setting for the rest of the transaction: all go in one message."""
        values = encoded(parameters or {})
        if name not in _STEADY:
            return self._read((*settings, name), values)
        known, asked = self._steady_rows(), (name, *values.values())
        if asked not in known:
            known[asked] = self._read((name,), values)
        return known[asked]

    def _read(self, names: Sequence[str], values: Mapping[str, Any]) -> list[Row]:
        query, unsent = b";".join(self.queries[name] for name in names), self._unsent()

        def read(connection: Connection) -> list[Row]:
            cursor = psycopg.ClientCursor(connection)
            if unsent:
                return _executed(connection, [*unsent, cursor.mogrify(query, values)])
            return _last(cursor.execute(query, values))

        return decoded(self.with_connection(read))

    def _steady_rows(self) -> dict[tuple[Any, ...], list[Row]]:
        """What is known already of the state that this thread reads; nothing in a transaction that writes."""
        if self.writing or self._current_connection() is None:
            return {}
        if self._local.generation is None:
            self._local.generation = self._read(("generation",), {})[0][0]
        generation = self._local.generation
        if generation > self._steady[0]:
            self._steady = generation, {("generation",): [(generation,)]}
        newest, known = self._steady
        return known if newest == generation else {("generation",): [(generation,)]}

    @property
    def read_cache(self) -> dict[Any, Any]:
        """Of what this thread has read in its read transaction; it ends with it."""
        cache: dict[Any, Any] | None = None if self.writing else getattr(self._local, "cache", None)
        return {} if cache is None else cache

    def binary_rows(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        """For much data in few rows: numbers arrive in binary format. Types have to be unambiguous."""
        query, values = self.queries[name], encoded(parameters)

        def read(connection: Connection) -> list[Row]:
            return connection.cursor(binary=True).execute(query, values).fetchall()

        return decoded(self.with_connection(read))

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        self._later(self.queries[name], encoded(parameters or {}))

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        connection = self._writer()
        if name not in self._batches:
            self._batches[name] = batched(query_texts()[name], self._column_types)
        batch, rows = self._batches[name], with_names(query_texts()[name], parameters)
        if len(rows) <= _FEW and (batch is None or Half not in batch.conversions.values()):
            statements = [(self.queries[name], encoded(row)) for row in rows] if batch is None else []
            if batch is not None and rows:
                statements = [(batch.query, batch.arrays(rows))]
            for query, values in statements:
                self._later(query, values)
            return
        with translated(self.url):
            self._send()
            if batch is None:
                psycopg.ClientCursor(connection).executemany(self.queries[name], [encoded(row) for row in rows])
                return
            for start in range(0, len(rows), _ROW_BATCH):
                connection.cursor().execute(batch.query, batch.arrays(rows[start : start + _ROW_BATCH]))

    def _later(self, query: bytes, values: Mapping[str, Any]) -> None:
        """Sent with the next read or the commit: the write lock is held for the way there and back of few messages."""
        connection = self._writer()
        with translated(self.url):
            self._local.unsent.append(psycopg.ClientCursor(connection).mogrify(query, values))
            if sum(map(len, self._local.unsent)) > _LONGEST:
                self._send()

    def _unsent(self) -> list[str]:
        """The statements that wait to be sent, for whoever sends them now."""
        if not self.writing:
            return []
        unsent: list[str] = self._local.unsent
        self._local.unsent = []
        return unsent

    def _send(self) -> None:
        if unsent := self._unsent():
            _executed(self._writer(), unsent)

    def query(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Runs a statement that `sql_repositories.table_transfer` generated; values are as on every engine."""
        query, values = driver_syntax(statement).encode(), encoded(parameters)

        def read(connection: Connection) -> list[Row]:
            cursor = connection.cursor(binary=True).execute(query, values)
            kinds = [column.type_code for column in cursor.description or ()]
            halves = [column for column, kind in enumerate(kinds) if (kind,) == (self.extensions.halfvec or ())[:1]]
            return [_portable(row, halves) for row in cursor]

        return decoded(self.with_connection(read))

    def insert(self, statement: str, rows: Sequence[Mapping[str, Any]], table: str) -> None:
        connection = self._writer()
        batch = batched(statement, self._column_types)
        if rows and batch is not None:
            with translated(self.url):
                self._send()
                connection.cursor().execute(batch.query, batch.arrays(rows))

    def backup(self, target: Path) -> None:
        raise InvalidArgument(
            f"{self.url} is backed up with PostgreSQL's own tools",
            hint=f"run `pg_dump --format=custom --file={target} {self.url}`,"
            f" or `octavo db migrate --to {target}` for a file that opens without a server",
        )

    @property
    def writing(self) -> bool:
        """Whether this thread is in a transaction that may write."""
        return bool(getattr(self._local, "writing", False))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._current_connection() is not None:
            raise RuntimeError("transactions do not nest")
        with self._in_transaction("begin_writing", {"busy_ms": self._patience_ms()}) as connection:
            self._local.writing, self._local.unsent = True, []
            try:
                yield
                statements = [*self._unsent(), self.queries["commit_writing"].decode()]
            finally:
                self._local.writing = False
            with translated(self.url):
                _executed(connection, statements)
            if self.replicas is not None:
                self.replicas.saw_primary(connection)

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._current_connection() is not None:
            yield
            return
        with self._in_transaction("begin_reading", {}):
            yield

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Like `reading`, on a replica that is fresh enough where there is one."""
        replicas = self.replicas
        if replicas is None or self._current_connection() is not None:
            with self.reading():
                yield
            return
        with replicas.fresh() as fresh:
            if fresh is None:
                with self.reading():
                    self.with_connection(replicas.saw_primary)
                    yield
                return
            replica, self._local.connection = fresh
            self._local.failure = self._local.generation = None
            self._local.cache = {}
            try:
                yield
            finally:
                self._local.connection = self._local.cache = None
                failure: psycopg.Error | None = self._local.failure
                if failure is not None:  # whatever was read since then may lack something
                    replicas.lost(replica, failure)
                    raise ReplicaLost(f"the replica {replica.url} failed") from failure

    @contextmanager
    def patient(self, seconds: float) -> Iterator[None]:
        """Transactions of this thread wait that long for the write lock."""
        before, self._local.patience_ms = self._patience_ms(), int(seconds * 1e3)
        try:
            yield
        finally:
            self._local.patience_ms = before

    def _patience_ms(self) -> int:
        return int(getattr(self._local, "patience_ms", self._busy_timeout_ms))

    def set_local(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Changes a setting for the rest of this thread's transaction; without effect outside one."""
        connection = self._current_connection()
        if connection is not None:
            with translated(self.url):
                self._send()
                psycopg.ClientCursor(connection).execute(self.queries[name], parameters)

    def close(self) -> None:
        self.connections.close()
        if self.replicas is not None:
            self.replicas.close()

    @contextmanager
    def _in_transaction(self, name: str, parameters: Mapping[str, Any]) -> Iterator[Connection]:
        with self.connections.borrowed() as first:
            connection = first
            try:
                self._begin(connection, name, parameters)
            except psycopg.OperationalError as error:
                if not connection.closed:
                    with translated(self.url):
                        raise error
                # Opened before the server's last restart. Nothing was sent on it yet, so a new one can take over.
                self.connections.drop_free()
                connection = self.connections.connect()
                with translated(self.url):
                    self._begin(connection, name, parameters)
            self._local.connection = connection
            try:
                yield connection
            finally:
                self._local.connection = self._local.cache = None
                # After an error, or at the end of a read transaction; a connection that fails here is dropped.
                with suppress(psycopg.Error):
                    connection.rollback()
                if connection is not first:
                    connection.close()

    def _begin(self, connection: Connection, name: str, parameters: Mapping[str, Any]) -> None:
        try:
            begun = _last(psycopg.ClientCursor(connection).execute(self.queries[name], parameters))
            self._local.generation, self._local.cache = begun[0][0], {}
        except psycopg.OperationalError:
            with suppress(psycopg.Error):
                connection.rollback()
            raise

    def with_connection(self, read: Callable[[Connection], T]) -> T:
        current = self._current_connection()
        if current is not None:
            with translated(self.url):
                try:
                    self._send()
                    return read(current)
                except psycopg.Error as error:
                    if isinstance(error, psycopg.OperationalError):
                        self._local.failure = error
                    if not self.writing and not current.closed:
                        # One stage of a search may fail while the others go on, so the read transaction continues.
                        current.rollback()
                        self._begin(current, "begin_reading", {})
                    raise
        try:
            with self.connections.borrowed() as connection:
                return read(connection)
        except psycopg.OperationalError as error:
            if not connection.closed:
                with translated(self.url):
                    raise error
        except psycopg.Error as error:
            with translated(self.url):
                raise error
        # The server was restarted since the connection was opened: a single query can be repeated.
        self.connections.drop_free()
        with translated(self.url), self.connections.borrowed() as connection:
            return read(connection)

    def _current_connection(self) -> Connection | None:
        return getattr(self._local, "connection", None)

    def _writer(self) -> Connection:
        # A write outside a transaction would commit without advancing the generation, and every cache would miss it.
        connection = self._current_connection()
        if connection is None or not self.writing:
            raise RuntimeError("a write needs a transaction around it")
        return connection

    def _column_types(self, table: str) -> Mapping[str, str]:
        if table not in self._types:
            self._types[table] = dict(self.rows("column_types", {"table": table}))
        return self._types[table]

    def _prepare(self, connection: Connection) -> None:
        if self.extensions.halfvec:
            register(connection, *self.extensions.halfvec)


def _executed(connection: Connection, statements: Sequence[str]) -> list[Row]:
    return _last(psycopg.ClientCursor(connection).execute(";".join(statements).encode(connection.info.encoding)))


def _last(cursor: psycopg.ClientCursor[Row]) -> list[Row]:
    """The rows of the last of several statements."""
    while cursor.nextset():
        pass
    return cursor.fetchall() if cursor.description else []


def _portable(row: Row, halves: Sequence[int]) -> Row:
    """Booleans as numbers, vectors as bytes."""
    return tuple(
        little_endian(value) if column in halves else int(value) if isinstance(value, bool) else value
        for column, value in enumerate(row)
    )
