"""The ports: what a flow asks of the world. Nobody inherits from these; fitting is enough.

Writing:  `Parser` → `Chunker` → `Analyzer` → `Store` → `Embedder` → `Store`, with no model call inside a transaction.
Reading:  `Recall` stages ask `LexicalIndex` and `VectorIndex`; presentation asks `Documents` for exact slices.
"""

from __future__ import annotations

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
from recto.ports.making import (
    AheadEmbedder,
    ChoosingIndex,
    Chunker,
    Embedder,
    Parser,
    Reranker,
    RoutedIndex,
    TieredIndex,
    TokenCounter,
    VectorIndex,
)
from recto.ports.memory import Memories, Outbox, Profiles
from recto.ports.snapshots import SnapshotSource
from recto.ports.store import Store

__all__ = [
    "AheadEmbedder",
    "Attic",
    "Catalog",
    "ChoosingIndex",
    "Chunker",
    "Documents",
    "Embedder",
    "Embeddings",
    "Graph",
    "History",
    "Leases",
    "Ledger",
    "LexicalIndex",
    "Memories",
    "Outbox",
    "Parser",
    "Profiles",
    "RerankScores",
    "Reranker",
    "RoutedIndex",
    "SnapshotSource",
    "Store",
    "TieredIndex",
    "TokenCounter",
    "VectorIndex",
]
