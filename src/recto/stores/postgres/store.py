"""A library in a PostgreSQL database."""

from __future__ import annotations

import threading
import time

from recto.model.ids import ProjectId
from recto.model.location import DatabaseUrl
from recto.model.recipe import EmbeddingProfile
from recto.stores.postgres.bell import Bell
from recto.stores.postgres.choice import LexicalChoice, Wanted
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.halfvec import Half, matrix
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
        lexical: Wanted = "auto",
    ) -> None:
        self.database = PostgresDatabase(url, create=create, busy_timeout_ms=busy_timeout_ms, connections=connections)
        self.keys = keys = Keys(self.database)
        vectors = VectorFormat(pack=Half, unpack=matrix)
        self._bell = Bell(self.database)
        self._words = LexicalChoice(self.database, keys, lexical)
        super().__init__(self.database, keys, self._words, clock, vectors)

    def settle(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        """Statistics for the planner, the profile's HNSW index, postings without what is gone, pg_search's index."""
        from recto.stores.postgres.hnsw import settle_index
        from recto.stores.postgres.statistics import take_statistics

        compacted = self._words.compact()
        take_statistics(self.database)
        indexed = settle_index(self.database, self.keys, project, profile)
        return self._words.settle() or indexed or bool(compacted)

    def size(self) -> int:
        """Bytes the library's tables and indexes take."""
        return int(value(self.database, "library_size"))

    def server(self) -> str:
        """What answers, in a sentence, for whoever looks after it."""
        version, vectors, hnsw = self.database.rows("server_described")[0]
        how = self._words.capability()
        words = f"pg_search {how.version}" if how.usable else f"Recto's own postings ({how.reason})"
        return f"PostgreSQL {version}, pgvector {vectors}, {hnsw} HNSW indexes; words by {words}"

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Until a job is promised, or told to stop, or so many seconds have passed."""
        self._bell.wait(stop, seconds)

    def close(self) -> None:
        self._bell.close()
        self.database.close()
