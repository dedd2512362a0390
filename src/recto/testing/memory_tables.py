"""What an in-memory library holds: plain dictionaries of frozen values, copied whole when a transaction begins."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from recto.errors import NotFound
from recto.model.chunk import Chunk
from recto.model.collection import Collection, Project
from recto.model.document import Document, Section
from recto.model.graph import GraphRun, Linked, ThematicLink
from recto.model.history import HistoryEntry
from recto.model.ids import ChunkKey, CollectionId, DocumentId, ProjectId
from recto.model.job import Job, JobId
from recto.model.ledger import LedgerEntry
from recto.model.memory import (
    MemoryCommit,
    MemoryFile,
    MemoryId,
    MemoryItem,
    MemorySession,
    MemoryVersion,
    SessionId,
)
from recto.model.profile import NamedProfile
from recto.model.recipe import EmbeddingProfile, Recipe
from recto.model.stored import DocumentVersion
from recto.model.text import Span

AnalysedFields = tuple[tuple[str, ...], ...]
"""The tokens of one chunk, field by field in the order of `LEXICAL_FIELDS`."""


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """A current document. `lineage` names the versions it continues, through moves and returns."""

    collection: CollectionId
    document: Document
    version: int
    lineage: int
    chunks: tuple[ChunkKey, ...]


@dataclass(frozen=True, slots=True)
class HeldChunk:
    project: ProjectId
    document: DocumentId
    section: Section
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class HeldWindow:
    window: int
    input: int
    span: Span
    context: str


@dataclass(frozen=True, slots=True)
class HeldVector:
    project: ProjectId
    profile: EmbeddingProfile
    input: int
    data: bytes


@dataclass(slots=True)
class Tables:
    """One state of the library. Every value in the dictionaries is frozen, so a shallow copy is a whole one."""

    generation: int = 0
    last_chunk: int = 0
    last_lineage: int = 0
    last_input: int = 0
    last_vector: int = 0
    last_job: int = 0
    projects: dict[ProjectId, Project] = field(default_factory=dict)
    collections: dict[tuple[ProjectId, CollectionId], Collection] = field(default_factory=dict)
    recipes: dict[ProjectId, Recipe] = field(default_factory=dict)
    texts: dict[tuple[ProjectId, str], str] = field(default_factory=dict)
    documents: dict[tuple[ProjectId, DocumentId], HeldDocument] = field(default_factory=dict)
    lineages: dict[tuple[ProjectId, DocumentId], int] = field(default_factory=dict)
    versions: dict[int, tuple[DocumentVersion, ...]] = field(default_factory=dict)
    chunks: dict[ChunkKey, HeldChunk] = field(default_factory=dict)
    lexical: dict[ChunkKey, AnalysedFields] = field(default_factory=dict)
    inputs: dict[tuple[ProjectId, str], int] = field(default_factory=dict)
    windows: dict[ChunkKey, tuple[HeldWindow, ...]] = field(default_factory=dict)
    postponed: dict[ChunkKey, None] = field(default_factory=dict)
    vectors: dict[int, HeldVector] = field(default_factory=dict)
    ledger: dict[tuple[ProjectId, CollectionId, str], LedgerEntry] = field(default_factory=dict)
    memory_items: dict[tuple[ProjectId, MemoryId], MemoryItem] = field(default_factory=dict)
    memory_versions: dict[tuple[ProjectId, MemoryId], tuple[MemoryVersion, ...]] = field(default_factory=dict)
    memory_commits: dict[ProjectId, tuple[MemoryCommit, ...]] = field(default_factory=dict)
    memory_sessions: dict[tuple[ProjectId, SessionId], MemorySession] = field(default_factory=dict)
    memory_files: dict[tuple[ProjectId, str, str], MemoryFile] = field(default_factory=dict)
    places: dict[tuple[ProjectId, str, str], float] = field(default_factory=dict)
    named_profiles: dict[tuple[ProjectId, str], NamedProfile] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    commits: dict[tuple[ProjectId, CollectionId, str, str], HistoryEntry] = field(default_factory=dict)
    graph: dict[int, Linked] = field(default_factory=dict)
    thematic_links: dict[ProjectId, tuple[ThematicLink, ...]] = field(default_factory=dict)
    communities: dict[ProjectId, tuple[tuple[DocumentId, int], ...]] = field(default_factory=dict)
    graph_runs: dict[tuple[ProjectId, str], GraphRun] = field(default_factory=dict)

    def copied(self) -> Tables:
        held: dict[str, Any] = {one.name: copy(getattr(self, one.name)) for one in fields(self)}
        return Tables(**held)


class Session:
    """Which state each thread sees: the committed one, the one it is reading, or the one it is writing."""

    def __init__(self) -> None:
        self._committed = Tables()
        self._lock = threading.Lock()
        self._local = threading.local()

    def read(self) -> Tables:
        seen: Tables | None = getattr(self._local, "seen", None)
        return self._committed if seen is None else seen

    def write(self) -> Tables:
        if not getattr(self._local, "writing", False):
            raise RuntimeError("a write needs a transaction around it")
        return self.read()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if getattr(self._local, "seen", None) is not None:
            raise RuntimeError("transactions do not nest")
        with self._lock:
            self._local.seen = self._committed.copied()
            self._local.writing = True
            try:
                yield
                self._local.seen.generation += 1
                self._committed = self._local.seen
            finally:
                self._local.seen = None
                self._local.writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        if getattr(self._local, "seen", None) is not None:
            yield
            return
        self._local.seen = self._committed
        try:
            yield
        finally:
            self._local.seen = None


def known_project(tables: Tables, project: ProjectId) -> ProjectId:
    if project not in tables.projects:
        raise NotFound(f"there is no project {project} in this library")
    return project


def known_collection(tables: Tables, project: ProjectId, collection: CollectionId) -> Collection:
    known_project(tables, project)
    try:
        return tables.collections[project, collection]
    except KeyError:
        raise NotFound(f"there is no collection {collection} in this project") from None
