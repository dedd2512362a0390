"""An embedding profile: model, revision and dimensions. Vectors of two profiles are never compared."""

from __future__ import annotations

import json
from dataclasses import asdict

from octavo.fast_dataclass import dataclass

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
