"""A library in a database of any dialect: all repositories over one database, and one transaction for all of them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.stored_rows import LibraryCounts
from octavo.sql_repositories.clusters import ClusterRepository
from octavo.sql_repositories.database_port import Clock, Database, value
from octavo.sql_repositories.documents import DocumentRepository
from octavo.sql_repositories.embedding_profiles import EmbeddingProfileRepository
from octavo.sql_repositories.embeddings import BYTES, EmbeddingRepository, VectorFormat
from octavo.sql_repositories.indexing_ledger import LedgerRepository
from octavo.sql_repositories.projects_and_collections import CatalogRepository, KeyCache

if TYPE_CHECKING:
    from octavo.model.library_damage import Damage
    from octavo.observability.metrics import Gauge
    from octavo.observability.progress import Progress
    from octavo.ports import LexicalIndex, VectorIndex
    from octavo.sql_repositories.access_tokens import AccessRepository
    from octavo.sql_repositories.damage_check_and_repair import LibraryUpkeep
    from octavo.sql_repositories.entities import EntityRepository
    from octavo.sql_repositories.git_commit_index import HistoryRepository
    from octavo.sql_repositories.job_queue import OutboxRepository
    from octavo.sql_repositories.leases import LeaseRepository
    from octavo.sql_repositories.link_graph import GraphRepository
    from octavo.sql_repositories.llm_completion_cache import CompletionRepository
    from octavo.sql_repositories.memories import MemoryRepository
    from octavo.sql_repositories.note_writes import NoteWriteRepository
    from octavo.sql_repositories.pruning import PruningRepository
    from octavo.sql_repositories.query_log import QueryLogRepository
    from octavo.sql_repositories.rerank_scores import RerankScoreRepository
    from octavo.sql_repositories.summaries import SummaryRepository


def late(place: str, package: str = "octavo.sql_repositories") -> Any:
    """A repository that is imported and made on first use: its module and class."""
    module, _, name = place.partition(":")

    def made(store: Store) -> Any:
        repository = getattr(import_module(f"{package}.{module}"), name)
        return repository(store.shared, store.keys, store._clock)

    return cached_property(made)


class ReplicaLost(Exception):
    """The copy of the library that a search was reading from failed: it begins again, on another."""


class Store(ABC):
    """One library. Its parts share one transaction: what is written together appears together or not at all.

    A dialect supplies its database, its lexical index, `size` and `close`, and its own integrity checks.
    """

    most_dimensions: int | None = None
    """Of a vector that can be kept; None where there is no limit."""

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
        from octavo.sql_repositories.damage_check_and_repair import LibraryUpkeep

        return LibraryUpkeep(self)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Takes the write lock at once; commits on leaving, rolls back on any exception. Does not nest."""
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
        """Says of the transaction that is open: it changes vectors, and nothing else."""
        self._read.vectors_alone = True

    def reading(self) -> AbstractContextManager[None]:
        """Everything read inside sees one state of the library."""
        return self._in_one_state(self.shared.reading())

    def searching(self) -> AbstractContextManager[None]:
        """Like `reading`, of a copy of the library that may be seconds older, where there are such. Never older than
        what this process has written or seen; raises `ReplicaLost` where the copy failed, and then asks another."""
        return self.reading()

    def left_out(self) -> tuple[str, ...]:
        """Which copies searches do without at the moment, and why."""
        return ()

    def gauges(self) -> Iterable[Gauge]:
        """How its connections and its copies are doing now, for those who watch a server or a worker."""
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
        """Transactions of this thread wait that long for other writers, where a caller would rather wait than fail."""
        return self.shared.patient(seconds)

    @abstractmethod
    def compact(self, *, fully: bool = False) -> None:
        """Frees what outdated rows occupy once that is most of it. `fully` leaves no word of what was removed."""

    def merge_words(self) -> None:
        """Makes phrases quick to look up after much was written, where the word index is made of segments."""
        return

    def generation(self) -> int:
        """A number that grows with every committed change, seen from any process: the key of every cache."""
        return self._counter("generation")

    def content_generation(self) -> int:
        """The same for what does not depend on vectors: it stays where this process wrote `vectors_alone`."""
        generation, same = self.generation(), self._same_content
        return same.start if generation in same else generation

    def restored(self) -> int:
        """The generation at which a saved library took the place of this one; 0 if none ever did. What was read before
        is of another library: what is added to a cache since then does not fit to what is in it."""
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
        """How many documents there are, and files that failed: what a search says, in a tenth of the time of all."""
        documents, failed = self.shared.rows("documents_and_failed", {"project": self.keys.project(project)})[0]
        return int(documents), int(failed)

    def counts(self, project: ProjectId) -> LibraryCounts:
        return LibraryCounts(*self.shared.rows("counts", {"project": self.keys.project(project)})[0])

    def maintain(self, project: ProjectId, profile: EmbeddingProfile, options: Mapping[str, Any] | None = None) -> bool:
        """After indexing: builds indexes and statistics that make searches faster; True if anything was built.

        `options` are the profile's own while it is not active yet. Runs outside the caller's transactions, while
        searches continue.
        """
        return False

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Blocks until a job may have been enqueued, `stop` is set, or the time is over."""
        stop.wait(seconds)

    @abstractmethod
    def size(self) -> int:
        """Bytes the library takes where it is kept."""

    @abstractmethod
    def close(self) -> None: ...

    def vector_index(
        self, project: ProjectId, profile: EmbeddingProfile, fast: EmbeddingProfile | None = None
    ) -> VectorIndex | None:
        """The database's own index of nearest vectors; None where every vector is compared in this process."""
        return None

    def server(self) -> str:
        """What answers, in a sentence, for whoever looks after it; empty where no server does."""
        return ""

    def check(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[str, ...]:
        """What is wrong with the library, in sentences; empty when nothing is. `quick` looks at samples."""
        return tuple(damage.message for damage in self.damage(quick=quick, progress=progress))

    def damage(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[Damage, ...]:
        """The same, with the part of the library that each is about."""
        return self.upkeep.damage(quick=quick, progress=progress)

    def repair(self) -> bool:
        """Rebuilds what the store can derive from its own rows; False if there is nothing to rebuild."""
        return self.upkeep.repair()

    def unreadable_versions(self) -> tuple[tuple[str, str], ...]:
        """Versions of documents whose texts are gone or damaged: the hash of each text, and whose it is."""
        return self.upkeep.unreadable_versions()

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        """Removes vectors and texts that cannot be trusted, so that indexing makes them again; how many."""
        with self.transaction():
            return self.upkeep.remove_damaged(texts_too=texts_too)
