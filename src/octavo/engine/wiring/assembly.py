"""An open library with its adapters. Each is imported by what first needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from octavo.algorithms.analysis import shared_analyzer
from octavo.config.schema import Config, Embedding, Retrieval
from octavo.dataclass import replace
from octavo.engine.adapters import Adapters, Rules, SearchDefaults, WatchSettings, WritingRules
from octavo.engine.engine import Engine
from octavo.engine.free_memory import low_memory
from octavo.engine.library import OpenLibrary
from octavo.engine.wiring.embedders import embedding, own_reranker, profile_embedder, reranker
from octavo.engine.wiring.language_models import (
    cached_model,
    entity_finder,
    judges,
    language_models,
    own_prompts,
    query_writer,
    service_reranker,
    summariser,
)
from octavo.engine.wiring.stores import accelerator
from octavo.model.location import Location
from octavo.retrieval.stage import HydeSettings
from octavo.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from octavo.engine.wiring.preparing import Preparing
    from octavo.ingest.history import HistoryRules
    from octavo.model.collection import Collection, CollectionSettings, Project
    from octavo.model.ledger import FileStamp
    from octavo.model.recipe import EmbeddingProfile
    from octavo.model.scan import Scan
    from octavo.ports import Embedder, Store, SummaryIndex, TokenCounter, VectorIndex


def assemble(
    config: Config,
    store: Store,
    place: Location,
    models: tuple[Callable[[], Embedder], Callable[[], TokenCounter]],
    folders: tuple[Path, ...],
    loading: threading.Thread | None,
) -> Engine:
    """An engine over an open store. `folders` hold retrieval profiles; `loading` is the thread that loads the model."""
    embedder, counter = models
    analyzer = shared_analyzer()

    @cache
    def preparing() -> Preparing:
        from octavo.engine.wiring.preparing import Preparing

        return Preparing(config, analyzer, counter, lambda: embedder().profile)

    service, by_role = service_reranker(config.llm), language_models(config.llm)
    adapters = Adapters(
        analyzer=analyzer,
        embedder=embedder,
        profile_embedder=partial(profile_embedder, config.embedding),
        vectors=_nearest,
        summaries=_summaries,
        store_in_memory=SqliteStore.in_memory,
        recipe=lambda settings: preparing().recipe(settings),
        preparer=lambda settings: preparing().preparer(settings),
        preparers=lambda settings, fast, size: preparing().preparers(settings, fast, size),
        fast=_fast_tier if isinstance(store, SqliteStore) and config.embedding.fast else None,
        fallback=_fallback(config.embedding, embedder),
        constrained=partial(low_memory, config.embedding.constrained),
        accelerator=partial(accelerator, config, place, _tiers),
        file_changes=_file_changes,
        reranker=service or reranker(config.reranking),
        own_reranker=None if service else partial(own_reranker, config.reranking),
        language_model=by_role,
        cached_model=partial(cached_model, config.llm.cache_mb),
        query_writer=partial(query_writer, folders),
        judges=None if by_role is None else partial(judges, folders, config.llm, by_role),
        summariser=partial(summariser, folders),
        entity_finder=partial(entity_finder, folders),
        own_prompts=partial(own_prompts, folders),
        config=config,
        profile_folders=folders,
    )
    try:
        library = OpenLibrary(store, config.project, adapters, rules_of(config), location=place)
    except BaseException:
        store.close()
        raise
    return Engine(library, watch=WatchSettings(**asdict(config.watch)), loading=loading)


def rules_of(config: Config) -> Rules:
    """Which files and commits a configuration indexes, and how it answers by default."""
    return Rules(
        scan=partial(_scan, config),
        max_file_bytes=config.ingest.max_file_bytes,
        max_document_bytes=config.converting.max_file_bytes,
        history=partial(_history, config),
        defaults=_search_defaults(config.retrieval),
        writing=WritingRules(**asdict(config.writing)),
    )


def _fallback(settings: Embedding, configured: Callable[[], Embedder]) -> Callable[[], Embedder] | None:
    if settings.fallback == "none":
        return None
    return (
        configured
        if settings.provider == "bundled"
        else embedding(replace(settings, provider="bundled", model=None))[0]
    )


def _indexes() -> ModuleType:
    from octavo.engine.wiring import vectors

    return vectors


def _nearest(store: Store, project: Project, embedder: Embedder) -> VectorIndex:
    index: VectorIndex = _indexes().nearest(store, project, embedder)
    return index


def _summaries(store: Store, project: Project, embedder: Embedder) -> SummaryIndex:
    index: SummaryIndex = _indexes().nearest_summaries(store, project, embedder)
    return index


def _fast_tier(embedder: Embedder) -> Embedder | None:
    from octavo.embedding.fast_tables import fast_tier

    return fast_tier(embedder)


def _tiers(embedder: Embedder) -> tuple[EmbeddingProfile, ...]:
    """The profiles whose vectors may be compared, the better first."""
    fast = _fast_tier(embedder)
    return (embedder.profile,) if fast is None else (embedder.profile, fast.profile)


def _scan(config: Config, collection: Collection, known: Mapping[str, FileStamp], paths: Sequence[str] | None) -> Scan:
    from octavo.engine.wiring.sources import scan_collection

    return scan_collection(config, collection, known, paths)


def _history(config: Config, settings: CollectionSettings) -> HistoryRules:
    from octavo.engine.wiring.sources import history_rules

    return history_rules(config, settings)


def _file_changes(
    root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
) -> Iterator[frozenset[str]]:
    from octavo.sources.watch import changes

    return changes(root, stop, ready, polling=polling, poll_ms=poll_ms)


def _search_defaults(retrieval: Retrieval) -> SearchDefaults:
    hyde = HydeSettings(retrieval.hyde_num_samples, retrieval.hyde_temperature, retrieval.hyde_pooling)
    return SearchDefaults(retrieval.profile, retrieval.limit, retrieval.max_excerpt_chars, retrieval.count_hits, hyde)
