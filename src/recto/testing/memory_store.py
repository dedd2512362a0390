"""A library in plain dictionaries: the store that tests start from, and the answer the others are held to."""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager

from recto.model.ids import ProjectId
from recto.model.ledger import Outcome
from recto.model.recipe import EmbeddingProfile
from recto.model.stored import LibraryCounts
from recto.stores.shared.clock import Clock
from recto.testing.memory_attic import MemoryAttic
from recto.testing.memory_catalog import MemoryCatalog, MemoryLedger
from recto.testing.memory_documents import MemoryDocuments
from recto.testing.memory_embeddings import MemoryEmbeddings
from recto.testing.memory_graph import MemoryGraph
from recto.testing.memory_history import MemoryHistory
from recto.testing.memory_leases import MemoryLeases
from recto.testing.memory_lexical import MemoryLexical
from recto.testing.memory_memories import MemoryMemories
from recto.testing.memory_outbox import MemoryOutbox
from recto.testing.memory_profiles import MemoryProfiles
from recto.testing.memory_reranking import MemoryRerankScores
from recto.testing.memory_tables import Session, known_project


class MemoryStore:
    """Fits `ports.Store`. Everything is scanned: right at a few thousand chunks, not meant for more."""

    def __init__(self, *, clock: Clock = time.time) -> None:
        self._session = Session()
        self.documents = MemoryDocuments(self._session, clock)
        self.catalog = MemoryCatalog(self._session, self.documents, clock)
        self.lexical = MemoryLexical(self._session)
        self.embeddings = MemoryEmbeddings(self._session)
        self.ledger = MemoryLedger(self._session, clock)
        self.graph = MemoryGraph(self._session, clock)
        self.leases = MemoryLeases(self._session, clock)
        self.history = MemoryHistory(self._session)
        self.memories = MemoryMemories(self._session)
        self.profiles = MemoryProfiles(self._session, clock)
        self.outbox = MemoryOutbox(self._session, clock)
        self.rerank_scores = MemoryRerankScores(self._session, clock)
        self.attic = MemoryAttic(self._session)

    def transaction(self) -> AbstractContextManager[None]:
        return self._session.transaction()

    def reading(self) -> AbstractContextManager[None]:
        return self._session.reading()

    def generation(self) -> int:
        return self._session.read().generation

    def counts(self, project: ProjectId) -> LibraryCounts:
        tables = self._session.read()
        known_project(tables, project)
        documents = [held.document for (owner, _), held in tables.documents.items() if owner == project]
        outcomes = [entry.outcome for key, entry in tables.ledger.items() if key[0] == project]
        return LibraryCounts(
            documents=len(documents),
            chunks=sum(held.project == project for held in tables.chunks.values()),
            sections=sum(len(document.sections) for document in documents),
            indexed=outcomes.count(Outcome.INDEXED),
            skipped=outcomes.count(Outcome.SKIPPED),
            failed=outcomes.count(Outcome.FAILED),
            text_bytes=sum(len(document.text.encode("utf-8")) for document in documents),
        )

    def check(self) -> tuple[str, ...]:
        tables = self._session.read()
        problems = []
        missing = len(tables.chunks.keys() - tables.lexical.keys())
        if missing:
            problems.append(f"{missing} chunks are missing from the lexical index")
        for (owner, _), held in tables.documents.items():
            if (owner, held.document.content_hash) not in tables.texts:
                problems.append(f"the text of {held.document.uri} is missing")
        return tuple(problems)

    def mend(self) -> bool:
        return False

    def settle(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        return False

    def wait_for_work(self, stop: threading.Event, seconds: float) -> None:
        stop.wait(seconds)

    def size(self) -> int:
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in self._session.read().texts.values())

    def server(self) -> str:
        return ""

    def close(self) -> None:
        """Nothing to let go of; the library ends with the object."""
