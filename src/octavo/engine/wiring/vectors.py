"""What finds the nearest vectors of a store."""

from __future__ import annotations

from octavo.embedding.fast_tables import fast_tier
from octavo.model.collection import Project
from octavo.ports import Embedder, Store, SummaryIndex, VectorIndex
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact import ExactIndex
from octavo.vectors.summaries import ExactSummaries


def nearest(store: Store, project: Project, embedder: Embedder) -> VectorIndex:
    """An index of the server's own, or a scan of all vectors there are."""
    if not isinstance(store, SqliteStore):
        from octavo.engine.wiring.postgres import pgvector_index

        return pgvector_index(store, project, embedder)
    fast = fast_tier(embedder)
    return ExactIndex(store, project.id, embedder.profile, None if fast is None else fast.profile)


def nearest_summaries(store: Store, project: Project, embedder: Embedder) -> SummaryIndex:
    """A scan on every engine: there are far fewer summaries than chunks."""
    return ExactSummaries(store, project.id, embedder.profile)
