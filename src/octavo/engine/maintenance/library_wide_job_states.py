"""Long jobs over the whole library: records runs, tells which go on, failed, broke off or are out of date."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.errors import OctavoError
from octavo.jobs import lease_holder_process
from octavo.jobs.follow_up_job_queueing import is_stale
from octavo.model.job import JobKind, JobState, Lease
from octavo.model.link_graph import ENTITIES
from octavo.model.maintenance_advisory import OfflineRun
from octavo.model.summary import SUMMARIES
from octavo.path_resolution_and_private_folders import make_folder

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.ingest.snapshot_search_accelerator import Accelerator

CLUSTERS, SNAPSHOT, FINETUNE = "clusters", "snapshot", "finetune"
FULL_VECTORS, OTHER_MODEL, REINGEST = "full_vectors", "other_model", "reingest"
REPAIR = "repair"
_WORKED_ON = {
    JobKind.COMMUNITIES: "communities",
    JobKind.THEMATIC_LINKS: "thematic_links",
    JobKind.ENTITIES: ENTITIES,
    JobKind.EMBED: FULL_VECTORS,
    JobKind.REINDEX_PROFILE: OTHER_MODEL,
    JobKind.REINGEST: REINGEST,
    JobKind.SUMMARIES: SUMMARIES,
    JobKind.REPAIR: REPAIR,
}
_TOLD_FOR = 30 * 86_400.0  # seconds: how a run ended is of interest for a month


def offline_runs(engine: Engine, chunks: int) -> tuple[OfflineRun, ...]:
    """Of each kind of work that was ever begun, by name."""
    runs = {run.name: run for run in (*_jobs(engine), *_finetuned(engine), *_clusters(engine, chunks))}
    if engine.accelerator is not None:
        runs |= {run.name: run for run in (*_snapshot(engine.accelerator), *_clustering(engine.accelerator))}
    return tuple(runs[name] for name in sorted(runs))


@contextmanager
def noted_while_running(engine: Engine, name: str) -> Iterator[None]:
    """Leaves a note for as long as the work goes on; a process that is killed leaves it for good."""
    accelerator = engine.accelerator
    if accelerator is None:
        yield
        return
    note = _note(accelerator, name)
    make_folder(note.parent)
    note.write_text(json.dumps({"holder": lease_holder_process.holder_name(), "at": engine.library.now()}), "utf-8")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


@contextmanager
def recorded_run(engine: Engine, name: str) -> Iterator[None]:
    """Writes into the library how the work stands and how it ended; of a process that was killed it says `running`."""
    leases, project = engine.store.leases, engine.project.id
    lease = None
    with suppress(OctavoError):  # work that can be done is not refused because nobody can be told of it
        before = leases.current(project, name)
        over = before.holder if before is not None and _ended(before) else None
        lease = leases.take(
            project, name, lease_holder_process.holder_name(), _TOLD_FOR, {"state": "running"}, over=over
        )
        lease = None if before is not None and lease.holder == before.holder else lease
    state = "failed"
    try:
        yield
        state = "done"
    except (KeyboardInterrupt, SystemExit):
        state = "interrupted"
        raise
    finally:
        if lease is not None:
            with suppress(OctavoError):
                leases.renew(lease, _TOLD_FOR, {"state": state, "at": engine.library.now()})


def _ended(record: Lease) -> bool:
    return record.detail.get("state") != "running" or lease_holder_process.has_ended(record.holder)


def _finetuned(engine: Engine) -> Iterator[OfflineRun]:
    record = engine.store.leases.current(engine.project.id, FINETUNE)
    if record is not None:
        state, at = record.detail.get("state"), float(record.detail.get("at", record.taken_at))
        if state == "running" and lease_holder_process.has_ended(record.holder):
            state = "interrupted"
        if state in ("running", "done", "failed", "interrupted"):
            yield OfflineRun(FINETUNE, state, when(at))


def _note(accelerator: Accelerator, name: str) -> Path:
    return accelerator.root / f"{name}.running"


def _clusters(engine: Engine, chunks: int) -> Iterator[OfflineRun]:
    made = engine.store.clusters.state(engine.project.id)
    if made is not None:
        yield OfflineRun(CLUSTERS, "stale" if made.stale(chunks) else "done", when(made.made_at), made.chunks)


def _clustering(accelerator: Accelerator) -> Iterator[OfflineRun]:
    """Whether somebody is at it, or was when its process ended."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        note = json.loads(_note(accelerator, CLUSTERS).read_text("utf-8"))
        gone = lease_holder_process.has_ended(str(note["holder"]))
        yield OfflineRun(CLUSTERS, "interrupted" if gone else "running", when(float(note["at"])))


def _snapshot(accelerator: Accelerator) -> Iterator[OfflineRun]:
    manifest = accelerator.manifest()
    if manifest is not None:
        yield OfflineRun(SNAPSHOT, "done", when(manifest.created_at), manifest.chunks)
    begun = accelerator.unfinished()
    if begun is not None:
        yield OfflineRun(SNAPSHOT, "running" if accelerator.folder.busy() else "interrupted", when(begun))


def _jobs(engine: Engine) -> Iterator[OfflineRun]:
    runs = engine.store.graph.runs(engine.project.id)
    for name, run in runs.items():
        if name == SUMMARIES:
            made = engine.store.summaries.summarised(engine.project.id, engine.embedder.profile)
            stale = made.documents < made.of
        else:
            stale = is_stale(engine.store, engine.project.id, run)
        yield OfflineRun(name, "stale" if stale else "done", when(run.at))
    now = engine.library.adapters.clock()
    for job in engine.store.outbox.jobs(engine.project.id, (JobState.LEASED, JobState.DEAD)):
        name, dead = _WORKED_ON.get(job.kind, ""), job.state is JobState.DEAD
        # A worker that is killed leaves its lease behind; when that ends, the job waits for the next worker.
        if not dead and ((job.lease_expires_at or 0.0) <= now or lease_holder_process.has_ended(job.locked_by)):
            continue
        # A job that was given up counts until the work was done after all.
        if not name or (name in runs and runs[name].at >= job.created_at):
            continue
        if not (dead and name == FULL_VECTORS and engine.freshness().full_vectors >= 1.0):
            yield OfflineRun(name, "failed" if dead else "running", when(job.created_at))
