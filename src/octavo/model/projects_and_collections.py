"""Projects and collections: who owns content, and which folder it comes from."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from pathlib import Path

from octavo.fast_dataclass import Value
from octavo.model.document import Kind
from octavo.model.ids import CollectionId, ProjectId

DEFAULT_WORKSPACE = "default"

MEMORIES = "memories"
"""The collection of every project in which the current text of its memories is stored as documents."""


class PlaceKind(StrEnum):
    """What identifies a project besides its name, and what it has of its own outside of the library."""

    FOLDER = "folder"
    REPOSITORY = "repository"
    RERANKER = "reranker"
    """The model that reads its best passages again, by its name among those made on this machine."""


class Project(Value):
    """The tenancy boundary: nothing crosses it unless asked."""

    id: ProjectId
    name: str

    @property
    def workspace(self) -> str:
        """The part of its name before the first slash: `acme/site` is the project `site` in workspace `acme`."""
        workspace, slash, _ = self.name.partition("/")
        return workspace if slash else DEFAULT_WORKSPACE


class CollectionSettings(Value):
    """Which files a collection indexes and how, and whether its notes may be written.

    Unset chunking fields fall back to the configuration's.
    """

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
    outside_git: bool | None = None
    """Whether a repository is read that a `.git` file places outside the root."""
    allow_secrets: bool = False
    """Whether keys and tokens that are written out in files and diffs are stored as they are."""
    writable: bool = False
    archives: bool | None = None
    """Whether the files in archives are read."""
    folder: str = field(default="", compare=False)
    """Where a project file is looked for that says how files are cut and which are skipped. Follows from the root
    whenever a collection is read."""


class Collection(Value):
    """A named root inside a project. An empty root means its documents come from no folder."""

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
        """The path of its folder; empty when it has none."""
        return str(self.root) if self.on_disk else ""


class FolderState(Value):
    """How a collection's folder is watched. `queued` paths wait to be looked at; `detail` says what is wrong, or
    why it is polled."""

    collection: str
    state: str
    queued: int
    detail: str | None = None
