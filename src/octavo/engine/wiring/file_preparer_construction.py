"""Constructs file preparers by configuration: converter, parsers, chunkers, chunk sizes; in one process or many."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.chunking.code_chunker import CodeChunker, MixedChunker
from octavo.chunking.git_commit_chunker import CommitChunker
from octavo.chunking.section_chunker import SectionChunker
from octavo.config.layered_config_loading import conversions_folder
from octavo.config.schema import Config, Converting, Embedding
from octavo.converting.conversion_cache import CachedConverter
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox.process_confinement import Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.embedding.static_token_table_choice import opened, table_folder
from octavo.engine.processes.file_preparer_pool import InlinePreparers, ProcessPreparers
from octavo.engine.wiring.collection_sources import file_rules, reads_archives
from octavo.engine.wiring.configured_index_recipe import chunk_sizes, parser_choice
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.collection_indexing import Preparers
from octavo.ingest.file_preparation import Preparer
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.file_formats import ending, left_out_reason
from octavo.model.index_recipe import ChunkSizes
from octavo.model.projects_and_collections import CollectionSettings
from octavo.parsing.registry import ParserChoice, extensions, not_indexed_reason
from octavo.ports import Converter, Embedder, TokenCounter
from octavo.sources.ignore_rules import IgnoreRules, member_reason
from octavo.sources.secret_redaction import redacted_values

_PARALLEL_FROM = 8_000_000  # bytes: below this, starting processes costs more than it saves


@dataclass(frozen=True, slots=True)
class Preparing:
    """What a configuration prepares files with. The embedder's profile says how long chunks may be."""

    config: Config
    analyzer: Analyzer
    configured: ConfiguredEmbedder

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
