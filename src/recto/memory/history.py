"""A memory through time: its versions, what changed between two of them, and how it stood at an instant."""

from __future__ import annotations

from dataclasses import dataclass

from recto.errors import NotFound
from recto.memory.desk import Desk
from recto.memory.draft import Draft, source_of
from recto.model.memory import MemoryCommit, MemoryId, MemoryItem, MemoryStatus, MemoryVersion


@dataclass(frozen=True, slots=True)
class VersionText:
    """A version with its text. `superseded_by` is the version that took its place."""

    version: MemoryVersion
    text: str
    superseded_by: int | None


@dataclass(frozen=True, slots=True)
class History:
    item: MemoryItem
    versions: tuple[MemoryVersion, ...]
    commits: tuple[MemoryCommit, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """How an item stood at an instant: which version it showed, whether it was pinned, whether it was put away."""

    item: MemoryItem
    shown: VersionText
    status: MemoryStatus
    pinned: bool


def history(desk: Desk, item: MemoryItem) -> History:
    with desk.store.reading():
        memories = desk.store.memories
        return History(item, memories.versions(desk.project, item.id), memories.commits(desk.project, item.id))


def version(desk: Desk, name: MemoryId, number: int) -> VersionText:
    with desk.store.reading():
        versions = {one.number: one for one in desk.store.memories.versions(desk.project, name)}
        found = versions.get(number)
        if found is None:
            known = f"its versions are 1 to {max(versions)}" if versions else None
            raise NotFound(f"{name} has no version {number}", hint=known)
        text = desk.store.documents.texts(desk.project, [found.text_hash])[found.text_hash]
    return VersionText(found, text, number + 1 if number + 1 in versions else None)


def given_title(desk: Desk, item: MemoryItem) -> str:
    """The item's title if somebody gave it one; empty where its first line or heading stands for it."""
    text = version(desk, item.id, item.version).text
    found = desk.prepare(source_of(desk, item.id, Draft(text), 0.0)).document.title
    return item.title if item.title != found else ""


def as_of(desk: Desk, item: MemoryItem, instant: float | None = None) -> Moment:
    """The item at an instant, as the commits up to it left it; without one, as it stands now."""
    if instant is None:
        return Moment(item, version(desk, item.id, item.version), item.status, item.pinned)
    with desk.store.reading():
        commits = [one for one in desk.store.memories.commits(desk.project, item.id) if one.at <= instant]
        if not commits:
            raise NotFound(f"{item.id} was not there yet", hint="its history says when it was first committed")
        last = commits[-1]
        return Moment(item, version(desk, item.id, last.version), last.status, last.pinned)
