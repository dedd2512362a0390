"""One library: all its parts, under one transaction."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from recto.model.ids import ProjectId
from recto.model.stored import LibraryCounts
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

    def close(self) -> None: ...
