"""Memories: items that change, versions that never do, and the log of every change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NewType

from octavo.fast_dataclass import Value
from octavo.model.ids import ProjectId, short_id

MemoryId = NewType("MemoryId", str)
SessionId = NewType("SessionId", str)

DEFAULT_SCOPE = "project"

SUPERSEDES = "supersedes"
"""The type of a link from a memory to the one it replaces."""

CONTEXTUAL_CLASSES = ("app_spec", "feature_spec", "implementation_plan")
"""Classes of canonical documents whose chunks are embedded together, where the embedder supports it."""


# Anchors, control characters, line ends and marks of the direction of text.
_NOT_IN_KEYS = r"#\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
CANONICAL_KEY = rf"^[^{_NOT_IN_KEYS}]*[^{_NOT_IN_KEYS}/\s][^{_NOT_IN_KEYS}]*$"
"""What a canonical document's key looks like: one line of text, such as spec/app."""


class MemoryKind(StrEnum):
    NOTE = "note"
    PLAN = "plan"
    JOURNAL = "journal"
    FACT = "fact"
    OBSERVATION = "observation"
    REFLECTION = "reflection"
    DECISION = "decision"
    TASK = "task"
    BUG = "bug"
    CONSTRAINT = "constraint"
    RULE = "rule"
    PREFERENCE = "preference"
    EXPERIMENT = "experiment"
    SUMMARY = "summary"


class MemoryStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class MemoryAction(StrEnum):
    """What a commit did. `unchanged` is recorded so that a repeated idempotency key gets the same answer."""

    CREATED = "created"
    REVISED = "revised"
    RESTORED = "restored"
    ARCHIVED = "archived"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    LINKED = "linked"
    UNLINKED = "unlinked"
    UNCHANGED = "unchanged"


class MemoryLink(Value):
    """From a memory to another memory, a document or anything with a name."""

    target: str
    type: str = "mentions"


class MemoryItem(Value):
    """One memory in its current state. `fingerprint` is a hash of its text without case, spaces and punctuation."""

    id: MemoryId
    project_id: ProjectId
    kind: MemoryKind
    scope: str
    title: str
    tags: tuple[str, ...]
    links: tuple[MemoryLink, ...]
    pinned: bool
    status: MemoryStatus
    version: int
    fingerprint: str
    created_at: float
    updated_at: float
    metadata: Mapping[str, Any] = field(default_factory=dict)
    canonical_key: str | None = None
    doc_class: str = ""
    sequence: str = ""
    """The session or conversation it belongs to; empty when it stands alone."""
    position: int = 0
    """Its place in the sequence, from 1."""


class MemoryVersion(Value):
    """One text a memory has had, numbered from 1. `valid_from` and `valid_to` bound when its statement is true.

    `created_at` is when it was recorded, which may differ: a decision may be recorded a week late.
    """

    item_id: MemoryId
    number: int
    title: str
    text_hash: str
    tags: tuple[str, ...]
    author: str
    reason: str
    session_id: SessionId | None
    created_at: float
    valid_from: float
    valid_to: float | None
    supersedes: int | None

    def holds_at(self, instant: float) -> bool:
        return self.valid_from <= instant and (self.valid_to is None or instant < self.valid_to)


class MemoryCommit(Value):
    """One change and the state of the item after it: the state at any instant is the last commit up to it.

    `payload` is a hash of the request; the same idempotency key with another payload is a conflict.
    """

    item_id: MemoryId
    action: MemoryAction
    version: int
    status: MemoryStatus
    pinned: bool
    author: str
    reason: str
    session_id: SessionId | None
    key: str | None
    payload: str
    at: float


class MemorySession(Value):
    """A period of work that commits can refer to. It ends once, with a summary."""

    id: SessionId
    project_id: ProjectId
    title: str
    author: str
    started_at: float
    ended_at: float | None = None
    summary: str = ""


class MemoryFile(Value):
    """A file that mirrors a memory: the version it was last in sync with, and a digest of it at that time."""

    path: str
    item_id: MemoryId
    version: int
    digest: str


class MemoryFilter(Value):
    """All conditions must hold. Empty means no restriction; `status` None means any."""

    kinds: tuple[MemoryKind, ...] = ()
    scopes: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    pinned_only: bool = False
    status: MemoryStatus | None = MemoryStatus.ACTIVE
    created_after: float | None = None
    created_before: float | None = None
    items: tuple[MemoryId, ...] = ()
    not_items: tuple[MemoryId, ...] = ()
    canonical_only: bool = False
    doc_classes: tuple[str, ...] = ()
    sequences: tuple[str, ...] = ()

    def admits_tags(self, tags: tuple[str, ...]) -> bool:
        """`a` matches an item tagged `a` or anything below it, such as `a/b`; case does not matter."""
        lowered = {tag.lower() for tag in tags}
        has_all = all(_has_tag(lowered, each.lower()) for each in self.tags_all)
        return has_all and (not self.tags_any or any(_has_tag(lowered, each.lower()) for each in self.tags_any))


def _has_tag(tags: set[str], pattern: str) -> bool:
    return any(tag == pattern or tag.startswith(pattern + "/") for tag in tags)


def memory_id(project: ProjectId, scope: str, text_hash: str, at: float, occurrence: int) -> MemoryId:
    """`occurrence` counts, from 0, items of the same scope and text created at the same instant."""
    return MemoryId(short_id("mem_", project, scope, text_hash, repr(at), str(occurrence)))


def session_id(project: ProjectId, author: str, title: str, at: float, occurrence: int) -> SessionId:
    return SessionId(short_id("ses_", project, author, title, repr(at), str(occurrence)))


def memory_uri(item: MemoryId) -> str:
    """The uri of a memory's text in its collection: Markdown, so that it is parsed as such."""
    return f"{item}.md"


def memory_of(uri: str) -> MemoryId:
    """The memory whose text is stored at this uri."""
    return MemoryId(uri.removesuffix(".md"))
