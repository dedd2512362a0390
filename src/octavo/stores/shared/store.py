"""A library in a database of any dialect: all repositories over one database, and one transaction for all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from octavo.model.ids import ProjectId
from octavo.model.recipe import EmbeddingProfile
from octavo.model.stored import LibraryCounts
from octavo.ports import LexicalIndex
from octavo.stores.shared.clock import Clock
from octavo.stores.shared.clusters import ClusterRepository
from octavo.stores.shared.completions import CompletionRepository
from octavo.stores.shared.database import Database, value
from octavo.stores.shared.documents import DocumentRepository
from octavo.stores.shared.embedding_profiles import EmbeddingProfileRepository
from octavo.stores.shared.embeddings import BYTES, EmbeddingRepository, VectorFormat
from octavo.stores.shared.leases import LeaseRepository
from octavo.stores.shared.ledger import LedgerRepository
from octavo.stores.shared.projects import CatalogRepository, KeyCache
from octavo.stores.shared.query_log import QueryLogRepository
from octavo.stores.shared.summaries import SummaryRepository

if TYPE_CHECKING:
    from octavo.model.damage import Damage
    from octavo.observability.progress import Progress
    from octavo.stores.shared.entities import EntityRepository
    from octavo.stores.shared.graph import GraphRepository
    from octavo.stores.shared.history import HistoryRepository
    from octavo.stores.shared.memories import MemoryRepository
    from octavo.stores.shared.note_writes import NoteWriteRepository
    from octavo.stores.shared.outbox import OutboxRepository
    from octavo.stores.shared.pruning import PruningRepository
    from octavo.stores.shared.rerank_scores import RerankScoreRepository
    from octavo.stores.shared.upkeep import LibraryUpkeep


class SharedStore:
    """Fits `ports.Store`. A dialect supplies its database and its lexical index, and its own integrity checks."""

    def __init__(
        self, database: Database, keys: KeyCache, lexical: LexicalIndex, clock: Clock, vectors: VectorFormat = BYTES
    ) -> None:
        self.shared = database
        self._keys = keys
        self._clock = clock
        self.lexical = lexical
        self.catalog = CatalogRepository(database, keys, clock)
        self.documents = DocumentRepository(database, keys, clock)
        self.embeddings = EmbeddingRepository(database, keys, clock, vectors)
        self.ledger = LedgerRepository(database, keys, clock)
        self.leases = LeaseRepository(database, keys, clock)
        self.profiles = EmbeddingProfileRepository(database, keys, clock)

    # The following are imported on first use: a search uses few of them, or none.

    @cached_property
    def pruning(self) -> PruningRepository:
        from octavo.stores.shared.pruning import PruningRepository

        return PruningRepository(self.shared, self._keys)

    @cached_property
    def graph(self) -> GraphRepository:
        from octavo.stores.shared.graph import GraphRepository

        return GraphRepository(self.shared, self._keys, self._clock)

    @cached_property
    def history(self) -> HistoryRepository:
        from octavo.stores.shared.history import HistoryRepository

        return HistoryRepository(self.shared, self._keys)

    @cached_property
    def memories(self) -> MemoryRepository:
        from octavo.stores.shared.memories import MemoryRepository

        return MemoryRepository(self.shared, self._keys)

    @cached_property
    def outbox(self) -> OutboxRepository:
        from octavo.stores.shared.outbox import OutboxRepository

        return OutboxRepository(self.shared, self._keys, self._clock)

    @cached_property
    def note_writes(self) -> NoteWriteRepository:
        from octavo.stores.shared.note_writes import NoteWriteRepository

        return NoteWriteRepository(self.shared, self._keys, self._clock)

    @cached_property
    def completions(self) -> CompletionRepository:
        return CompletionRepository(self.shared, self._keys, self._clock)

    @cached_property
    def query_log(self) -> QueryLogRepository:
        return QueryLogRepository(self.shared, self._keys)

    @cached_property
    def summaries(self) -> SummaryRepository:
        return SummaryRepository(self.shared, self._keys, self._clock)

    @cached_property
    def entities(self) -> EntityRepository:
        made: EntityRepository = import_module("octavo.stores.shared.entities").EntityRepository(
            self.shared, self._keys
        )
        return made

    @cached_property
    def clusters(self) -> ClusterRepository:
        return ClusterRepository(self.shared, self._keys, self._clock)

    @cached_property
    def rerank_scores(self) -> RerankScoreRepository:
        from octavo.stores.shared.rerank_scores import RerankScoreRepository

        return RerankScoreRepository(self.shared, self._keys, self._clock)

    @cached_property
    def upkeep(self) -> LibraryUpkeep:
        from octavo.stores.shared.upkeep import LibraryUpkeep

        return LibraryUpkeep(self)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self.shared.transaction():
                self._keys.forget()
                yield
                self.shared.run("generation_advance")
        except BaseException:
            self._keys.forget()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self.shared.reading():
            # Another process may have removed a collection and added it again, under another key.
            self._keys.forget()
            yield

    def patient(self, seconds: float) -> AbstractContextManager[None]:
        return self.shared.patient(seconds)

    def compact(self, *, fully: bool = False) -> None:
        """A database server does this by itself."""

    def generation(self) -> int:
        return int(value(self.shared, "generation"))

    def restored(self) -> int:
        return int(value(self.shared, "restored"))

    def counts(self, project: ProjectId) -> LibraryCounts:
        return LibraryCounts(*self.shared.rows("counts", {"project": self._keys.project(project)})[0])

    def maintain(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        return False

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        stop.wait(seconds)

    def server(self) -> str:
        return ""

    def check(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[str, ...]:
        return tuple(damage.message for damage in self.damage(quick=quick, progress=progress))

    def damage(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[Damage, ...]:
        return self.upkeep.damage(quick=quick, progress=progress)

    def repair(self) -> bool:
        return self.upkeep.repair()

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        with self.transaction():
            return self.upkeep.remove_damaged(texts_too=texts_too)
