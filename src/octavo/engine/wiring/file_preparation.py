"""How a configuration turns files into documents and chunks: parsers, chunkers, chunk sizes, and the recipe of all."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.chunking.code_chunker import CodeChunker, MixedChunker
from octavo.chunking.commit_chunker import CommitChunker
from octavo.chunking.default_chunk_sizes import default_sizes
from octavo.chunking.section_chunker import SectionChunker
from octavo.config.load import conversions_folder
from octavo.config.schema import Chunking, Config, Converting, Embedding
from octavo.converting.conversion_cache import CachedConverter
from octavo.converting.sandbox.converter_process import ConversionSettings
from octavo.converting.sandbox.process_confinement import Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.embedding.fast_embedder_selection import opened, table_folder
from octavo.engine.processes.file_preparer_pool import InlinePreparers, ProcessPreparers
from octavo.engine.wiring.collection_sources import file_rules, reads_archives
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.engine.wiring.folder_project_file import folder_config
from octavo.errors import ConfigurationError
from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.pipeline import Preparers
from octavo.model.file_formats import CONVERTER_VERSION, ending, left_out_reason
from octavo.model.index_recipe import ChunkSizes, EmbeddingProfile, Recipe
from octavo.model.projects_and_collections import CollectionSettings
from octavo.parsing.configured_parser_choice import NAMES, ParserChoice
from octavo.parsing.registry import PARSER_VERSION, extensions, not_indexed_reason
from octavo.ports import Converter, Embedder, TokenCounter
from octavo.sources.ignore_rules import IgnoreRules, member_reason
from octavo.sources.secret_redaction import VERSION as REDACTION_VERSION
from octavo.sources.secret_redaction import redacted_values

_PARALLEL_FROM = 8_000_000  # bytes: below this, starting processes costs more than it saves


@dataclass(frozen=True, slots=True)
class Preparing:
    """What a configuration prepares files with. The embedder's profile says how long chunks may be."""

    config: Config
    analyzer: Analyzer
    configured: ConfiguredEmbedder

    def recipe(self, settings: CollectionSettings) -> Recipe:
        profile = self.configured.embedder.profile
        chosen = parser_choice(self.config, settings).version
        return Recipe(
            parser=f"{PARSER_VERSION}+{CONVERTER_VERSION}+{REDACTION_VERSION}{self._ocr}{chosen}",
            chunker=f"{SectionChunker.version}+{CodeChunker.version}+{CommitChunker.version}",
            analyzer=Analyzer.version,
            sizes=chunk_sizes(self.config, settings, profile.window),
            embedding=profile,
        )

    @property
    def _ocr(self) -> str:
        converting = self.config.converting
        return f"+ocr {converting.ocr_languages} {converting.ocr_pages}" if converting.ocr else ""

    def preparer(self, settings: CollectionSettings) -> Preparer:
        window = self.configured.embedder.profile.window
        sizes = chunk_sizes(self.config, settings, window)
        chosen = parser_choice(self.config, settings)
        return _preparer(sizes, window, self.analyzer, self.configured.counter, self._converting(settings), chosen)

    def _converting(self, settings: CollectionSettings) -> _Converting:
        archives = reads_archives(self.config, settings)
        return _Converting(replace(self.config.converting, archives=archives), file_rules(self.config, settings))

    def preparers(self, settings: CollectionSettings, fast: EmbeddingProfile | None, size: int) -> Preparers:
        """For so many bytes. They make fast vectors on the way if these are of the table there is."""
        processes = self.config.ingest.workers or os.cpu_count() or 1
        if size < _PARALLEL_FROM or processes == 1:
            return InlinePreparers(self.preparer(settings))
        profile = self.configured.embedder.profile
        table = table_folder(profile.revision) if fast is not None else None
        if table is not None and opened(table).profile != fast:
            table = None
        sizes = chunk_sizes(self.config, settings, profile.window)
        config = self.config
        converting = self._converting(settings)
        chosen = parser_choice(config, settings)
        make = partial(make_preparer, config.embedding, converting, sizes, profile.window, chosen, table=table)
        return ProcessPreparers(make, processes)


def recipe_of(config: Config) -> Recipe:
    """How this configuration indexes, without opening a library."""
    return Preparing(config, Analyzer(), ConfiguredEmbedder(config.embedding)).recipe(CollectionSettings())


def chunk_sizes(config: Config, settings: CollectionSettings, window: int) -> ChunkSizes:
    """The embedder's defaults, overridden by the configuration, overridden by the collection."""
    # Half as long where the mode is set: a table blurs long texts. Memory that is low for a while recuts no library.
    config = folder_config(config, settings)
    base = default_sizes(window // 2 if config.embedding.constrained == "on" else window)
    return with_overrides(base, config.chunking, settings)


def parser_choice(config: Config, settings: CollectionSettings) -> ParserChoice:
    """What the configuration, and the project file of the folder, say of parsers."""
    pairs = tuple((glob, name) for glob, _, name in (pattern.rpartition("=") for pattern in config.ingest.parsers))
    for glob, name in pairs:
        if not glob or name not in NAMES:
            raise ConfigurationError(
                f"ingest.parsers has {glob}={name}, which names no pattern and parser",
                hint=f"write GLOB=PARSER, with one of: {', '.join(NAMES)}",
            )
    return ParserChoice(folder_config(config, settings).chunking.loose_headings, pairs)


@dataclass(frozen=True, slots=True)
class _Converting:
    """How a collection's documents are converted, and which of the files inside of them are read."""

    settings: Converting
    rules: IgnoreRules


def make_preparer(
    settings: Embedding,
    converting: _Converting,
    sizes: ChunkSizes,
    window: int,
    parsers: ParserChoice,
    *,
    table: Path | None = None,
) -> Preparer:
    """What another process makes for itself from values that can be pickled."""
    fast = None if table is None else opened(table)
    return _preparer(sizes, window, Analyzer(), ConfiguredEmbedder(settings).counter, converting, parsers, fast)


def _preparer(
    sizes: ChunkSizes,
    window: int,
    analyzer: Analyzer,
    counter: TokenCounter,
    converting: _Converting,
    parsers: ParserChoice,
    fast: Embedder | None = None,
) -> Preparer:
    prose = CommitChunker(SectionChunker(sizes, counter), counter, sizes.target_max)
    chunker = MixedChunker(prose, CodeChunker(sizes, counter))
    reader = converter(converting.settings)
    rules = partial(member_reason, converting.rules)
    return Preparer(
        parsers, chunker, analyzer, counter, window, partial(_unwanted, converting.rules), fast, reader, rules
    )


def _unwanted(rules: IgnoreRules, uri: str, text: str) -> str | None:
    """Why a text is not indexed. One opened for what might be in it is read as text where that is asked for."""
    wanted = ending(uri) in extensions(rules.include)
    return not_indexed_reason(uri, text) if wanted else left_out_reason(uri)


def confinement_here() -> str:
    """What a converting process is held to on this machine, and what not."""
    with closing(SandboxedConverter()) as started:
        return str(started.confinement())


def converter(settings: Converting) -> Converter:
    limits = Limits(settings.timeout_seconds, settings.memory_mb * 1_000_000, programs=settings.ocr)
    conversion = ConversionSettings(
        ocr=settings.ocr,
        ocr_pages=settings.ocr_pages,
        ocr_languages=settings.ocr_languages,
        archives=settings.archives,
        archive_files=settings.archive_files,
        archive_bytes=settings.archive_mb * 1_000_000,
    )
    sandboxed = SandboxedConverter(limits, conversion)
    if not settings.cache_mb:
        return sandboxed
    return CachedConverter(sandboxed, conversions_folder(), settings.cache_mb * 1_000_000, conversion, _holds_keys)


def _holds_keys(value: object) -> bool:
    return bool(redacted_values(value)[1])


def with_overrides(base: ChunkSizes, chunking: Chunking, settings: CollectionSettings) -> ChunkSizes:
    depth, intelligent = settings.max_heading_depth, settings.intelligent_heading_depth
    if chunking.strategy == "fixed":
        depth, intelligent = 0, False
    try:
        return replace(
            base,
            target_min=_chosen(chunking.target_min_tokens, base.target_min),
            target_max=_chosen(chunking.target_max_tokens, base.target_max),
            hard_max=_chosen(chunking.hard_max_tokens, base.hard_max),
            min_preferred=_chosen(chunking.min_preferred_tokens, base.min_preferred),
            overlap=_chosen(settings.overlap_tokens, _chosen(chunking.overlap_tokens, base.overlap)),
            max_heading_depth=chunking.max_heading_depth if depth is None else depth,
            intelligent_heading_depth=chunking.intelligent_heading_depth if intelligent is None else intelligent,
        )
    except ValueError as error:
        raise ConfigurationError(f"the chunking settings contradict each other: {error}") from error


def _chosen(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value
