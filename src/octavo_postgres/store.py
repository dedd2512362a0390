"""The store on PostgreSQL: its vector and word indexes, read replicas, and waiting for job notifications."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.library_location import DatabaseUrl
from octavo.observability.metrics import Gauge
from octavo.sql_repositories.database_port import Clock, value
from octavo.sql_repositories.embeddings import VectorFormat
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.sql_repositories.store import Store
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.halfvec import Half, little_endian, matrix
from octavo_postgres.hnsw import EXACT_BELOW, ensure_index
from octavo_postgres.job_notifications import JobListener
from octavo_postgres.lexical_index_choice import LexicalBackend, LexicalChoice
from octavo_postgres.pgvector_search import MOST_DIMENSIONS, PgvectorIndex
from octavo_postgres.planner_statistics import analyze_tables


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
