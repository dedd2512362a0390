"""What a library holds for agents: memories, their versions, links, sessions and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Named and not used: a search that no memory is asked for does not load what they are made of.
    from octavo.model.ids import ProjectId
    from octavo.model.memory import (
        MemoryCommit,
        MemoryFile,
        MemoryFilter,
        MemoryId,
        MemoryItem,
        MemoryLink,
        MemorySession,
        MemoryVersion,
        SessionId,
    )


class Memories(Protocol):
    """Items, their versions, the log of changes and the sessions they were made in. The texts are documents' texts."""

    def put(self, item: MemoryItem, commit: MemoryCommit, version: MemoryVersion | None = None) -> None:
        """Writes the item as it stands now, what changed it, and its new version where there is one.

        Versions and commits are only ever added: a version number or an idempotency key used twice is a `Conflict`.
        """

    def record(self, project: ProjectId, commit: MemoryCommit) -> None:
        """Adds to the log alone: the item stays as it is."""

    def get(self, project: ProjectId, item: MemoryId) -> MemoryItem | None: ...

    def under(self, project: ProjectId, canonical_key: str) -> MemoryItem | None:
        """The item with this canonical key, whatever its status."""

    def last_position(self, project: ProjectId, sequence: str) -> int:
        """The last place taken in a sequence; 0 when there is none."""

    def validity(self, project: ProjectId, items: Sequence[MemoryId]) -> Mapping[MemoryId, tuple[float, float | None]]:
        """When what the items tell now begins and stops being true."""

    def moments(self, project: ProjectId, instant: float) -> Mapping[MemoryId, MemoryCommit]:
        """The last change of each item up to an instant: how everything stood then."""

    def linking(
        self, project: ProjectId, targets: Sequence[str], types: Sequence[str] = ()
    ) -> tuple[tuple[MemoryLink, MemoryId], ...]:
        """Links of active items to these targets, with the items they start from, by target, oldest item first."""

    def find(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Oldest first."""

    def named(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryId, ...]:
        """The same, by their ids alone."""

    def same_text(self, project: ProjectId, scope: str, fingerprint: str) -> tuple[MemoryItem, ...]:
        """Active items of a scope whose text has this fingerprint, oldest first."""

    def versions(self, project: ProjectId, item: MemoryId) -> tuple[MemoryVersion, ...]: ...

    def commits(self, project: ProjectId, item: MemoryId) -> tuple[MemoryCommit, ...]:
        """In the order they were made."""

    def commit_under(self, project: ProjectId, key: str) -> MemoryCommit | None:
        """What an idempotency key was used for."""

    def put_session(self, session: MemorySession) -> None: ...

    def session(self, project: ProjectId, session: SessionId) -> MemorySession | None: ...

    def sessions(self, project: ProjectId) -> tuple[MemorySession, ...]:
        """Oldest first."""

    def put_file(self, project: ProjectId, folder: str, file: MemoryFile) -> None: ...

    def remove_file(self, project: ProjectId, folder: str, path: str) -> None: ...

    def files(self, project: ProjectId, folder: str) -> tuple[MemoryFile, ...]:
        """Which files of a folder stand for which memories, by path."""

    def folders(self, project: ProjectId) -> tuple[str, ...]:
        """The folders of which files are known, in order."""
