"""Derives from a configuration the versions of parsers and chunkers, chunk sizes and analyzer that index."""

from __future__ import annotations

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.chunking.code_chunker import CodeChunker
from octavo.chunking.git_commit_chunker import CommitChunker
from octavo.chunking.section_chunker import SectionChunker
from octavo.config.schema import Chunking, Config
from octavo.engine.wiring.config_with_project_file import folder_config
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.errors import ConfigurationError
from octavo.fast_dataclass import replace
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.file_formats import CONVERTER_VERSION
from octavo.model.index_recipe import ChunkSizes, Recipe, default_sizes
from octavo.model.projects_and_collections import CollectionSettings
from octavo.parsing.registry import NAMES, PARSER_VERSION, ParserChoice
from octavo.sources.secret_redaction import VERSION as REDACTION_VERSION


def recipe(config: Config, settings: CollectionSettings, profile: EmbeddingProfile) -> Recipe:
    """The embedder's profile says how long chunks may be."""
    converting = config.converting
    ocr = f"+ocr {converting.ocr_languages} {converting.ocr_pages}" if converting.ocr else ""
    chosen = parser_choice(config, settings).version
    return Recipe(
        parser=f"{PARSER_VERSION}+{CONVERTER_VERSION}+{REDACTION_VERSION}{ocr}{chosen}",
        chunker=f"{SectionChunker.version}+{CodeChunker.version}+{CommitChunker.version}",
        analyzer=Analyzer.version,
        sizes=chunk_sizes(config, settings, profile.window),
        embedding=profile,
    )


def recipe_of(config: Config) -> Recipe:
    """The same without opening a library."""
    return recipe(config, CollectionSettings(), ConfiguredEmbedder(config.embedding).embedder.profile)


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
