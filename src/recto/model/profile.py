"""Embedding profiles by name: how an embedder is made, and which of a project's profiles answers now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from recto.model.ids import ProjectId


class ProfileState(StrEnum):
    """`filling` gets its vectors in the background while another profile answers; then it takes over."""

    IDLE = "idle"
    FILLING = "filling"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """Everything that decides an embedder's vectors, and how its provider is reached.

    A key is never held here: `key_variable` names an environment variable and `key_file` a file that hold it.
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
class NamedProfile:
    """A profile of one project. Exactly one is active, or none: then the configuration's embedder answers."""

    project_id: ProjectId
    name: str
    settings: ProfileSettings
    state: ProfileState = ProfileState.IDLE
    updated_at: float = 0.0
