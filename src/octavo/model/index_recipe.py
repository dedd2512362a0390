"""A recipe: everything that determines the content of an index. Indexes of equal recipes are comparable."""

from __future__ import annotations

import json
from dataclasses import asdict

from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import RecipeId, recipe_id


class ChunkSizes(Value):
    """In tokens of the embedder's own tokenizer. Only an atomic block may exceed `hard_max`."""

    target_min: int
    target_max: int
    hard_max: int
    min_preferred: int
    overlap: int
    max_heading_depth: int | None = None
    intelligent_heading_depth: bool = False

    def __post_init__(self) -> None:
        ordered = 0 <= self.min_preferred <= self.target_min <= self.target_max <= self.hard_max
        if not ordered or self.hard_max < 1 or not 0 <= self.overlap < max(1, self.target_max):
            raise ValueError(f"chunk sizes must rise from minimum to hard maximum: {self}")
        if self.max_heading_depth is not None and not 0 <= self.max_heading_depth <= 6:
            raise ValueError(f"heading depth must be between 0 and 6: {self.max_heading_depth}")


class Recipe(Value):
    """Parser, chunker and analyzer versions with the chunk sizes and the embedding profile."""

    parser: str
    chunker: str
    analyzer: str
    sizes: ChunkSizes
    embedding: EmbeddingProfile

    def canonical(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @property
    def id(self) -> RecipeId:
        return recipe_id(self.canonical())

    @property
    def redaction(self) -> str:
        """The rules by which keys and tokens are redacted; empty in what was made before there were any."""
        return next((part for part in self.parser.split("+") if part.startswith("redaction-")), "")

    def differences(self, other: Recipe) -> tuple[str, ...]:
        """The names of the fields in which two recipes differ, in the order they act."""
        mine, theirs = asdict(self), asdict(other)
        return tuple(name for name in mine if mine[name] != theirs[name])


SPECIAL_TOKENS = 2  # one before and one after the text, in every known model
_LARGEST = 1200  # a larger chunk mixes topics, even if the embedder could read it
_FILLED = 0.85  # of what the window leaves: chunks that fill it are found less well, by every encoder that was tried


def context_reserve(window: int) -> int:
    """Tokens of the window reserved for the title and heading path in front of a chunk."""
    return min(32, window // 8)


def default_sizes(window: int) -> ChunkSizes:
    """Sizes under which every chunk except a long atomic block fits the window with its context.

    The hard maximum is most of what the window leaves, at most 1200; the others keep the proportions of
    600/1000/1200/200/100, which is what a window of 1446 tokens or more gets.
    """
    hard = max(1, min(_LARGEST, int(_FILLED * (window - SPECIAL_TOKENS - context_reserve(window)))))
    return ChunkSizes(
        target_min=hard * 6 // 12,
        target_max=max(1, hard * 10 // 12),
        hard_max=hard,
        min_preferred=hard * 2 // 12,
        overlap=hard // 12,
    )
