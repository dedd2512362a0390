"""Gauges of a library's contents and of its job queue, for the metrics of a server or a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from octavo.engine.engine import Engine
from octavo.model.job import JobState
from octavo.observability.metrics import Gauge

_UNFINISHED = (JobState.READY, JobState.LEASED, JobState.DEAD)


def library_gauges(engine: Engine) -> Iterator[Gauge]:
    """Of the engine's project."""
    counts, fresh = engine.store.counts(engine.project.id), engine.freshness()
    yield Gauge("documents", counts.documents)
    yield Gauge("chunks", counts.chunks)
    yield Gauge("text_bytes", counts.text_bytes)
    yield Gauge("failed_files", counts.failed)
    yield Gauge("pending_chunks", fresh.pending)
    yield Gauge("queued_changes", fresh.queued)
    texts = engine.reader.remembered.texts
    yield Gauge("cached_texts_found", texts.found)
    yield Gauge("cached_texts_missed", texts.missed)


def job_gauges(engine: Engine) -> Iterator[Gauge]:
    """Of all projects that the caller may enter, and of the connections it is read over."""
    yield from engine.store.gauges()
    outbox, now = engine.store.outbox, engine.library.now()
    jobs = [job for project in engine.visible_projects() for job in outbox.jobs(project.id, _UNFINISHED)]
    for (kind, state), number in sorted(Counter((job.kind.value, job.state.value) for job in jobs).items()):
        yield Gauge("jobs", number, (("kind", kind), ("state", state)))
    waiting = [now - job.created_at for job in jobs if job.state is JobState.READY]
    yield Gauge("oldest_job_seconds", max(0.0, *waiting) if waiting else 0.0)
    lease = engine.library.config.jobs.lease_seconds
    leases = [now + lease - job.lease_expires_at for job in jobs if job.lease_expires_at is not None]
    yield Gauge("oldest_lease_seconds", max(0.0, *leases) if leases else 0.0)
