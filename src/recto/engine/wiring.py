"""The one place that names adapters: a configuration becomes an engine."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from recto.algorithms.analysis import Analyzer
from recto.config.load import library_location, load, profile_folders
from recto.config.schema import Config, Embedding, Postgres, Reranking
from recto.engine.beside import load_ahead
from recto.engine.memory_left import constrained
from recto.engine.sizes import overridden
from recto.errors import ConfigurationError, MissingExtra, NotIndexed
from recto.ingest.profiles import active_profile
from recto.model.collection import CollectionSettings
from recto.model.ids import project_id
from recto.model.location import DatabaseUrl, Location, location
from recto.model.recipe import Recipe
from recto.stores.sqlite.store import SqliteStore
from recto.training.tables import fast_tier, opened, table_folder

if TYPE_CHECKING:
    # Adapters are imported by the function that makes them: a search does not pay for parsers, nor a word for numpy.
    from recto.engine.engine import Engine
    from recto.ingest.accelerate import Accelerator
    from recto.ingest.history import HistoryRules
    from recto.ingest.pipeline import Workers
    from recto.ingest.prepare import Preparer
    from recto.model.collection import Collection, Project
    from recto.model.ledger import FileStamp
    from recto.model.profile import NamedProfile
    from recto.model.recipe import ChunkSizes, EmbeddingProfile
    from recto.ports import Embedder, Parser, Reranker, Store, TokenCounter, VectorIndex
    from recto.sources.files import Scan
    from recto.stores.shared.transfer import TableTransfer

Models = Callable[[Embedding], tuple[Callable[[], "Embedder"], Callable[[], "TokenCounter"]]]

PROVIDERS = ("bundled", "onnx", "hashing", "ollama", "openai", "voyage", "jina")
_PARALLEL_FROM = 8_000_000  # bytes: below this, starting processes costs more than it saves


def open_library(
    path: str | os.PathLike[str] | None = None, *, create: bool = False, settings: Mapping[str, Any] | None = None
) -> Engine:
    """Opens a library as `recto --library PATH` would here: the same configuration files, the same environment.

    `settings` go before all of these, by their dotted names: `{"embedding.provider": "hashing"}`.
    """
    flags = {**(settings or {})} | ({} if path is None else {"library": location(os.fspath(path))})
    return open_engine(load(flags).config, create=create)


def open_engine(
    config: Config,
    *,
    create: bool = False,
    models: Models | None = None,
    profiles: tuple[Path, ...] | None = None,
    soon: str | None = None,
) -> Engine:
    """Opens the library the configuration names; `create` makes it when it is not there.

    `models` makes the embedder in place of `embedding`: several engines of one process may share one. `profiles` are
    the folders of retrieval profiles, where they are not those of this process's surroundings. `soon` is what will be
    searched for by meaning at once: the embedder starts on it before everything else is there.
    """
    place = library_location(config)
    embedder, counter = (models or embedding)(config.embedding)
    store, vectors = _store(place, config, create=create)
    loading = None if soon is None else _started(config, store, embedder, soon)
    from recto.engine.engine import Engine
    from recto.engine.parts import Parts, WatchSettings

    analyzer = Analyzer()
    parts = Parts(
        store=store,
        analyzer=analyzer,
        embedder=embedder,
        vectors=vectors,
        recipe=partial(_recipe, config, lambda: embedder().profile),
        preparer=partial(_one_preparer, config, analyzer, counter, lambda: embedder().profile),
        workers=partial(_workers, config, analyzer, counter, lambda: embedder().profile),
        **looking(config),
        constrained=partial(constrained, config.embedding.constrained),
        fast=fast_tier if isinstance(store, SqliteStore) and config.embedding.fast else None,
        accelerator=partial(_accelerator, config, place),
        library=place,
        watch=WatchSettings(**asdict(config.watch)),
        notices=_notices,
        reranker=_reranker(config.reranking),
        profile_folders=profile_folders() if profiles is None else profiles,
        profile_embedder=partial(_profile_embedder, config.embedding),
        loading=loading,
    )
    try:
        return Engine(parts, config.project)
    except BaseException:
        store.close()
        raise


def _started(config: Config, store: Store, embedder: Callable[[], Embedder], text: str) -> threading.Thread | None:
    """Begins to load the configuration's embedder, if that is the one that answers. What fails is met again later."""
    with suppress(Exception):
        if active_profile(store, project_id(config.project)) is not None:
            return None
        if config.embedding.provider in ("bundled", "onnx"):
            from recto.embedding.runtime import onnx_runtime

            # Importing holds up every other thread. With this done first, the model loads beside all that follows.
            onnx_runtime()
        # The models of a configuration are on this machine, and an interpreter that ends while one loads may abort.
        return load_ahead(embedder, text, awaited=True)
    return None


def looking(config: Config) -> dict[str, Any]:
    """The parts that decide which files and commits are looked at, and what a search does unless told."""
    from recto.engine.parts import Defaults

    return {
        "scan": partial(_scan, config),
        "max_file_bytes": config.ingest.max_file_bytes,
        "history": partial(_history, config),
        "defaults": Defaults(**asdict(config.retrieval)),
    }


def _store(
    place: Location, config: Config, *, create: bool
) -> tuple[Store, Callable[[Store, Project, Embedder], VectorIndex]]:
    """The library at a place, and what finds its nearest vectors."""
    if isinstance(place, DatabaseUrl):
        return _postgres(place, config.postgres, create=create)
    if not create and not place.exists():
        raise NotIndexed(f"there is no library at {place}", hint="run `recto init` to make one")
    return SqliteStore(place, create=create), _exact


def _postgres(
    url: DatabaseUrl, settings: Postgres, *, create: bool
) -> tuple[Store, Callable[[Store, Project, Embedder], VectorIndex]]:
    with _driver_of(url):
        from recto.stores.postgres.store import PostgresStore
        from recto.stores.postgres.vectors import PgvectorIndex
    store = PostgresStore(url, create=create, lexical=settings.lexical)

    def nearest(_: Store, project: Project, embedder: Embedder) -> VectorIndex:
        return PgvectorIndex(store.database, store.keys, project.id, embedder.profile)

    return store, nearest


def _accelerator(
    config: Config, place: object, store: Store, project: Project, embedder: Callable[[], Embedder]
) -> Accelerator | None:
    """Snapshots lie beside the library's file. A database server keeps indexes of its own."""
    if not isinstance(store, SqliteStore) or not isinstance(place, Path) or not config.snapshots.enabled:
        return None
    from recto.ingest.accelerate import Accelerator, SnapshotSettings

    root = place.with_name(f"{place.name}.snapshots") / project.id
    settings = SnapshotSettings(**asdict(config.snapshots))
    source = store.snapshots
    return Accelerator(
        store, source, project.id, root, settings, Analyzer.version, lambda: _tiers(embedder()), time.time
    )


def open_tables(place: Location, *, read_only: bool) -> TableTransfer:
    """A library as plain rows, to be copied from (`read_only`) or to."""
    if isinstance(place, DatabaseUrl):
        with _driver_of(place):
            from recto.stores.postgres.transfer import postgres_transfer
        return postgres_transfer(place, read_only=read_only)
    from recto.stores.sqlite.transfer import sqlite_transfer

    return sqlite_transfer(place, read_only=read_only)


def upgrade_schema(place: Location) -> Path | None:
    """Makes an older library one that this version opens; where it is kept as it was, if it is a file.

    A file is changed by whoever opens it next. What several people share on a server is changed here alone.
    """
    if isinstance(place, Path):
        from recto.stores.sqlite.database import save_older

        return save_older(place)
    with _driver_of(place):
        from recto.stores.postgres.database import PostgresDatabase
    PostgresDatabase(place, create=False, upgrade=True).close()
    return None


@contextmanager
def _driver_of(url: DatabaseUrl) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"{url} needs the PostgreSQL driver: {error}", hint="pip install 'recto[postgres]'"
        ) from error


def recipe_of(config: Config) -> Recipe:
    """How this configuration indexes, without opening a library."""
    embedder, _ = embedding(config.embedding)
    return _recipe(config, lambda: embedder().profile, CollectionSettings())


def embedding(settings: Embedding) -> tuple[Callable[[], Embedder], Callable[[], TokenCounter]]:
    """The embedder and its token counter, each made on first use and then kept."""
    if settings.provider == "hashing":
        from recto.embedding.hashing import HashingEmbedder, WhitespaceCounter

        return cache(HashingEmbedder), cache(WhitespaceCounter)
    if settings.provider == "onnx":
        from recto.embedding.onnx import OnnxEmbedder, token_counter

        if settings.model is None:
            raise ConfigurationError(
                "embedding.provider is onnx, but embedding.model names no folder",
                hint="set embedding.model to the folder that holds model.onnx",
            )
        folder = settings.model
        return cache(partial(OnnxEmbedder, folder, threads=settings.threads)), cache(partial(token_counter, folder))
    from recto.embedding.bundled import bundled_counter, bundled_embedder

    return cache(partial(bundled_embedder, threads=settings.threads)), cache(bundled_counter)


def _profile_embedder(configured: Embedding, profile: NamedProfile) -> Embedder:
    """The embedder that a profile by name describes; local ones follow the configuration in what it leaves open."""
    settings = profile.settings
    match settings.provider:
        case "bundled" | "onnx" | "hashing":
            if settings.provider == "hashing" and settings.dimensions:
                from recto.embedding.hashing import HashingEmbedder

                return HashingEmbedder(settings.dimensions)
            folder = Path(settings.model) if settings.model else None
            local = Embedding(provider=cast("Any", settings.provider), model=folder, threads=configured.threads)
            return embedding(local)[0]()
        case "ollama" | "openai" | "voyage" | "jina":
            from recto.config.keys import service_key
            from recto.embedding.providers import completed, remote_embedder

            whole = completed(settings)
            return remote_embedder(profile.name, whole, service_key(whole.key_variable, whole.key_file))
    raise ConfigurationError(
        f"the profile {profile.name} wants the provider {settings.provider}, which this Recto does not know",
        hint=f"choose one of: {', '.join(PROVIDERS)}",
    )


def _notices(
    root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
) -> Iterator[frozenset[str]]:
    from recto.sources.watch import changes

    return changes(root, stop, ready, polling=polling, poll_ms=poll_ms)


def _reranker(settings: Reranking) -> Callable[[], Reranker] | None:
    if settings.model is None:
        return None
    from recto.embedding.crossencoder import OnnxCrossEncoder

    return partial(OnnxCrossEncoder, settings.model.expanduser(), threads=settings.threads)


def _exact(store: Store, project: Project, embedder: Embedder) -> VectorIndex:
    from recto.vectors.exact import ExactIndex

    fast = fast_tier(embedder)
    return ExactIndex(store, project.id, embedder.profile, None if fast is None else fast.profile)


def _tiers(embedder: Embedder) -> tuple[EmbeddingProfile, ...]:
    """The profiles whose vectors may be compared, the better first."""
    fast = fast_tier(embedder)
    return (embedder.profile,) if fast is None else (embedder.profile, fast.profile)


def _recipe(config: Config, profile: Callable[[], EmbeddingProfile], settings: CollectionSettings) -> Recipe:
    from recto.chunking.code import CodeChunker
    from recto.chunking.commit import CommitChunker
    from recto.chunking.sections import SectionChunker
    from recto.parsing.registry import PARSER_VERSION

    embedding = profile()
    return Recipe(
        parser=PARSER_VERSION,
        chunker=f"{SectionChunker.version}+{CodeChunker.version}+{CommitChunker.version}",
        analyzer=Analyzer.version,
        sizes=chunk_sizes(config, settings, embedding.window),
        embedding=embedding,
    )


def chunk_sizes(config: Config, settings: CollectionSettings, window: int) -> ChunkSizes:
    """The embedder's defaults, overridden by the configuration, overridden by the collection."""
    from recto.chunking.sizes import default_sizes

    # Half as long where the mode is set: a table blurs long texts. Memory that is low for a while recuts no library.
    base = default_sizes(window // 2 if config.embedding.constrained == "on" else window)
    return overridden(base, config.chunking, settings)


def _scan(config: Config, collection: Collection, known: Mapping[str, FileStamp], paths: Sequence[str] | None) -> Scan:
    from recto.parsing.registry import extensions
    from recto.sources.files import scan
    from recto.sources.ignore import IgnoreRules

    settings = collection.settings
    rules = IgnoreRules(
        extensions=extensions(settings.include),
        include=settings.include,
        ignore=(*config.ingest.ignore, *settings.ignore),
        max_bytes=settings.max_file_bytes or config.ingest.max_file_bytes,
    )
    return scan(collection.root, rules, known, paths=paths)


def _history(config: Config, settings: CollectionSettings) -> HistoryRules:
    from recto.ingest.history import HistoryRules

    wanted = config.history.enabled if settings.history is None else settings.history
    return HistoryRules(wanted, settings.max_commits or config.history.max_commits)


def _one_preparer(
    config: Config,
    analyzer: Analyzer,
    counter: Callable[[], TokenCounter],
    profile: Callable[[], EmbeddingProfile],
    settings: CollectionSettings,
) -> Preparer:
    window = profile().window
    return _preparer(chunk_sizes(config, settings, window), window, analyzer, counter())


def _workers(
    config: Config,
    analyzer: Analyzer,
    counter: Callable[[], TokenCounter],
    profile: Callable[[], EmbeddingProfile],
    settings: CollectionSettings,
    fast: EmbeddingProfile | None,
    size: int,
) -> Workers:
    """They make fast vectors on the way if these are of the table there is."""
    from recto.engine.workers import InlineWorkers, ProcessWorkers

    count = config.ingest.workers or os.cpu_count() or 1
    if size < _PARALLEL_FROM or count == 1:
        return InlineWorkers(_one_preparer(config, analyzer, counter, profile, settings))
    window = profile().window
    sizes = chunk_sizes(config, settings, window)
    table = table_folder(profile().revision) if fast is not None else None
    if table is not None and opened(table).profile != fast:
        table = None
    return ProcessWorkers(partial(make_preparer, config.embedding, sizes, window, table=table), count)


def make_preparer(settings: Embedding, sizes: ChunkSizes, window: int, *, table: Path | None = None) -> Preparer:
    """What a worker process makes for itself from values that travel."""
    fast = None if table is None else opened(table)
    return _preparer(sizes, window, Analyzer(), embedding(settings)[1](), fast)


def _preparer(
    sizes: ChunkSizes, window: int, analyzer: Analyzer, counter: TokenCounter, fast: Embedder | None = None
) -> Preparer:
    from recto.chunking.code import CodeChunker, MixedChunker
    from recto.chunking.commit import CommitChunker
    from recto.chunking.sections import SectionChunker
    from recto.ingest.prepare import Preparer
    from recto.parsing.registry import UNNAMED, parser_for, unwanted

    def parser(uri: str) -> Parser:
        """By name; a text whose name tells nothing is a script or plain."""
        return parser_for(uri) or UNNAMED

    prose = CommitChunker(SectionChunker(sizes, counter), counter, sizes.target_max)
    chunker = MixedChunker(prose, CodeChunker(sizes, counter))
    return Preparer(parser, chunker, analyzer.joined, counter, window, unwanted, fast)
