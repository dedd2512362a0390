"""A recipe: everything that determines the content of an index. Indexes of equal recipes are comparable."""

from __future__ import annotations

import json
from dataclasses import asdict

from octavo.fast_dataclass import dataclass
from octavo.model.ids import RecipeId, recipe_id

_SHIPPED, _SHIPPED_BEFORE = "octavo/octavo-encoder-2", ("octavo/octavo-encoder-1",)


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """A named embedder. Vectors of different profiles are never compared."""

    name: str
    model: str
    revision: str
    dimensions: int
    window: int
    distance: str = "cosine"
    query_prefix: str = ""
    document_prefix: str = ""

    def canonical(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))


def is_succeeded(made: EmbeddingProfile, profile: EmbeddingProfile) -> bool:
    """Whether a library's vectors are of a model that shipped before the one in use, which ships now."""
    return made.model in _SHIPPED_BEFORE and profile.model == _SHIPPED


def made_by_another(made: EmbeddingProfile, profile: EmbeddingProfile) -> str:
    """That a library's vectors cannot be compared with those of the model in use."""

    def model(profile: EmbeddingProfile) -> str:
        return f"{profile.model} ({profile.revision})" if profile.revision else profile.model

    return f"the vectors were made by {model(made)}, and {model(profile)} is configured"


def embed_anew(made: EmbeddingProfile, profile: EmbeddingProfile) -> str:
    """The command that replaces the vectors of one model by those of another."""
    return "octavo index" if is_succeeded(made, profile) else f"octavo models activate {profile.name}"


@dataclass(frozen=True, slots=True)
class ChunkSizes:
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


@dataclass(frozen=True, slots=True)
class Recipe:
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
