"""A project of an open library, as the flows over it see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.projects_and_collections import Collection, Project
    from octavo.sql_repositories.store import Store


class StoredProject(Protocol):
    """What is stored, and the project of it that is meant."""

    @property
    def store(self) -> Store: ...
    @property
    def project(self) -> Project: ...


class ProjectLibrary(StoredProject, Protocol):
    """A project and its collections."""

    def collections(self) -> tuple[Collection, ...]: ...
    def collection(self, name: str) -> Collection: ...
