"""Work over the whole library that is done offline: whether it runs, was broken off, or is out of date."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recto.engine import holders
from recto.jobs.graph import is_stale
from recto.model.advisory import OfflineRun
from recto.model.job import JobKind, JobState
from recto.model.stored import LibraryCounts

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.ingest.accelerate import Accelerator

CLUSTERS, SNAPSHOT = "clusters", "snapshot"
_WORKED_ON = {JobKind.COMMUNITIES: "communities", JobKind.THEMATIC_LINKS: "thematic_links"}


def offline_runs(engine: Engine, counts: LibraryCounts) -> tuple[OfflineRun, ...]:
    """Of each kind of work that was ever begun, by name."""
    found = {one.name: one for one in _graph(engine)}
    if engine.accelerator is not None:
        found |= {one.name: one for one in (*_snapshot(engine.accelerator), *_clusters(engine.accelerator, counts))}
    return tuple(found[name] for name in sorted(found))


@contextmanager
def under_way(engine: Engine, name: str) -> Iterator[None]:
    """Leaves a note for as long as the work goes on; a process that is killed leaves it for good."""
    accelerator = engine.accelerator
    if accelerator is None:
        yield
        return
    note = _note(accelerator, name)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps({"holder": holders.name(), "at": engine._parts.clock()}), "utf-8")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def _note(accelerator: Accelerator, name: str) -> Path:
    return accelerator.root / f"{name}.running"


def _clusters(accelerator: Accelerator, counts: LibraryCounts) -> Iterator[OfflineRun]:
    made = accelerator.clusters()
    if made is not None:
        chunks = int(made.made[1])
        yield OfflineRun(CLUSTERS, "stale" if made.stale(counts.chunks) else "done", accelerator.clustered_at(), chunks)
    with suppress(OSError, ValueError, KeyError, TypeError):
        note = json.loads(_note(accelerator, CLUSTERS).read_text("utf-8"))
        gone = holders.is_gone(str(note["holder"]))
        yield OfflineRun(CLUSTERS, "interrupted" if gone else "running", float(note["at"]))


def _snapshot(accelerator: Accelerator) -> Iterator[OfflineRun]:
    current = accelerator.snapshots.current()
    if current is not None:
        manifest = current.manifest
        yield OfflineRun(SNAPSHOT, "done", manifest.created_at, manifest.chunks)
    begun = accelerator.unfinished()
    if begun is not None:
        yield OfflineRun(SNAPSHOT, "running" if accelerator.building() else "interrupted", begun)


def _graph(engine: Engine) -> Iterator[OfflineRun]:
    runs = engine.store.graph.runs(engine.project.id)
    for name, run in runs.items():
        stale = is_stale(engine.store, engine.project.id, run)
        yield OfflineRun(name, "stale" if stale else "done", run.at)
    for job in engine.store.outbox.jobs(engine.project.id, (JobState.LEASED, JobState.DEAD)):
        name = _WORKED_ON.get(job.kind, "")
        # A job that was given up counts until the work was done after all.
        if name and (name not in runs or runs[name].at < job.created_at):
            dead = job.state is JobState.DEAD
            yield OfflineRun(name, "failed" if dead else "running", job.created_at)
