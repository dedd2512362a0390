"""What a configuration gives to an open library: models, indexes, parsers, sources. Each is imported and made by what
first needs it: a search makes no parser."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.algorithms.text.search_tokenizer import Analyzer, shared_analyzer
from octavo.config.schema import Config
from octavo.engine.processes.low_memory_detection import low_memory
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder, profile_embedder
from octavo.engine.wiring.store_opening import accelerator
from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.model.embedding_profile import NamedEmbeddingProfile
from octavo.model.library_location import Location
from octavo.model.projects_and_collections import CollectionSettings, Project
from octavo.ports import Embedder, Reranker
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
    from octavo.engine.wiring.collection_sources import Sources
    from octavo.engine.wiring.file_preparer_construction import Preparing
    from octavo.engine.wiring.language_model_construction import ConfiguredModels
    from octavo.engine.wiring.vector_index_construction import Indexes
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.index_recipe import Recipe
    from octavo.ports import Observer


@dataclass(frozen=True)
class Adapters:
    """Made from the configuration that a library was opened with, at a place; in memory there is none."""

    config: Config
    place: Location | None
    configured: ConfiguredEmbedder
    profile_folders: tuple[Path, ...] = ()
    """Where retrieval profiles of the user and of the project lie."""
    clock: Callable[[], float] = time.time
    made: Embedder | None = None
    """An embedder in the place of the configuration's, where one is made already."""
    observers: list[Observer] = field(default_factory=list, compare=False, repr=False)
    """Told of searches and jobs, in every project of the library."""

    @cached_property
    def analyzer(self) -> Analyzer:
        return shared_analyzer()

    @cached_property
    def preparing(self) -> Preparing:
        """Parsers and chunkers."""
        from octavo.engine.wiring.file_preparer_construction import Preparing

        return Preparing(self.config, self.analyzer, self.configured)

    def recipe(self, settings: CollectionSettings) -> Recipe:
        """How documents of a collection are cut and analysed."""
        module = import_module("octavo.engine.wiring.configured_index_recipe")
        made: Recipe = module.recipe(self.config, settings, self.configured.embedder.profile)
        return made

    @cached_property
    def models(self) -> ConfiguredModels | None:
        """The language models, where any is configured."""
        if not self.config.llm.models:
            return None
        from octavo.engine.wiring.language_model_construction import ConfiguredModels

        return ConfiguredModels(self.config.llm, self._prompt_folders)

    @property
    def _prompt_folders(self) -> tuple[Path, ...]:
        """Prompts of the user's own lie next to the profiles in the configuration folder, never in a project's."""
        return tuple(folder.parent / "prompts" for folder in self.profile_folders[:1])

    def own_prompts(self, profile: str) -> Callable[[str], PromptFile | None]:
        """Prompts that the user has written, for a retrieval profile by its name."""
        from octavo.llm.prompt_files import own_prompt, prompts_for

        folders = [place for folder in self._prompt_folders for place in prompts_for(folder, profile)]
        return partial(own_prompt, folders=folders)

    def embedder(self) -> Embedder:
        """The configuration's, which answers while no profile by name is active."""
        return self.made or self.configured.embedder

    def profile_embedder(self, profile: NamedEmbeddingProfile) -> Embedder:
        return profile_embedder(self.config.embedding, profile)

    def fallback(self) -> Embedder | None:
        """What embeds while the service of the active profile does not answer."""
        settings = self.config.embedding
        if settings.fallback == "none":
            return None
        return self.embedder() if settings.provider == "bundled" else self._bundled.embedder

    @cached_property
    def _bundled(self) -> ConfiguredEmbedder:
        return ConfiguredEmbedder(replace(self.config.embedding, provider="bundled", model=None))

    def constrained(self) -> str:
        """Why full vectors are not to be computed now; empty while they are."""
        return low_memory(self.config.embedding.constrained)

    def fast(self, embedder: Embedder) -> Embedder | None:
        """The table whose vectors stand in until the embedder's own are computed."""
        return self._fast_tier(embedder) if self.config.embedding.fast else None

    def _fast_tier(self, embedder: Embedder) -> Embedder | None:
        from octavo.embedding.static_token_table_choice import fast_tier

        return fast_tier(embedder)

    def _tiers(self, embedder: Embedder) -> tuple[EmbeddingProfile, ...]:
        """The profiles whose vectors may be compared, the better first."""
        fast = self._fast_tier(embedder)
        return (embedder.profile,) if fast is None else (embedder.profile, fast.profile)

    @cached_property
    def indexes(self) -> Indexes:
        """What finds the nearest vectors."""
        from octavo.engine.wiring.vector_index_construction import Indexes

        return Indexes()

    def accelerator(self, store: Store, project: Project, embedder: Callable[[], Embedder]) -> Accelerator | None:
        """The snapshots, where this kind of library has them."""
        if self.place is None:
            return None
        return accelerator(self.config.snapshots, self.place, store, project, lambda: self._tiers(embedder()))

    def store_in_memory(self) -> Store:
        return SqliteStore.in_memory(self.clock)

    def in_memory(self, embedder: Embedder) -> Adapters:
        """The same for a library in memory, with a model that is made already."""
        return replace(self, place=None, made=embedder, observers=[])

    def reranker(self, name: str | None) -> Reranker:
        """A service's, where one has the role of reranking; else one made on this machine, by its name; without a
        name, the configuration's."""
        if self.rerank_service is not None:
            from octavo.engine.wiring.language_model_construction import service_reranker

            return service_reranker(self.rerank_service, self.config.llm)
        from octavo.engine.wiring.local_model_construction import reranker_of

        return reranker_of(self.config.reranking, name)

    @property
    def rerank_service(self) -> str | None:
        """The name of the service that reranks for all projects, if one does."""
        llm = self.config.llm
        return None if llm.reranks_by_model else llm.named_for("rerank")

    def sources(self, config: Config) -> Sources:
        """What reads folders, by the configuration of now."""
        from octavo.engine.wiring.collection_sources import Sources

        return Sources(config)
