"""Embedding profiles: model and dimensions, the embedder's settings, the tuning of a vector index, the active one.

Vectors of two profiles are never compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from enum import StrEnum
from typing import Any

from octavo.fast_dataclass import Value
from octavo.model.ids import ProjectId
from octavo.plugins import PROVIDERS, names

_SHIPPED, _SHIPPED_BEFORE = "octavo/octavo-encoder-2", ("octavo/octavo-encoder-1",)


class EmbeddingProfile(Value):
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


_PROVIDERS = ("bundled", "onnx", "hashing", "ollama", "openai", "voyage", "jina")
LOCAL_PROVIDERS = ("bundled", "onnx", "hashing")
"""Those that compute them in this process, and so always answer."""


def providers() -> tuple[str, ...]:
    """Where vectors can come from."""
    return (*_PROVIDERS, *(name for name in names(PROVIDERS) if name not in _PROVIDERS))


class EmbeddingProfileState(StrEnum):
    """`filling` gets its vectors in the background while another profile answers; then it takes over."""

    IDLE = "idle"
    FILLING = "filling"
    ACTIVE = "active"


KEY_VARIABLES: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "voyage": "VOYAGE_API_KEY", "jina": "JINA_API_KEY"}
"""Service elsewhere → the environment variable that usually has its key."""
USUAL_ADDRESSES: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "voyage": "https://api.voyageai.com/v1",
    "jina": "https://api.jina.ai/v1",
}
"""Where those services are, unless a profile says otherwise."""


class EmbeddingProfileSettings(Value):
    """Everything that determines an embedder's vectors, and how its provider is reached.

    An API key is never stored: `key_variable` names the environment variable, `key_file` the file that contains it.
    `options` belong to the provider: `late_chunking` of Jina, `contextual` of Voyage.
    """

    provider: str
    model: str = ""
    dimensions: int | None = None
    distance: str = "cosine"
    window: int | None = None
    url: str = ""
    key_variable: str = ""
    key_file: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    batch: int | None = None
    concurrency: int | None = None
    timeout_seconds: float | None = None
    retries: int | None = None
    requests_per_minute: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


class NamedEmbeddingProfile(Value):
    """An embedding profile of one project. At most one is active; without one, the configuration's embedder answers."""

    project_id: ProjectId
    name: str
    settings: EmbeddingProfileSettings
    state: EmbeddingProfileState = EmbeddingProfileState.IDLE
    updated_at: float = 0.0


INDEX_OPTIONS = ("hnsw", "query")
"""Options of any embedding profile. No vector depends on them."""

MOST_EF_SEARCH = 1_000
"""The largest `hnsw.ef_search` that pgvector accepts."""


class Tuning(Value):
    """A named profile sets `m` and `ef_construction` in its option `hnsw`, the others in `query`."""

    m: int = 16
    ef_construction: int = 64
    ef_search_min: int = 100
    ef_search_factor: float = 2.0
    ef_search_max: int = 400

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Tuning:
        """With defaults for what the options leave out: an index with more links is built with more care."""
        settings = {name: value for part in INDEX_OPTIONS for name, value in (options.get(part) or {}).items()}
        care = max(cls().ef_construction, 2 * int(settings.get("m", 0)))
        return cls(
            **{"ef_construction": care} | {name: settings[name] for name in cls.__match_args__ if name in settings}
        )

    def problem(self) -> str:
        """Why no index can be built or queried so; empty where one can."""
        if self.ef_construction < 2 * self.m:
            return f"hnsw.ef_construction is {self.ef_construction}, and must be at least twice hnsw.m ({self.m})"
        if self.ef_search_min > self.ef_search_max:
            return f"query.ef_search_min ({self.ef_search_min}) is above query.ef_search_max ({self.ef_search_max})"
        return ""

    def ef_search(self, wanted: int) -> int:
        least = max(self.ef_search_min, round(wanted * self.ef_search_factor))
        return max(1, min(least, self.ef_search_max, MOST_EF_SEARCH))
