"""One library: all its parts, under one transaction."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from recto.model.ids import ProjectId
    from recto.model.recipe import EmbeddingProfile
    from recto.model.stored import LibraryCounts
    from recto.ports.keeping import Attic
    from recto.ports.library import (
        Catalog,
        Documents,
        Embeddings,
        Graph,
        History,
        Leases,
        Ledger,
        LexicalIndex,
        RerankScores,
    )
    from recto.ports.memory import Memories, Outbox, Profiles


class Store(Protocol):
    """One library. Its parts share one transaction: what is written together appears together or not at all."""

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
    def history(self) -> History: ...

    @property
    def memories(self) -> Memories: ...

    @property
    def profiles(self) -> Profiles: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def rerank_scores(self) -> RerankScores: ...

    @property
    def attic(self) -> Attic: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Takes the write lock at once; commits on leaving, rolls back on any exception. Does not nest."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Everything read inside sees one state of the library."""
        ...

    def generation(self) -> int:
        """A number that grows with every committed change, seen from any process: the key of every cache."""
        ...

    def counts(self, project: ProjectId) -> LibraryCounts: ...

    def check(self) -> tuple[str, ...]:
        """What is wrong with the library, in sentences; empty when nothing is."""
        ...

    def mend(self) -> bool:
        """Makes anew what the store can make from its own rows alone; False where there is nothing of the kind."""
        ...

    def settle(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        """After much was written: makes ready what the next searches are faster with; True if there was any.

        In no transaction of the caller's, and searches go on meanwhile.
        """
        ...

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        """Until a job may have been promised, or told to stop, or so many seconds have passed."""
        ...

    def size(self) -> int:
        """Bytes the library takes where it is kept."""
        ...

    def server(self) -> str:
        """What answers, in a sentence, for whoever looks after it; empty where no server does."""
        ...

    def close(self) -> None: ...
