"""A library in a database of any dialect: every repository over one connection, and one transaction for all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from recto.errors import LibraryError
from recto.model.ids import ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.model.stored import LibraryCounts
from recto.ports import LexicalIndex
from recto.stores.shared.clock import Clock
from recto.stores.shared.database import Database, value
from recto.stores.shared.documents import DocumentRepository
from recto.stores.shared.embeddings import BYTES, EmbeddingRepository, VectorFormat
from recto.stores.shared.leases import LeaseRepository
from recto.stores.shared.ledger import LedgerRepository
from recto.stores.shared.profiles import ProfileRepository
from recto.stores.shared.projects import CatalogRepository, Keys

if TYPE_CHECKING:
    from recto.stores.shared.attic import AtticRepository
    from recto.stores.shared.graph import GraphRepository
    from recto.stores.shared.history import HistoryRepository
    from recto.stores.shared.memories import MemoryRepository
    from recto.stores.shared.outbox import OutboxRepository
    from recto.stores.shared.reranking import RerankScoreRepository

_CHECKS: Sequence[str] = ("check_lexical", "check_versions", "check_texts", "check_memories")


class SharedStore:
    """Fits `ports.Store`. A dialect brings its database and its lexical index, and says what else can be wrong."""

    def __init__(
        self, database: Database, keys: Keys, lexical: LexicalIndex, clock: Clock, vectors: VectorFormat = BYTES
    ) -> None:
        self._shared = database
        self._keys = keys
        self._clock = clock
        self.lexical = lexical
        self.catalog = CatalogRepository(database, keys, clock)
        self.documents = DocumentRepository(database, keys, clock)
        self.embeddings = EmbeddingRepository(database, keys, clock, vectors)
        self.ledger = LedgerRepository(database, keys, clock)
        self.leases = LeaseRepository(database, keys, clock)
        self.profiles = ProfileRepository(database, keys, clock)

    # From here on each is loaded by whoever asks for it first: a search asks for few of them, or none.

    @cached_property
    def attic(self) -> AtticRepository:
        from recto.stores.shared.attic import AtticRepository

        return AtticRepository(self._shared, self._keys)

    @cached_property
    def graph(self) -> GraphRepository:
        from recto.stores.shared.graph import GraphRepository

        return GraphRepository(self._shared, self._keys, self._clock)

    @cached_property
    def history(self) -> HistoryRepository:
        from recto.stores.shared.history import HistoryRepository

        return HistoryRepository(self._shared, self._keys)

    @cached_property
    def memories(self) -> MemoryRepository:
        from recto.stores.shared.memories import MemoryRepository

        return MemoryRepository(self._shared, self._keys)

    @cached_property
    def outbox(self) -> OutboxRepository:
        from recto.stores.shared.outbox import OutboxRepository

        return OutboxRepository(self._shared, self._keys, self._clock)

    @cached_property
    def rerank_scores(self) -> RerankScoreRepository:
        from recto.stores.shared.reranking import RerankScoreRepository

        return RerankScoreRepository(self._shared, self._keys, self._clock)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self._shared.transaction():
                self._keys.forget()
                yield
                self._shared.run("generation_advance")
        except BaseException:
            self._keys.forget()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._shared.reading():
            # Another process may have taken a collection out and put it back, under another key.
            self._keys.forget()
            yield

    def generation(self) -> int:
        return int(value(self._shared, "generation"))

    def counts(self, project: ProjectId) -> LibraryCounts:
        return LibraryCounts(*self._shared.rows("counts", {"project": self._keys.project(project)})[0])

    def settle(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        return False

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        stop.wait(seconds)

    def server(self) -> str:
        return ""

    def check(self) -> tuple[str, ...]:
        problems: list[str] = []
        try:
            problems.extend(self._problems())  # keeps what was found before a failure
        except LibraryError as error:
            problems.append(error.message)
        return tuple(problems)

    def mend(self) -> bool:
        return False

    def _problems(self) -> Iterator[str]:
        yield from self._damage()
        for name in _CHECKS:
            yield from (str(row[0]) for row in self._shared.rows(name))
        yield from self.documents.damaged_texts()

    def _damage(self) -> Iterator[str]:
        """What the database itself says is broken."""
        return iter(())
