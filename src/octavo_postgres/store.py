"""The store on PostgreSQL: vector and word indexes, read replicas, planner statistics, notifications of new jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

import psycopg
from psycopg import sql

from octavo.errors import OctavoError
from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.library_location import DatabaseUrl
from octavo.model.prepared_document import LexicalField
from octavo.model.query import Filters, Terms
from octavo.model.search_result import ScoredChunk
from octavo.observability.logs import logger
from octavo.observability.metrics import Gauge
from octavo.sql_repositories.database_port import Clock, value
from octavo.sql_repositories.embeddings import VectorFormat
from octavo.sql_repositories.filter_parameters import filter_parameters
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.sql_repositories.store import Store
from octavo_postgres.connections_and_errors import Connection
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.hnsw import EXACT_BELOW, ensure_index
from octavo_postgres.pg_search import Bm25Index, Capability, UnsupportedQuery, detected, ensure_bm25_index
from octavo_postgres.pgvector_search import MOST_DIMENSIONS, PgvectorIndex
from octavo_postgres.posting_list_search import PostingsIndex
from octavo_postgres.sql_dialect import Half, little_endian, matrix, queries

LexicalBackend = Literal["auto", "postings", "pg_search"]

CACHE_SECONDS = 60.0  # how soon servers notice that an index was built, or that pg_search broke


class _CachedCapability(Value):
    capability: Capability
    at: float


class LexicalChoice(PostingsIndex):
    """Fits `ports.ChoosingIndex` too: posting lists, of whose searches pg_search answers those that it can."""

    def __init__(self, database: PostgresDatabase, keys: KeyCache, wanted: LexicalBackend = "auto") -> None:
        super().__init__(database, keys)
        self._wanted = wanted
        self._bm25 = Bm25Index(database)
        self._detecting = threading.Lock()
        self._cached: _CachedCapability | None = None
        self._local = threading.local()

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        how = self.capability()
        self._local.answered = f"postings: {how.reason}" if self._wanted != "postings" else "postings"
        if how.usable and limit > 0 and not terms.empty:
            try:
                with self._database.reading():
                    chunks = self._search_bm25(how, project, terms, filters, limit, fields)
                self._local.answered = f"pg_search {how.version} ({how.operator}, {how.score})"
                return chunks
            except UnsupportedQuery as error:
                self._local.answered = f"postings: {error}"
            except OctavoError as error:
                if self._database.writing:
                    raise  # the transaction is lost, and its owner has to know
                self._cache(Capability(how.version, reason=f"pg_search failed: {error.message}"))
                self._local.answered = f"postings: pg_search failed: {error.message}"
                logger("postgres").warning("pg_search failed, so postings answer: %s", error.message)
        return super().search(project, terms, filters, limit, fields)

    def answered(self) -> str:
        """The backend of this thread's last search, and the reason if it was the fallback."""
        return str(getattr(self._local, "answered", ""))

    def capability(self) -> Capability:
        """What the server can do, looked up once a minute."""
        if self._wanted == "postings":
            return Capability(reason="the configuration says postings")
        with self._detecting:
            cached = self._cached
        if cached is None or time.monotonic() - cached.at > CACHE_SECONDS:
            return self._cache(detected(self._database))
        return cached.capability

    def build_index(self) -> bool:
        """After indexing: builds what pg_search needs, where the configuration names it."""
        if self._wanted != "pg_search" or not ensure_bm25_index(self._database):
            return False
        self._cache(detected(self._database))
        return True

    def _search_bm25(
        self,
        how: Capability,
        project: ProjectId,
        terms: Terms,
        filters: Filters,
        limit: int,
        fields: Sequence[LexicalField],
    ) -> tuple[ScoredChunk, ...]:
        owner = self._keys.project(project)
        admitted = None
        if not filters.empty:
            rows = self._database.rows(
                "chunks_admitted", {"project": owner} | filter_parameters(filters, self._database, owner)
            )
            admitted = [row[0] for row in rows]
        return self._bm25.search(how, owner, terms, admitted, limit, fields)

    def _cache(self, capability: Capability) -> Capability:
        with self._detecting:
            self._cached = _CachedCapability(capability, time.monotonic())
        return capability


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
