"""One PostgreSQL database behind the repositories' port, with foreign errors turned into ours at the door."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from recto.errors import InvalidArgument
from recto.model.location import DatabaseUrl
from recto.stores.postgres.connections import Connection, Connections
from recto.stores.postgres.dialect import Batch, batched, named, placed, queries, received, sent, written
from recto.stores.postgres.halfvec import little_endian, register
from recto.stores.postgres.schema import Extensions, settle
from recto.stores.postgres.trouble import translated
from recto.stores.shared.database import Row

T = TypeVar("T")

_ROWS_AT_ONCE = 2_000  # of an insert: far below what one message may hold


class PostgresDatabase:
    """Fits `stores.shared.database.Database`.

    The write lock of a library is an advisory lock that a transaction takes first, as `begin immediate` does in
    SQLite: the flows read, decide and write under it, and two of them can neither interleave nor deadlock.
    """

    def __init__(
        self,
        url: DatabaseUrl,
        *,
        create: bool = True,
        upgrade: bool = False,
        busy_timeout_ms: int = 5_000,
        connections: int = 8,
    ) -> None:
        self.url = url
        self._busy_timeout_ms = busy_timeout_ms
        self._queries = queries()
        self._local = threading.local()
        self._batches: dict[str, Batch | None] = {}
        self._types: dict[str, Mapping[str, str]] = {}
        self.connections = Connections(url, connections, busy_timeout_ms / 1e3, self._prepare)
        self.extensions = Extensions()
        try:
            with translated(url), self.connections.lent() as connection:
                self.extensions = settle(connection, url, create=create, upgrade=upgrade)
                self._prepare(connection)
        except BaseException:
            self.close()
            raise

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        query, values = self._queries[name], sent(parameters or {})

        def read(connection: Connection) -> list[Row]:
            return psycopg.ClientCursor(connection).execute(query, values).fetchall()

        return received(self._read(read))

    def binary_rows(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        """For much data in few rows: arrays of numbers come as they are, not spelt out. Types have to be evident."""
        query, values = self._queries[name], sent(parameters)

        def read(connection: Connection) -> list[Row]:
            return connection.cursor(binary=True).execute(query, values).fetchall()

        return received(self._read(read))

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        connection = self._writer()
        with translated(self.url):
            psycopg.ClientCursor(connection).execute(self._queries[name], sent(parameters or {}))

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        connection = self._writer()
        if name not in self._batches:
            self._batches[name] = batched(written()[name], self._column_types)
        batch, rows = self._batches[name], named(written()[name], parameters)
        with translated(self.url):
            if batch is None:
                if rows:
                    psycopg.ClientCursor(connection).executemany(self._queries[name], [sent(row) for row in rows])
                return
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                connection.cursor().execute(batch.query, batch.arrays(rows[start : start + _ROWS_AT_ONCE]))

    def ask(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """A statement made for one table, by `stores.shared.transfer`. Values come as every engine has them."""
        query, values = placed(statement).encode(), sent(parameters)

        def read(connection: Connection) -> list[Row]:
            cursor = connection.cursor(binary=True).execute(query, values)
            kinds = [column.type_code for column in cursor.description or ()]
            halves = [place for place, kind in enumerate(kinds) if (kind,) == (self.extensions.halfvec or ())[:1]]
            return [_carried(row, halves) for row in cursor]

        return received(self._read(read))

    def tell(self, statement: str, rows: Sequence[Mapping[str, Any]], table: str) -> None:
        connection = self._writer()
        batch = batched(statement, self._column_types)
        if rows and batch is not None:
            with translated(self.url):
                connection.cursor().execute(batch.query, batch.arrays(rows))

    def columns(self, table: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows("table_columns", {"table": table}))

    def counter(self, name: str) -> int | None:
        found = self.rows("keys_reserved", {"name": name})
        return int(found[0][0]) if found else None

    def set_counter(self, name: str, value: int | None) -> None:
        if value is None:
            self.run("counter_remove", {"name": name})
        else:
            self.run("counter_put", {"name": name, "value": value})

    def backup(self, target: Path) -> None:
        raise InvalidArgument(
            f"{self.url} is backed up with PostgreSQL's own tools",
            hint=f"run `pg_dump --format=custom --file={target} {self.url}`,"
            f" or `recto db migrate --to {target}` for a file that opens without a server",
        )

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction that may write."""
        return bool(getattr(self._local, "writing", False))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._held() is not None:
            raise RuntimeError("transactions do not nest")
        with self._begun("begin_writing", {"busy_ms": self._busy_timeout_ms}) as connection:
            self._local.writing = True
            try:
                yield
            finally:
                self._local.writing = False
            with translated(self.url):
                connection.commit()

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._held() is not None:
            yield
            return
        with self._begun("begin_reading", {}):
            yield

    def set_local(self, name: str, parameters: Mapping[str, Any]) -> None:
        """A setting for the rest of the transaction this thread is in; of no effect outside one."""
        connection = self._held()
        if connection is not None:
            with translated(self.url):
                psycopg.ClientCursor(connection).execute(self._queries[name], parameters)

    def close(self) -> None:
        self.connections.close()

    @contextmanager
    def _begun(self, name: str, parameters: Mapping[str, Any]) -> Iterator[Connection]:
        with self.connections.lent() as first:
            connection = first
            try:
                self._begin(connection, name, parameters)
            except psycopg.OperationalError as error:
                if not connection.closed:
                    with translated(self.url):
                        raise error
                # It was made before the server's last restart. Nothing was asked of it yet, so a new one will do.
                self.connections.drop_free()
                connection = self.connections.connect()
                with translated(self.url):
                    self._begin(connection, name, parameters)
            self._local.connection = connection
            try:
                yield connection
            finally:
                self._local.connection = None
                # After an error, or at the end of a reading; a connection that cannot even do this is dropped.
                with suppress(psycopg.Error):
                    connection.rollback()
                if connection is not first:
                    connection.close()

    def _begin(self, connection: Connection, name: str, parameters: Mapping[str, Any]) -> None:
        try:
            psycopg.ClientCursor(connection).execute(self._queries[name], parameters)
        except psycopg.OperationalError:
            with suppress(psycopg.Error):
                connection.rollback()
            raise

    def _read(self, read: Callable[[Connection], T]) -> T:
        held = self._held()
        if held is not None:
            with translated(self.url):
                try:
                    return read(held)
                except psycopg.Error:
                    if not self.writing and not held.closed:
                        # One stage of a search may fail and the others go on, so their reading does too.
                        held.rollback()
                        self._begin(held, "begin_reading", {})
                    raise
        try:
            with self.connections.lent() as connection:
                return read(connection)
        except psycopg.OperationalError as error:
            if not connection.closed:
                with translated(self.url):
                    raise error
        except psycopg.Error as error:
            with translated(self.url):
                raise error
        # The server was restarted since the connection was made: a single question can be asked again.
        self.connections.drop_free()
        with translated(self.url), self.connections.lent() as connection:
            return read(connection)

    def _held(self) -> Connection | None:
        return getattr(self._local, "connection", None)

    def _writer(self) -> Connection:
        # A write on its own would commit without moving the generation on, and every cache would miss it.
        connection = self._held()
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


def _carried(row: Row, halves: Sequence[int]) -> Row:
    """Truth values as numbers, vectors as their bytes."""
    return tuple(
        little_endian(one) if place in halves else int(one) if isinstance(one, bool) else one
        for place, one in enumerate(row)
    )
