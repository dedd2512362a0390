"""The lengths of chunks: a collection's own settings first, then the configuration's, then what suits the embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.dataclass import replace
from octavo.errors import ConfigurationError

if TYPE_CHECKING:
    from octavo.config.schema import Chunking
    from octavo.model.collection import CollectionSettings
    from octavo.model.recipe import ChunkSizes


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
