"""The history of a memory: its versions, its commits, and its state at any instant."""

from __future__ import annotations

from octavo.errors import LibraryError, NotFound
from octavo.fast_dataclass import dataclass
from octavo.memory.draft import MemoryDraft, source_of
from octavo.memory.project_memories import ProjectMemories
from octavo.model.memory import MemoryCommit, MemoryId, MemoryItem, MemoryStatus, MemoryVersion


@dataclass(frozen=True, slots=True)
class VersionText:
    """A version with its text. `superseded_by` is the version that replaced it."""

    version: MemoryVersion
    text: str
    superseded_by: int | None


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    item: MemoryItem
    versions: tuple[MemoryVersion, ...]
    commits: tuple[MemoryCommit, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """An item's state at an instant: its version, whether it was pinned, whether it was archived."""

    item: MemoryItem
    shown: VersionText
    status: MemoryStatus
    pinned: bool


def history(memories: ProjectMemories, item: MemoryItem) -> MemoryHistory:
    with memories.store.reading():
        repository, project = memories.repository, memories.project
        return MemoryHistory(item, repository.versions(project, item.id), repository.commits(project, item.id))


def version(memories: ProjectMemories, name: MemoryId, number: int) -> VersionText:
    with memories.store.reading():
        versions = {entry.number: entry for entry in memories.repository.versions(memories.project, name)}
        stored = versions.get(number)
        if stored is None:
            known = f"its versions are 1 to {max(versions)}" if versions else None
            raise NotFound(f"{name} has no version {number}", hint=known)
        text = memories.store.documents.texts(memories.project, [stored.text_hash]).get(stored.text_hash)
    if text is None:
        raise LibraryError(f"the text of version {number} of {name} is missing", hint="restore a saved copy to read it")
    return VersionText(stored, text, number + 1 if number + 1 in versions else None)


def given_title(memories: ProjectMemories, item: MemoryItem) -> str:
    """The title somebody gave the item; empty when it was derived from the first line or heading."""
    text = version(memories, item.id, item.version).text
    derived = memories.prepare(source_of(memories, item.id, MemoryDraft(text), 0.0)).document.title
    return item.title if item.title != derived else ""


def as_of(memories: ProjectMemories, item: MemoryItem, instant: float | None = None) -> Moment:
    """The item's state after the commits up to an instant; without one, its state now."""
    if instant is None:
        return Moment(item, version(memories, item.id, item.version), item.status, item.pinned)
    with memories.store.reading():
        commits = [entry for entry in memories.repository.commits(memories.project, item.id) if entry.at <= instant]
        if not commits:
            raise NotFound(f"{item.id} did not exist yet", hint="its history says when it was first committed")
        last = commits[-1]
        return Moment(item, version(memories, item.id, last.version), last.status, last.pinned)
