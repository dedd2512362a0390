"""The outbox, in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recto.model.ids import ProjectId
from recto.model.job import Job, JobId, JobKind, JobState
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import Session, known_project


class MemoryOutbox:
    """Fits `ports.Outbox`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def enqueue(self, project: ProjectId, kind: JobKind, subject: str, payload: Mapping[str, Any]) -> JobId:
        tables = self._session.write()
        for job in self.jobs(project, [JobState.READY]):
            if (job.kind, job.subject) == (kind, subject):
                return job.id
        tables.last_job += 1
        now, body = self._clock(), json.loads(json.dumps(payload, sort_keys=True))
        job = Job(JobId(tables.last_job), project, kind, subject, body, created_at=now, run_after=now)
        tables.jobs[job.id] = job
        return job.id

    def due(self, project: ProjectId) -> int:
        return len(self._claimable(project))

    def claim(
        self, project: ProjectId, worker: str, *, lease_seconds: float, limit: int, max_attempts: int
    ) -> tuple[Job, ...]:
        tables, now = self._session.write(), self._clock()
        for job in self._claimable(project):
            if job.state is JobState.LEASED and job.attempts >= max_attempts:
                error = job.error or "its worker stopped without a word"
                tables.jobs[job.id] = _ended(job, JobState.DEAD, job.run_after, error, now)
        taken = [
            replace(
                job,
                state=JobState.LEASED,
                attempts=job.attempts + 1,
                locked_by=worker,
                lease_expires_at=now + lease_seconds,
            )
            for job in self._claimable(project)[:limit]
        ]
        tables.jobs.update({job.id: job for job in taken})
        return tuple(taken)

    def renew(self, job: Job, lease_seconds: float) -> bool:
        tables = self._session.write()
        if not self._held(job):
            return False
        tables.jobs[job.id] = replace(tables.jobs[job.id], lease_expires_at=self._clock() + lease_seconds)
        return True

    def finish(self, job: Job) -> bool:
        return self._settle(job, JobState.DONE, job.run_after, "")

    def fail(self, job: Job, error: str, retry_after: float | None) -> bool:
        if retry_after is None:
            return self._settle(job, JobState.DEAD, job.run_after, error)
        return self._settle(job, JobState.READY, retry_after, error)

    def jobs(self, project: ProjectId, states: Sequence[JobState] = ()) -> tuple[Job, ...]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (job for job in tables.jobs.values() if job.project_id == project)
        return tuple(job for job in mine if not states or job.state in states)

    def retry(self, project: ProjectId, jobs: Sequence[JobId]) -> int:
        tables = self._session.write()
        found = [job for job in self.jobs(project, [JobState.READY, JobState.DEAD]) if job.id in jobs]
        for job in found:
            tables.jobs[job.id] = replace(
                job, state=JobState.READY, attempts=0, run_after=self._clock(), finished_at=None
            )
        return len(found)

    def purge(self, project: ProjectId, states: Sequence[JobState], before: float) -> int:
        tables = self._session.write()
        ended = [job for job in self.jobs(project) if job.state in states]
        found = [job for job in ended if job.finished_at is not None and job.finished_at < before]
        for job in found:
            del tables.jobs[job.id]
        return len(found)

    def _claimable(self, project: ProjectId) -> list[Job]:
        now = self._clock()
        ready = (job for job in self.jobs(project, [JobState.READY]) if job.run_after <= now)
        lapsed = (job for job in self.jobs(project, [JobState.LEASED]) if (job.lease_expires_at or 0.0) <= now)
        return sorted((*ready, *lapsed), key=lambda job: (job.run_after, job.id))

    def _held(self, job: Job) -> bool:
        held = self._session.read().jobs.get(job.id)
        return held is not None and (held.state, held.locked_by, held.attempts) == (
            JobState.LEASED,
            job.locked_by,
            job.attempts,
        )

    def _settle(self, job: Job, state: JobState, run_after: float, error: str) -> bool:
        tables = self._session.write()
        if not self._held(job):
            return False
        ended = None if state is JobState.READY else self._clock()
        tables.jobs[job.id] = _ended(tables.jobs[job.id], state, run_after, error, ended)
        return True


def _ended(job: Job, state: JobState, run_after: float, error: str, at: float | None) -> Job:
    return replace(
        job, state=state, run_after=run_after, error=error, finished_at=at, locked_by="", lease_expires_at=None
    )
