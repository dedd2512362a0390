"""Embedding profiles of a project, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.embedding_profile_settings import NamedEmbeddingProfile
    from octavo.model.ids import ProjectId


class EmbeddingProfiles(Protocol):
    """Embedding profiles by name. Activating one makes the previously active one idle."""

    def put(self, profile: NamedEmbeddingProfile) -> None: ...

    def retire(self, project: ProjectId) -> None:
        """No profile is active any more."""

    def named(self, project: ProjectId) -> tuple[NamedEmbeddingProfile, ...]: ...

    def remove(self, project: ProjectId, name: str) -> None: ...
