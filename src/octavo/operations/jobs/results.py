"""What is answered about queued jobs."""

from __future__ import annotations

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class QueuedJob:
    job: int
    kind: str
    state: str
    attempts: int
    created_at: str
    run_after: str
    error: str
    worker: str | None = None
    lease_expires_at: str | None = None
    finished_at: str | None = None


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    jobs: tuple[QueuedJob, ...]


@dataclass(frozen=True, slots=True)
class JobsCountAnswer:
    """How many jobs were due again, or deleted."""

    jobs: int
