"""The queue of promised work: jobs, claimed by leases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId
    from octavo.model.job import Job, JobId, JobKind, JobState


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
