"""The store of a library: its repositories of documents, vectors, graph and memories, under one transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ProjectId
    from octavo.model.library_damage import Damage
    from octavo.model.stored_rows import LibraryCounts
    from octavo.observability.metrics import Gauge
    from octavo.observability.progress import Progress
    from octavo.ports.access_tokens import AccessTokens
    from octavo.ports.documents_vectors_ledger_and_links import (
        Catalog,
        Clusters,
        CommitHistory,
        Documents,
        Embeddings,
        Graph,
        Ledger,
    )
    from octavo.ports.embedding_profiles import EmbeddingProfiles
    from octavo.ports.entities import Entities
    from octavo.ports.job_queue import Outbox
    from octavo.ports.language_model import Completions
    from octavo.ports.leases import Leases
    from octavo.ports.lexical_index import LexicalIndex
    from octavo.ports.memories import Memories
    from octavo.ports.note_write_log import NoteWrites
    from octavo.ports.parsing_embedding_and_vector_search import VectorIndex
    from octavo.ports.pruning import Pruning
    from octavo.ports.query_log import QueryLog
    from octavo.ports.rerank_score_cache import RerankScores
    from octavo.ports.summaries import Summaries


class ReplicaLost(Exception):
    """The copy of the library that a search was reading from failed: it begins again, on another."""


class Store(Protocol):
    """One library. Its parts share one transaction: what is written together appears together or not at all."""

    @property
    def most_dimensions(self) -> int | None:
        """Of a vector that can be kept; None where there is no limit."""

    @property
    def catalog(self) -> Catalog: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def lexical(self) -> LexicalIndex: ...

    @property
    def embeddings(self) -> Embeddings: ...

    @property
    def graph(self) -> Graph: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def leases(self) -> Leases: ...

    @property
    def history(self) -> CommitHistory: ...

    @property
    def memories(self) -> Memories: ...

    @property
    def profiles(self) -> EmbeddingProfiles: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def note_writes(self) -> NoteWrites: ...

    @property
    def rerank_scores(self) -> RerankScores: ...

    @property
    def clusters(self) -> Clusters: ...

    @property
    def completions(self) -> Completions: ...

    @property
    def access(self) -> AccessTokens: ...

    @property
    def query_log(self) -> QueryLog: ...

    @property
    def entities(self) -> Entities: ...

    @property
    def summaries(self) -> Summaries: ...

    @property
    def pruning(self) -> Pruning: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Takes the write lock at once; commits on leaving, rolls back on any exception. Does not nest."""

    def vectors_alone(self) -> None:
        """Says of the transaction that is open: it changes vectors, and nothing else."""

    def reading(self) -> AbstractContextManager[None]:
        """Everything read inside sees one state of the library."""

    def searching(self) -> AbstractContextManager[None]:
        """Like `reading`, of a copy of the library that may be seconds older, where there are such. Never older than
        what this process has written or seen; raises `ReplicaLost` where the copy failed, and then asks another."""

    def left_out(self) -> tuple[str, ...]:
        """Which copies searches do without at the moment, and why."""

    def gauges(self) -> Iterable[Gauge]:
        """How its connections and its copies are doing now, for those who watch a server or a worker."""

    def patient(self, seconds: float) -> AbstractContextManager[None]:
        """Transactions of this thread wait that long for other writers, where a caller would rather wait than fail."""

    def compact(self, *, fully: bool = False) -> None:
        """Frees what outdated rows occupy once that is most of it. `fully` leaves no word of what was removed."""

    def merge_words(self) -> None:
        """Makes phrases quick to look up after much was written, in short transactions."""

    def generation(self) -> int:
        """A number that grows with every committed change, seen from any process: the key of every cache."""

    def content_generation(self) -> int:
        """The same for what does not depend on vectors: it stays where this process wrote `vectors_alone`."""

    def restored(self) -> int:
        """The generation at which a saved library took the place of this one; 0 if none ever did. What was read before
        is of another library: what is added to a cache since then does not fit to what is in it."""

    def counts(self, project: ProjectId) -> LibraryCounts: ...

    def documents_and_failed(self, project: ProjectId) -> tuple[int, int]:
        """How many documents there are, and files that failed: what a search says, in a tenth of the time of all."""

    def check(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[str, ...]:
        """What is wrong with the library, in sentences; empty when nothing is. `quick` looks at samples."""

    def damage(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[Damage, ...]:
        """The same, with the part of the library that each is about."""

    def unreadable_versions(self) -> tuple[tuple[str, str], ...]:
        """Versions of documents whose texts are gone or damaged: the hash of each text, and whose it is."""

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        """Removes vectors and texts that cannot be trusted, so that indexing makes them again; how many."""

    def repair(self) -> bool:
        """Rebuilds what the store can derive from its own rows; False if there is nothing to rebuild."""

    def maintain(self, project: ProjectId, profile: EmbeddingProfile, options: Mapping[str, Any] | None = None) -> bool:
        """After indexing: builds indexes and statistics that make searches faster; True if anything was built.

        `options` are the profile's own while it is not active yet. Runs outside the caller's transactions, while
        searches continue.
        """

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Blocks until a job may have been enqueued, `stop` is set, or the time is over."""

    def size(self) -> int:
        """Bytes the library takes where it is kept."""

    def server(self) -> str:
        """What answers, in a sentence, for whoever looks after it; empty where no server does."""

    def close(self) -> None: ...


@runtime_checkable
class IndexedStore(Protocol):
    """A store whose server finds the nearest vectors itself."""

    def vector_index(
        self, project: ProjectId, profile: EmbeddingProfile, fast: EmbeddingProfile | None = None
    ) -> VectorIndex: ...
