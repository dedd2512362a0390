"""A library in a database of any dialect: all repositories over one database, and one transaction for all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.stored_rows import LibraryCounts
from octavo.ports import LexicalIndex
from octavo.stores.sql_repositories.clusters import ClusterRepository
from octavo.stores.sql_repositories.database_port import Clock, Database, value
from octavo.stores.sql_repositories.documents import DocumentRepository
from octavo.stores.sql_repositories.embedding_profiles import EmbeddingProfileRepository
from octavo.stores.sql_repositories.embeddings import BYTES, EmbeddingRepository, VectorFormat
from octavo.stores.sql_repositories.indexing_ledger import LedgerRepository
from octavo.stores.sql_repositories.projects_and_collections import CatalogRepository, KeyCache

if TYPE_CHECKING:
    from octavo.model.library_damage import Damage
    from octavo.observability.metrics import Gauge
    from octavo.observability.progress import Progress
    from octavo.stores.sql_repositories.access_tokens import AccessRepository
    from octavo.stores.sql_repositories.damage_check_and_repair import LibraryUpkeep
    from octavo.stores.sql_repositories.entities import EntityRepository
    from octavo.stores.sql_repositories.git_commit_index import HistoryRepository
    from octavo.stores.sql_repositories.job_queue import OutboxRepository
    from octavo.stores.sql_repositories.leases import LeaseRepository
    from octavo.stores.sql_repositories.link_graph import GraphRepository
    from octavo.stores.sql_repositories.llm_completion_cache import CompletionRepository
    from octavo.stores.sql_repositories.memories import MemoryRepository
    from octavo.stores.sql_repositories.note_writes import NoteWriteRepository
    from octavo.stores.sql_repositories.pruning import PruningRepository
    from octavo.stores.sql_repositories.query_log import QueryLogRepository
    from octavo.stores.sql_repositories.rerank_scores import RerankScoreRepository
    from octavo.stores.sql_repositories.summaries import SummaryRepository


def late(place: str, package: str = "octavo.stores.sql_repositories") -> Any:
    """A repository that is imported and made on first use: its module and class."""
    module, _, name = place.partition(":")

    def made(store: SharedStore) -> Any:
        repository = getattr(import_module(f"{package}.{module}"), name)
        return repository(store.shared, store.keys, store._clock)

    return cached_property(made)


class SharedStore:
    """Fits `ports.Store`. A dialect supplies its database and its lexical index, and its own integrity checks."""

    most_dimensions: int | None = None

    # A search uses few of the following, or none.
    access: AccessRepository = late("access_tokens:AccessRepository")
    clusters: ClusterRepository = late("clusters:ClusterRepository")
    completions: CompletionRepository = late("llm_completion_cache:CompletionRepository")
    entities: EntityRepository = late("entities:EntityRepository")
    graph: GraphRepository = late("link_graph:GraphRepository")
    history: HistoryRepository = late("git_commit_index:HistoryRepository")
    leases: LeaseRepository = late("leases:LeaseRepository")
    memories: MemoryRepository = late("memories:MemoryRepository")
    note_writes: NoteWriteRepository = late("note_writes:NoteWriteRepository")
    outbox: OutboxRepository = late("job_queue:OutboxRepository")
    pruning: PruningRepository = late("pruning:PruningRepository")
    query_log: QueryLogRepository = late("query_log:QueryLogRepository")
    rerank_scores: RerankScoreRepository = late("rerank_scores:RerankScoreRepository")
    summaries: SummaryRepository = late("summaries:SummaryRepository")

    def __init__(
        self, database: Database, keys: KeyCache, lexical: LexicalIndex, clock: Clock, vectors: VectorFormat = BYTES
    ) -> None:
        self.shared = database
        self._read = threading.local()
        self.keys = keys
        self._clock = clock
        self._same_content = range(0)  # the last generations that this process knows to differ in vectors alone
        self.lexical = lexical
        self.catalog = CatalogRepository(database, keys, clock)
        self.documents = DocumentRepository(database, keys, clock)
        self.embeddings = EmbeddingRepository(database, keys, clock, vectors)
        self.ledger = LedgerRepository(database, keys, clock)
        self.profiles = EmbeddingProfileRepository(database, keys, clock)

    @cached_property
    def upkeep(self) -> LibraryUpkeep:
        from octavo.stores.sql_repositories.damage_check_and_repair import LibraryUpkeep

        return LibraryUpkeep(self)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self.shared.transaction():
                self.keys.forget()
                self._read.counters = None
                self._read.vectors_alone = False
                yield
                self.shared.run("generation_advance")
                generation = int(value(self.shared, "generation")) if self._read.vectors_alone else 0
        except BaseException:
            self.keys.forget()
            raise
        if generation:
            before = self._same_content
            first = before.start if generation - 1 in before else generation - 1
            self._same_content = range(first, generation + 1)

    def vectors_alone(self) -> None:
        self._read.vectors_alone = True

    def reading(self) -> AbstractContextManager[None]:
        return self._in_one_state(self.shared.reading())

    def searching(self) -> AbstractContextManager[None]:
        return self.reading()

    def left_out(self) -> tuple[str, ...]:
        return ()

    def gauges(self) -> Iterable[Gauge]:
        return ()

    @contextmanager
    def _in_one_state(self, transaction: AbstractContextManager[None]) -> Iterator[None]:
        with transaction:
            # Another process may have removed a collection and added it again, under another key.
            self.keys.forget()
            outer, self._read.counters = getattr(self._read, "counters", None), {}
            try:
                yield
            finally:
                self._read.counters = outer

    def patient(self, seconds: float) -> AbstractContextManager[None]:
        return self.shared.patient(seconds)

    def compact(self, *, fully: bool = False) -> None:
        """A database server does this by itself."""

    def merge_words(self) -> None:
        """Neither has it an index in segments."""

    def generation(self) -> int:
        return self._counter("generation")

    def content_generation(self) -> int:
        generation, same = self.generation(), self._same_content
        return same.start if generation in same else generation

    def restored(self) -> int:
        return self._counter("restored")

    def _counter(self, name: str) -> int:
        """Asked once in a read transaction, which sees one state: every index asks whether it is of that state."""
        counters: dict[str, int] | None = getattr(self._read, "counters", None)
        if counters is None:
            return int(value(self.shared, name))
        if name not in counters:
            counters[name] = int(value(self.shared, name))
        return counters[name]

    def documents_and_failed(self, project: ProjectId) -> tuple[int, int]:
        documents, failed = self.shared.rows("documents_and_failed", {"project": self.keys.project(project)})[0]
        return int(documents), int(failed)

    def counts(self, project: ProjectId) -> LibraryCounts:
        return LibraryCounts(*self.shared.rows("counts", {"project": self.keys.project(project)})[0])

    def maintain(self, project: ProjectId, profile: EmbeddingProfile, options: Mapping[str, Any] | None = None) -> bool:
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

    def unreadable_versions(self) -> tuple[tuple[str, str], ...]:
        return self.upkeep.unreadable_versions()

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        with self.transaction():
            return self.upkeep.remove_damaged(texts_too=texts_too)
