"""A library in one SQLite file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recto.errors import LibraryError
from recto.model.ids import ProjectId
from recto.model.stored import LibraryCounts
from recto.stores.shared.clock import Clock
from recto.stores.shared.database import value
from recto.stores.shared.documents import DocumentRepository
from recto.stores.shared.embeddings import EmbeddingRepository
from recto.stores.shared.history import HistoryRepository
from recto.stores.shared.leases import LeaseRepository
from recto.stores.shared.graph import GraphRepository
from recto.stores.shared.ledger import LedgerRepository
from recto.stores.shared.memories import MemoryRepository
from recto.stores.shared.outbox import OutboxRepository
from recto.stores.shared.profiles import ProfileRepository
from recto.stores.shared.projects import CatalogRepository, Keys
from recto.stores.shared.reranking import RerankScoreRepository
from recto.stores.sqlite.database import SqliteDatabase
from recto.stores.sqlite.lexical import Fts5Index
from recto.stores.sqlite.snapshots import SnapshotSource


class SqliteStore:
    """Fits `ports.Store`."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = time.time, busy_timeout_ms: int = 5_000
    ) -> None:
        self._database = SqliteDatabase(path, create=create, busy_timeout_ms=busy_timeout_ms)
        keys = Keys(self._database)
        self.catalog = CatalogRepository(self._database, keys, clock)
        self.documents = DocumentRepository(self._database, keys, clock)
        self.lexical = Fts5Index(self._database, keys)
        self.embeddings = EmbeddingRepository(self._database, keys, clock)
        self.graph = GraphRepository(self._database, keys, clock)
        self.ledger = LedgerRepository(self._database, keys, clock)
        self.leases = LeaseRepository(self._database, keys, clock)
        self.history = HistoryRepository(self._database, keys)
        self.memories = MemoryRepository(self._database, keys)
        self.profiles = ProfileRepository(self._database, keys, clock)
        self.outbox = OutboxRepository(self._database, keys, clock)
        self.rerank_scores = RerankScoreRepository(self._database, keys, clock)
        self.snapshots = SnapshotSource(self._database, keys, clock)
        self._keys = keys

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self._database.transaction():
                self._keys.forget()
                yield
                self._database.run("generation_advance")
        except BaseException:
            self._keys.forget()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._database.reading():
            # Another process may have taken a collection out and put it back, under another key.
            self._keys.forget()
            yield

    def generation(self) -> int:
        return int(value(self._database, "generation"))

    def counts(self, project: ProjectId) -> LibraryCounts:
        return LibraryCounts(*self._database.rows("counts", {"project": self._keys.project(project)})[0])

    def check(self) -> tuple[str, ...]:
        problems: list[str] = []
        try:
            problems.extend(self._problems())  # keeps what was found before a failure
        except LibraryError as error:
            problems.append(error.message)
        return tuple(problems)

    def _problems(self) -> Iterator[str]:
        yield from (str(row[0]) for row in self._database.pragma("integrity_check") if row[0] != "ok")
        for table, row, parent, _ in self._database.pragma("foreign_key_check"):
            yield f"table {table}, row {row}: points at a missing row of {parent}"
        for name in ("check_lexical", "check_versions", "check_texts", "check_memories"):
            yield from (str(row[0]) for row in self._database.rows(name))
        yield from self.documents.damaged_texts()

    def close(self) -> None:
        self._database.close()
