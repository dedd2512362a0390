"""The job queue: jobs claimed under a lease, finished or retried, dead after too many attempts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.fast_dataclass import replace
from octavo.model.ids import ProjectId
from octavo.model.job import Job, JobId, JobKind, JobState
from octavo.sql_repositories.database_port import first, listed, value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_LONGEST_PAUSE = 3_600.0  # seconds after a failure that a duplicate of the job does not shorten


class OutboxRepository(ProjectRepository):
    """Promised work. A claim is a lease: it ends by itself, and whoever held it can tell. Every write runs in the
    caller's transaction under the write lock, so claims cannot race."""

    def enqueue(self, project: ProjectId, kind: JobKind, subject: str, payload: Mapping[str, Any]) -> JobId:
        """The new job, or the one that already waits to do the same, due now unless it failed before."""
        where = self._in(project, kind=kind.value, subject=subject)
        pending = first(self._database, "job_waiting", where)
        if pending:
            # It may wait for an instant of a clock that was ahead. What failed before keeps its pause, up to an hour.
            now = self._clock()
            self._database.run("job_sooner", {"key": pending[0], "now": now, "latest": now + _LONGEST_PAUSE})
            return JobId(pending[0])
        body = json.dumps(payload, ensure_ascii=False, sort_keys=True)
        self._database.run("job_put", where | {"payload": body, "now": self._clock()})
        return JobId(value(self._database, "job_last"))

    def due(self, project: ProjectId, kinds: Sequence[str] = ()) -> int:
        """How many jobs could be claimed now. A look, not a write: an idle worker leaves no trace."""
        return int(self._value("jobs_due", project, now=self._clock(), kinds=listed(kinds)))

    def holders(self, project: ProjectId) -> tuple[str, ...]:
        """The workers whose leases last, each once."""
        return tuple(row[0] for row in self._rows("jobs_holders", project, now=self._clock()))

    def expire(self, project: ProjectId, holders: Sequence[str]) -> None:
        """Ends the leases of workers that are known to be gone: they need not be waited for."""
        self._database.run("jobs_expire", self._in(project, holders=json.dumps(holders), now=self._clock()))

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
        now = self._clock()
        where = self._in(project, now=now)
        self._database.run("jobs_exhausted", where | {"max_attempts": max_attempts})
        where |= {"kinds": listed(kinds)}
        jobs = [_job(project, row) for row in self._database.rows("jobs_claimable", where | {"limit": limit})]
        expires = now + lease_seconds
        self._database.run_many("job_lease", [{"key": job.id, "worker": worker, "expires_at": expires} for job in jobs])
        return tuple(
            replace(job, state=JobState.LEASED, attempts=job.attempts + 1, locked_by=worker, lease_expires_at=expires)
            for job in jobs
        )

    def renew(self, job: Job, lease_seconds: float) -> bool:
        """Whether the lease was still held; if so it now lasts longer."""
        if not self._still_leased(job):
            return False
        self._database.run("job_renew", {"key": job.id, "expires_at": self._clock() + lease_seconds})
        return True

    def finish(self, job: Job) -> bool:
        """Whether the lease was still held; if so the job is done."""
        return self._end_lease(job, JobState.DONE, job.run_after, "")

    def fail(self, job: Job, error: str, retry_after: float | None) -> bool:
        """Whether the lease was still held; if so the job waits until `retry_after`, or is dead when that is None."""
        if retry_after is None:
            return self._end_lease(job, JobState.DEAD, job.run_after, error)
        return self._end_lease(job, JobState.READY, retry_after, error)

    def give_back(self, job: Job) -> bool:
        """Whether the lease was still held; if so the job is due again, and this claim was no attempt."""
        if not self._still_leased(job):
            return False
        self._database.run("job_give_back", {"key": job.id, "now": self._clock()})
        return True

    def jobs(self, project: ProjectId, states: Sequence[JobState] = ()) -> tuple[Job, ...]:
        return tuple(_job(project, row) for row in self._rows("jobs_listed", project, states=listed(states)))

    def retry(self, project: ProjectId, jobs: Sequence[JobId]) -> int:
        """Makes dead or waiting jobs due now, with their attempts forgotten; how many there were."""
        where = self._in(project, keys=json.dumps(jobs))
        count = int(value(self._database, "jobs_retryable", where))
        self._database.run("jobs_retry", where | {"now": self._clock()})
        return count

    def purge(self, project: ProjectId, states: Sequence[JobState], before: float) -> int:
        """Deletes jobs that ended in one of these states before an instant; how many there were."""
        where = self._in(project, states=json.dumps(states), before=before)
        count = int(value(self._database, "jobs_ended", where))
        self._database.run("jobs_purge", where)
        return count

    def _still_leased(self, job: Job) -> bool:
        where = {"key": job.id, "worker": job.locked_by, "attempts": job.attempts}
        return first(self._database, "job_leased", where) is not None

    def _end_lease(self, job: Job, state: JobState, run_after: float, error: str) -> bool:
        if not self._still_leased(job):
            return False
        ended = None if state is JobState.READY else self._clock()
        self._database.run(
            "job_set_state",
            {"key": job.id, "state": state.value, "run_after": run_after, "finished_at": ended, "error": error},
        )
        return True


def _job(project: ProjectId, row: tuple[Any, ...]) -> Job:
    number, kind, subject, payload, state, *rest = row
    return Job(number, project, JobKind(kind), subject, json.loads(payload), JobState(state), *rest)
