"""Queues the jobs that follow a run of indexing, graph, summaries, snapshot, without importing what does them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.job import JobId, JobKind, JobState
from octavo.model.link_graph import COMMUNITIES, ENTITIES, THEMATIC_LINKS, GraphRun
from octavo.model.projects_and_collections import Project
from octavo.model.summary import SUMMARIES, SummarySettings
from octavo.sql_repositories.store import Store

_SETTINGS = ("resolution", "seed", "threshold", "neighbours")
_COMPUTED = {JobKind.COMMUNITIES: COMMUNITIES, JobKind.THEMATIC_LINKS: THEMATIC_LINKS}
_JOBS = {name: kind for kind, name in _COMPUTED.items()}
_FEW_LINKS = 10  # fewer between documents make no communities worth the name
_SHARE = 10  # a graph is another one when a tenth of its documents came, changed or went


def queue_graph_jobs(store: Store, project: ProjectId) -> tuple[JobId, ...]:
    """Jobs for what was computed from a graph that has moved on since, and for communities where there are none yet.

    With the settings of the last time. What somebody works on already, or was given up, is not promised again.
    """
    with store.reading():
        runs = store.graph.runs(project)
        busy = {job.kind for job in store.outbox.jobs(project, (JobState.READY, JobState.LEASED, JobState.DEAD))}
        kinds = [_JOBS[name] for name, run in runs.items() if name in _JOBS and is_stale(store, project, run)]
        first = COMMUNITIES not in runs
        if first and can_find_communities() and store.graph.drift(project, 0.0).links >= _FEW_LINKS:
            kinds.append(JobKind.COMMUNITIES)
        elif JobKind.THEMATIC_LINKS in kinds and COMMUNITIES in runs:
            kinds.append(JobKind.COMMUNITIES)  # which take them in
    # Thematic links first: jobs are done in the order they were promised.
    kinds = [kind for kind in (JobKind.THEMATIC_LINKS, JobKind.COMMUNITIES) if kind in kinds and kind not in busy]
    if not can_find_communities():  # what igraph found before it was uninstalled stays
        kinds = [kind for kind in kinds if kind is not JobKind.COMMUNITIES]
    if not kinds:
        return ()
    with store.transaction():
        return tuple(store.outbox.enqueue(project, kind, "graph", _settings(runs, kind)) for kind in kinds)


def queue_entities(store: Store, project: ProjectId) -> tuple[JobId, ...]:
    """A job for documents that came or changed, where entities were looked for once: as it was asked then.

    A budget that is used up leaves the rules.
    """
    with store.reading():
        run = store.graph.runs(project).get(ENTITIES)
        busy = store.outbox.jobs(project, (JobState.READY, JobState.LEASED, JobState.DEAD))
        if run is None or any(job.kind is JobKind.ENTITIES for job in busy):
            return ()
    settings = run.facts if run.facts.get("budget") else {}
    with store.transaction():
        return (store.outbox.enqueue(project, JobKind.ENTITIES, ENTITIES, settings),)


def can_find_communities() -> bool:
    return find_spec("igraph") is not None


def is_stale(store: Store, project: ProjectId, run: GraphRun) -> bool:
    """Whether so many documents came, changed or went since that another run would find something else."""
    drift = store.graph.drift(project, run.at)
    before = int(run.facts.get("documents", drift.documents))
    gone = max(0, before - (drift.grouped if run.kind == COMMUNITIES else drift.documents))
    return (drift.changed + gone) * _SHARE >= max(1, drift.documents)


def _settings(runs: Mapping[str, GraphRun], kind: JobKind) -> dict[str, float]:
    run = runs.get(_COMPUTED[kind])
    return {name: run.facts[name] for name in _SETTINGS if name in run.facts} if run else {}


def queue_summaries(store: Store, project: Project, profile: EmbeddingProfile) -> tuple[JobId, ...]:
    """A job for documents without summaries, where somebody has once asked for summaries: as it was asked then."""
    with store.reading():
        run = store.graph.runs(project.id).get(SUMMARIES)
        if run is None:
            return ()
        settings = SummarySettings.of(run.facts)
        busy = store.outbox.jobs(project.id, (JobState.READY, JobState.LEASED, JobState.DEAD))
        if any(job.kind is JobKind.SUMMARIES for job in busy) or (settings.by_model and not settings.budget):
            return ()
        counted = store.summaries.summarised(project.id, profile)
    if counted.documents >= counted.of:
        return ()
    with store.transaction():
        return (store.outbox.enqueue(project.id, JobKind.SUMMARIES, SUMMARIES, settings.facts()),)


def queue_snapshot(store: Store, project: ProjectId, subject: str = "snapshot") -> None:
    """A new snapshot, or an index of a database server, made by whichever worker is free; whether it is still due is
    asked then."""
    with store.transaction():
        store.outbox.enqueue(project, JobKind.SNAPSHOT, subject, {})
