"""The active embedding profile of a project, with its embedder, vector indexes and snapshots."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from octavo.ingest.embedding_profile_switch import active_profile
from octavo.model.embedding_profile import LOCAL_PROVIDERS, NamedEmbeddingProfile

if TYPE_CHECKING:
    from octavo.engine.wiring.adapter_factories import Adapters
    from octavo.ingest.snapshot_search_accelerator import Accelerator
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.projects_and_collections import Project
    from octavo.ports import Embedder, SummaryIndex, VectorIndex
    from octavo.sql_repositories.store import Store


class EmbeddingSetup:
    """The embedder, the vector index and the snapshots of one embedding profile, each made on first use."""

    def __init__(self, store: Store, project: Project, adapters: Adapters, embedder: Embedder | None = None) -> None:
        """`embedder` answers in the place of the active profile's."""
        self._store = store
        self._project = project
        self._adapters = adapters
        self._instead = embedder
        self.named: NamedEmbeddingProfile | None = None
        self.loaded = False

    @cached_property
    def embedder(self) -> Embedder:
        """The active profile's, or the configuration's where no profile is active."""
        if self._instead is not None:
            return self._instead
        self.named = active_profile(self._store, self._project.id)
        adapters = self._adapters
        embedder = adapters.embedder() if self.named is None else adapters.profile_embedder(self.named)
        self.loaded = True
        return embedder

    @cached_property
    def fallback(self) -> Embedder | None:
        """What embeds while the active profile's service does not answer, where that is configured."""
        embedder = self.embedder
        if self.named is None or self.named.settings.provider in LOCAL_PROVIDERS:
            return None
        fallback = self._adapters.fallback()
        return None if fallback is None or fallback.profile == embedder.profile else fallback

    @cached_property
    def fallback_setup(self) -> EmbeddingSetup:
        """What searches by meaning while the active profile's service does not answer."""
        return EmbeddingSetup(self._store, self._project, self._adapters, self.fallback)

    @cached_property
    def accelerator(self) -> Accelerator | None:
        """The snapshots, where this kind of library has them."""
        if self._instead is not None:
            return None  # snapshots are of the active profile's vectors
        return self._adapters.accelerator(self._store, self._project, lambda: self.embedder)

    @property
    def published(self) -> Accelerator | None:
        """The snapshots, once there is one to read from. It may come while the library is open."""
        return self.accelerator if self.accelerator is not None and self.accelerator.published else None

    @property
    def searched_store(self) -> Store:
        """The library as searches see it, its words answered by a snapshot once there is one."""
        return self._store if (published := self.published) is None else published.reading

    @property
    def vectors(self) -> VectorIndex:
        return self._exact_vectors if self.published is None else self._snapshot_vectors

    @cached_property
    def _exact_vectors(self) -> VectorIndex:
        return self._adapters.indexes.vectors(self._store, self._project, self.embedder)

    @cached_property
    def summaries(self) -> SummaryIndex:
        return self._adapters.indexes.summaries(self._store, self._project, self.embedder)

    @cached_property
    def _snapshot_vectors(self) -> VectorIndex:
        assert self.accelerator is not None
        return self.accelerator.vectors(lambda: self._exact_vectors)


class ActiveProfile:
    """Asked by everybody who embeds or compares vectors. Another process may let another profile take over: whoever
    begins something new calls `follow` first."""

    def __init__(self, store: Store, project: Project, adapters: Adapters) -> None:
        self._store = store
        self._project = project
        self._adapters = adapters
        self._setup = EmbeddingSetup(store, project, adapters)

    @property
    def setup(self) -> EmbeddingSetup:
        """Everything that is made for the active profile; another object once another profile answers."""
        return self._setup

    @property
    def loaded(self) -> bool:
        """Whether the embedder has been made; asking does not make it."""
        return self._setup.loaded

    @property
    def embedder(self) -> Embedder:
        return self._setup.embedder

    @property
    def profile(self) -> EmbeddingProfile:
        return self._setup.embedder.profile

    @property
    def vectors(self) -> VectorIndex:
        return self._setup.vectors

    @property
    def accelerator(self) -> Accelerator | None:
        return self._setup.accelerator

    @property
    def fast(self) -> Embedder | None:
        """The table whose vectors stand in until the embedder's own are computed."""
        return self._adapters.fast(self.embedder)

    @property
    def fast_profile(self) -> EmbeddingProfile | None:
        fast = self.fast
        return None if fast is None else fast.profile

    def follow(self) -> None:
        """Drops what was made for a profile that no longer answers."""
        if self.loaded and active_profile(self._store, self._project.id) != self._setup.named:
            self._setup = EmbeddingSetup(self._store, self._project, self._adapters)
