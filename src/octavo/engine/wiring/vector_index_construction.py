"""Chooses how the nearest vectors are found: by the index of the store, or by a scan of all vectors."""

from __future__ import annotations

from octavo.embedding.static_token_table_choice import fast_tier
from octavo.fast_dataclass import dataclass
from octavo.model.projects_and_collections import Project
from octavo.ports import Embedder, SummaryIndex, VectorIndex
from octavo.sql_repositories.store import Store
from octavo.vectors.exact_vector_search import ExactIndex, ExactSummaries


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes of a library's vectors, by the embedder that made them."""

    def vectors(self, store: Store, project: Project, embedder: Embedder) -> VectorIndex:
        """An index of the server's own, or a scan of all vectors there are."""
        fast = fast_tier(embedder)
        stands_in = None if fast is None else fast.profile
        own = store.vector_index(project.id, embedder.profile, stands_in)
        return own or ExactIndex(store, project.id, embedder.profile, stands_in)

    def summaries(self, store: Store, project: Project, embedder: Embedder) -> SummaryIndex:
        """A scan on every engine: there are far fewer summaries than chunks."""
        return ExactSummaries(store, project.id, embedder.profile)
