"""Memories of another program become memories: every version with its own time, links, pins and what was archived."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from octavo.engine.engine import Engine
from octavo.engine.indexing.folder_and_change_indexing import fill_in_vectors
from octavo.engine.indexing.index_upkeep_after_run import publish
from octavo.errors import Conflict, InvalidArgument, LibraryError
from octavo.fast_dataclass import Value, replace
from octavo.memory.draft import MemoryDraft, Provenance, checked
from octavo.memory.memory_changes import archive, create, link, revise
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.remember import refuse_secrets
from octavo.memory.version_history import version
from octavo.model.memory import MemoryId, MemoryKind, MemoryLink
from octavo.model.normalised_text_and_spans import normalise
from octavo.observability.progress import Progress
from octavo.operations.database.results import Imported, ImportedCollection
from octavo.operations.projects.projects_and_sessions import projects_resolve
from octavo.operations.projects.requests import ProjectsResolveRequest


class ImportedVersion(Value):
    text: str
    at: float
    author: str = ""
    reason: str = ""


class ImportedMemory(Value):
    """A memory under the id that its program gave it. `draft` is what all its versions share, without a text."""

    id: str
    draft: MemoryDraft
    versions: Sequence[ImportedVersion]
    archived: bool = False
    links: Sequence[MemoryLink] = ()
    """Their targets are ids of the program."""


class SourceProject(Value):
    """`name` is empty where the program knows no projects: its memories go into the one that is open."""

    id: str = ""
    name: str = ""
    workspace: str | None = None
    repo_url: str | None = None


class MemorySource(Protocol):
    """A program's memories. A reader of its own says which projects there are, and what is in each."""

    program: str

    def projects(self) -> Sequence[SourceProject]: ...

    def memories(self, project: SourceProject) -> Iterator[ImportedMemory]:
        """Every memory, as often as asked."""

    def preview(self) -> Imported:
        """What an import into an empty library would take; nothing is written."""
        done = []
        for project in self.projects():
            counted = ImportedCollection(project.name or self.program)
            for memory in self.memories(project):
                counted.records += 1
                if reason := _refused(memory):
                    counted.left_out.append(f"{memory.id}: {reason}")
                else:
                    counted.added += 1
            done.append(counted)
        return Imported(tuple(done), 0)

    def import_into(self, engine: Engine, progress: Progress) -> Imported:
        """Every change has an idempotency key made of the program's ids: given again, what is there is passed over."""
        done, embedded = [], 0
        for project in self.projects():
            target = _engine_of(engine, project)
            progress.start(f"copying {project.name or self.program}", None, "memories")
            try:
                done.append(_ProjectImport(self, project, target.memories).run(progress))
            finally:
                progress.finish()
            filled = fill_in_vectors(target.library, progress, wait=False)
            embedded += filled.full + filled.fast
            publish(target.library, progress)
        return Imported(tuple(done), embedded)


def kind_of(name: str, known: Mapping[str, MemoryKind]) -> MemoryKind:
    """A kind of the program as one of these; what nobody knows is a note."""
    return known.get(name) or (MemoryKind(name) if name in set(MemoryKind) else MemoryKind.NOTE)


def _engine_of(engine: Engine, project: SourceProject) -> Engine:
    if not project.name:
        return engine
    request = ProjectsResolveRequest(
        name=project.name, workspace=project.workspace, repo_url=project.repo_url, create_if_missing=True
    )
    return engine.within(projects_resolve(engine, request).project)


class _ProjectImport:
    """The memories of one project: written, then linked and archived, then read again and compared."""

    def __init__(self, source: MemorySource, project: SourceProject, memories: ProjectMemories) -> None:
        self._source = source
        self._project = project
        self._memories = memories
        self._items: dict[str, MemoryId] = {}

    def run(self, progress: Progress) -> ImportedCollection:
        done = ImportedCollection(self._project.name or self._source.program)
        for memory in self._source.memories(self._project):
            done.records += 1
            self._write(memory, done)
            progress.advance(1, memory.draft.title)
        for memory in self._source.memories(self._project):
            if memory.id in self._items:
                self._link_and_archive(memory)
        done.sha256 = self._compared()
        return done

    def _write(self, memory: ImportedMemory, done: ImportedCollection) -> None:
        if reason := _refused(memory):
            done.left_out.append(f"{memory.id}: {reason}")
            return
        fresh = False
        for number, entry in enumerate(memory.versions, 1):
            draft, key = replace(memory.draft, text=entry.text), self._key(memory.id, number)
            by = Provenance(entry.author or self._source.program, entry.reason, key=key)
            # Each version gets the time it was written at. The key is all of the payload: what its program changed
            # since without a new version is not a conflict.
            then = replace(self._memories, clock=lambda at=entry.at: at)
            item = self._items.get(memory.id)
            try:
                made = revise(then, item, draft, by, payload=key) if item else create(then, draft, by, payload=key)
            except Conflict as error:  # the library has another document of this canonical key
                done.left_out.append(f"{memory.id}: {error.message}")
                return
            self._items[memory.id], fresh = made.item.id, fresh or not made.replayed
        done.added += fresh
        done.unchanged += not fresh

    def _link_and_archive(self, memory: ImportedMemory) -> None:
        name, program = self._items[memory.id], self._source.program
        for known in memory.links:
            if known.target in self._items:
                target = MemoryLink(self._items[known.target], known.type)
                key = self._key(memory.id, f"{known.type}:{known.target}")
                link(self._memories, name, target, Provenance(program, key=key))
        if memory.archived:
            archive(self._memories, name, Provenance(program, "archived there", key=self._key(memory.id, "archived")))

    def _compared(self) -> str:
        """Reads both again: the checksum of the texts that both sides have."""
        digest = hashlib.sha256()
        for memory in self._source.memories(self._project):
            for number, entry in enumerate(memory.versions if memory.id in self._items else (), 1):
                commit = self._memories.repository.commit_under(self._memories.project, self._key(memory.id, number))
                text = version(self._memories, commit.item_id, commit.version).text if commit else ""
                if text != normalise(entry.text):
                    raise LibraryError(
                        f"version {number} of {memory.id} is not what was copied", hint="give the same command again"
                    )
                digest.update(json.dumps([memory.id, number, text]).encode())
        return digest.hexdigest()

    def _key(self, name: str, part: int | str) -> str:
        return f"{self._source.program}:{name}:{part}"


def _refused(memory: ImportedMemory) -> str:
    """Why a memory cannot be kept; empty where it can."""
    try:
        for entry in memory.versions:
            refuse_secrets(checked(replace(memory.draft, text=entry.text)))
    except InvalidArgument as error:
        return error.message
    return "" if memory.versions else "it has no text"
