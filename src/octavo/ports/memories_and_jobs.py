"""What a library holds for agents: memories, embedding profiles by name, queued jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    # Named and not used: a search that no memory is asked for does not load what they are made of.
    from octavo.model.embedding_profile import NamedEmbeddingProfile
    from octavo.model.ids import ProjectId
    from octavo.model.job import Job, JobId, JobKind, JobState
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


class EmbeddingProfiles(Protocol):
    """Embedding profiles by name. Activating one makes the previously active one idle."""

    def put(self, profile: NamedEmbeddingProfile) -> None: ...

    def retire(self, project: ProjectId) -> None:
        """No profile is active any more."""

    def named(self, project: ProjectId) -> tuple[NamedEmbeddingProfile, ...]: ...

    def remove(self, project: ProjectId, name: str) -> None: ...


class Outbox(Protocol):
    """Promised work. A claim is a lease: it ends by itself, and whoever held it can tell."""

    def enqueue(self, project: ProjectId, kind: JobKind, subject: str, payload: Mapping[str, Any]) -> JobId:
        """The new job, or the one that already waits to do the same, due now unless it failed before."""

    def due(self, project: ProjectId, kinds: Sequence[str] = ()) -> int:
        """How many jobs could be claimed now. A look, not a write: an idle worker leaves no trace."""

    def claim(
        self,
        project: ProjectId,
        worker: str,
        *,
        lease_seconds: float,
        limit: int,
        max_attempts: int,
        kinds: Sequence[str] = (),
    ) -> tuple[Job, ...]:
        """Takes due jobs and jobs whose lease ran out, of these kinds or of any, oldest first. What ran out too often
        is dead instead."""

    def renew(self, job: Job, lease_seconds: float) -> bool:
        """Whether the lease was still held; if so it now lasts longer."""

    def finish(self, job: Job) -> bool:
        """Whether the lease was still held; if so the job is done."""

    def fail(self, job: Job, error: str, retry_after: float | None) -> bool:
        """Whether the lease was still held; if so the job waits until `retry_after`, or is dead when that is None."""

    def give_back(self, job: Job) -> bool:
        """Whether the lease was still held; if so the job is due again, and this claim was no attempt."""

    def jobs(self, project: ProjectId, states: Sequence[JobState] = ()) -> tuple[Job, ...]: ...

    def retry(self, project: ProjectId, jobs: Sequence[JobId]) -> int:
        """Makes dead or waiting jobs due now, with their attempts forgotten; how many there were."""

    def purge(self, project: ProjectId, states: Sequence[JobState], before: float) -> int:
        """Deletes jobs that ended in one of these states before an instant; how many there were."""
