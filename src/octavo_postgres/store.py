"""The store on PostgreSQL: vector and word indexes, read replicas, planner statistics, notifications of new jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from psycopg import sql

from octavo.errors import OctavoError
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.library_location import DatabaseUrl
from octavo.observability.metrics import Gauge
from octavo.sql_repositories.database_port import Clock, value
from octavo.sql_repositories.embeddings import VectorFormat
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.sql_repositories.store import Store
from octavo_postgres.connection_pool import Connection
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.hnsw import EXACT_BELOW, ensure_index
from octavo_postgres.lexical_index_choice import LexicalBackend, LexicalChoice
from octavo_postgres.pgvector_search import MOST_DIMENSIONS, PgvectorIndex
from octavo_postgres.sql_dialect import Half, little_endian, matrix, queries

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


def analyze_tables(database: PostgresDatabase, tables: Iterable[str] | None = None) -> tuple[str, ...]:
    """Analyses the given tables, or those that have changed by a fifth since the last time; returns their names.

    Without statistics the planner assumes a freshly filled table is nearly empty, and chooses its joins accordingly.
    """
    names = [row[0] for row in database.rows("statistics_stale")] if tables is None else list(tables)
    if not names:
        return ()
    connection = database.connections.connect()
    try:
        for name in names:
            connection.execute(_statement().format(table=sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege:
        return ()  # without the privilege, queries are slower until the server does it
    finally:
        connection.close()
    return tuple(names)


def _statement() -> sql.SQL:
    return sql.SQL(queries()["statistics_take"].decode())


class PostgresStore(Store):
    """A library in a PostgreSQL database."""

    most_dimensions = MOST_DIMENSIONS

    def __init__(
        self,
        url: DatabaseUrl,
        *,
        create: bool = True,
        clock: Clock = time.time,
        busy_timeout_ms: int = 5_000,
        connections: int = 8,
        lexical: LexicalBackend = "auto",
        index_from: int = EXACT_BELOW,
        reads: Sequence[DatabaseUrl] = (),
        reads_within: float = 0.0,
    ) -> None:
        self.database = PostgresDatabase(
            url,
            create=create,
            busy_timeout_ms=busy_timeout_ms,
            connections=connections,
            reads=reads,
            reads_within=reads_within,
        )
        self._index_from = index_from
        self.keys = keys = KeyCache(self.database)
        vectors = VectorFormat(pack=Half, unpack=matrix, raw=little_endian)
        self._listener = JobListener(self.database)
        self.lexical_choice = LexicalChoice(self.database, keys, lexical)
        super().__init__(self.database, keys, self.lexical_choice, clock, vectors)

    def vector_index(
        self, project: ProjectId, profile: EmbeddingProfile, fast: EmbeddingProfile | None = None
    ) -> PgvectorIndex:
        return PgvectorIndex(self.database, self.keys, project, profile, fast)

    def maintain(self, project: ProjectId, profile: EmbeddingProfile, options: Mapping[str, Any] | None = None) -> bool:
        """Compacts posting lists, updates planner statistics, and builds the HNSW and pg_search indexes."""
        compacted = self.lexical_choice.compact()
        analyze_tables(self.database)
        indexed = ensure_index(self.database, self.keys, project, profile, self._index_from, options)
        return self.lexical_choice.build_index() or indexed or bool(compacted)

    def searching(self) -> AbstractContextManager[None]:
        return self._in_one_state(self.database.searching())

    def left_out(self) -> tuple[str, ...]:
        return () if self.database.replicas is None else self.database.replicas.left_out()

    def gauges(self) -> Iterator[Gauge]:
        replicas = self.database.replicas
        lags = [] if replicas is None else list(replicas.lags())
        pools = {"primary": self.database.connections}
        for number, lag in enumerate(lags, 1):
            pools[name := f"replica_{number}"] = lag.connections
            yield Gauge("replica_usable", lag.usable, (("server", name),))
            if lag.behind is not None:
                yield Gauge("replica_lag_bytes", lag.behind, (("server", name),))
                yield Gauge("replica_lag_seconds", lag.seconds, (("server", name),))
        for name, pool in pools.items():
            yield Gauge("pool_connections", pool.in_use, (("server", name), ("state", "in_use")))
            yield Gauge("pool_connections", pool.idle, (("server", name), ("state", "idle")))
            yield Gauge("pool_limit", pool.limit, (("server", name),))
            yield Gauge("pool_waiting", pool.waiting, (("server", name),))

    def compact(self, *, fully: bool = False) -> None:
        """The server does this by itself."""

    def size(self) -> int:
        """Bytes used by the library's tables and indexes."""
        return int(value(self.database, "library_size"))

    def server(self) -> str:
        """The server and its extensions in a sentence, for the operator."""
        version, vectors, hnsw = self.database.rows("server_described")[0]
        how = self.lexical_choice.capability()
        lexical = f"pg_search {how.version}" if how.usable else f"Octavo's own postings ({how.reason})"
        following, replicas = "", self.database.replicas
        if replicas is not None:
            replicas.probe()
            following = f"; {len(replicas) - len(self.left_out())} of {len(replicas)} replicas answer searches"
        return f"PostgreSQL {version}, pgvector {vectors}, {hnsw} HNSW indexes; words by {lexical}{following}"

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Blocks until a job is enqueued, `stop` is set, or the time is over."""
        self._listener.wait(stop, seconds)

    def close(self) -> None:
        self._listener.close()
        self.database.close()
