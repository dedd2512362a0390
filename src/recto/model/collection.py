"""Projects and collections: whose content, and which folder it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recto.model.document import Kind
from recto.model.ids import CollectionId, ProjectId

DEFAULT_WORKSPACE = "default"

MEMORIES = "memories"
"""The collection of every project that holds the current text of its memories as documents."""


class PlaceKind(StrEnum):
    """What a project can be known by, besides its name."""

    FOLDER = "folder"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True)
class Project:
    """The tenancy boundary: nothing crosses it unless asked."""

    id: ProjectId
    name: str

    @property
    def workspace(self) -> str:
        """What stands before the first slash of its name: `acme/site` is the project `site` of `acme`."""
        workspace, slash, _ = self.name.partition("/")
        return workspace if slash else DEFAULT_WORKSPACE


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What a collection takes in. Unset chunking fields fall back to the configuration's."""

    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kind: Kind | None = None
    max_file_bytes: int | None = None
    history: bool | None = None
    max_commits: int | None = None
    max_heading_depth: int | None = None
    intelligent_heading_depth: bool | None = None
    overlap_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """A named root inside a project. An empty root means that its documents are in no folder."""

    id: CollectionId
    project_id: ProjectId
    name: str
    root: Path
    settings: CollectionSettings = CollectionSettings()

    @property
    def on_disk(self) -> bool:
        return self.root != Path()

    @property
    def place(self) -> str:
        """Where its folder is; empty when it has none."""
        return str(self.root) if self.on_disk else ""
