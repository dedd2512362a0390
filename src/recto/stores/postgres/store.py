"""A library in a PostgreSQL database."""

from __future__ import annotations

import threading
import time

from recto.model.location import DatabaseUrl
from recto.stores.postgres.bell import Bell
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.halfvec import Half, matrix
from recto.stores.postgres.lexical import PostingsIndex
from recto.stores.postgres.pg_search import detected
from recto.stores.shared.clock import Clock
from recto.stores.shared.database import value
from recto.stores.shared.embeddings import VectorFormat
from recto.stores.shared.projects import Keys
from recto.stores.shared.store import SharedStore


class PostgresStore(SharedStore):
    """Fits `ports.Store`."""

    def __init__(
        self,
        url: DatabaseUrl,
        *,
        create: bool = True,
        clock: Clock = time.time,
        busy_timeout_ms: int = 5_000,
        connections: int = 8,
    ) -> None:
        self.database = PostgresDatabase(url, create=create, busy_timeout_ms=busy_timeout_ms, connections=connections)
        self.keys = keys = Keys(self.database)
        vectors = VectorFormat(pack=Half, unpack=matrix)
        self._bell = Bell(self.database)
        super().__init__(self.database, keys, PostingsIndex(self.database, keys), clock, vectors)

    def size(self) -> int:
        """Bytes the library's tables and indexes take."""
        return int(value(self.database, "library_size"))

    def server(self) -> str:
        """What answers, in a sentence, for whoever looks after it."""
        version, vectors, hnsw = self.database.rows("server_described")[0]
        found = detected(self.database)
        beside = "pg_search is there and not needed" if found.usable else found.reason
        return (
            f"PostgreSQL {version}, pgvector {vectors}, {hnsw} HNSW indexes; words by Recto's own postings ({beside})"
        )

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Until a job is promised, or told to stop, or so many seconds have passed."""
        self._bell.wait(stop, seconds)

    def close(self) -> None:
        self._bell.close()
        self.database.close()
