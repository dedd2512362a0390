"""Embedding profiles by name: how an embedder is configured, and which of a project's profiles is active."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ProjectId
from octavo.plugins import PROVIDERS, names

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


@dataclass(frozen=True, slots=True)
class EmbeddingProfileSettings:
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


@dataclass(frozen=True, slots=True)
class NamedEmbeddingProfile:
    """An embedding profile of one project. At most one is active; without one, the configuration's embedder answers."""

    project_id: ProjectId
    name: str
    settings: EmbeddingProfileSettings
    state: EmbeddingProfileState = EmbeddingProfileState.IDLE
    updated_at: float = 0.0
