"""The ports: what a flow asks of the world. Nobody inherits from these; fitting is enough.

Writing:  `Parser` → `Chunker` → `Analyzer` → `Store` → `Embedder` → `Store`, with no model call inside a transaction.
Reading:  `Recall` stages ask `LexicalIndex` and `VectorIndex`; presentation asks `Documents` for exact slices.
"""

from __future__ import annotations

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
from octavo.ports.language_model import (
    Completions,
    EntityFinder,
    LanguageModel,
    QueryWriter,
    RemembersCompletions,
    Summariser,
)
from octavo.ports.leases import Leases
from octavo.ports.lexical_index import LexicalIndex
from octavo.ports.memories import Memories
from octavo.ports.note_write_log import NoteWrites
from octavo.ports.parsing_embedding_and_vector_search import (
    AheadEmbedder,
    AtOnceEmbedder,
    ChoosingIndex,
    Chunker,
    Converter,
    Embedder,
    Parser,
    ReadingEmbedder,
    Reranker,
    RoutedIndex,
    TieredIndex,
    TokenCounter,
    VectorIndex,
)
from octavo.ports.project_of_open_library import ProjectLibrary, StoredProject
from octavo.ports.pruning import Pruning
from octavo.ports.query_log import QueryLog
from octavo.ports.rerank_score_cache import RerankScores
from octavo.ports.snapshot_build_source import SnapshotMarks, SnapshotSource
from octavo.ports.store import IndexedStore, Store
from octavo.ports.summaries import Summaries, SummaryIndex

__all__ = [
    "AccessTokens",
    "AheadEmbedder",
    "AtOnceEmbedder",
    "Catalog",
    "ChoosingIndex",
    "Chunker",
    "Clusters",
    "CommitHistory",
    "Completions",
    "Converter",
    "Documents",
    "Embedder",
    "EmbeddingProfiles",
    "Embeddings",
    "Entities",
    "EntityFinder",
    "Graph",
    "IndexedStore",
    "LanguageModel",
    "Leases",
    "Ledger",
    "LexicalIndex",
    "Memories",
    "NoteWrites",
    "Outbox",
    "Parser",
    "ProjectLibrary",
    "Pruning",
    "QueryLog",
    "QueryWriter",
    "ReadingEmbedder",
    "RemembersCompletions",
    "RerankScores",
    "Reranker",
    "RoutedIndex",
    "SnapshotMarks",
    "SnapshotSource",
    "Store",
    "StoredProject",
    "Summaries",
    "Summariser",
    "SummaryIndex",
    "TieredIndex",
    "TokenCounter",
    "VectorIndex",
]
