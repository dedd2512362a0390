"""Work over the whole graph: communities and thematic links, each computed from one state and written at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from octavo.errors import NotIndexed
from octavo.graph.communities import APART, leiden, weighted
from octavo.graph.thematic import directions, nearest
from octavo.model.document import Kind
from octavo.model.graph import (
    COMMUNITIES,
    NEIGHBOURS,
    RESOLUTION,
    SEED,
    THEMATIC_LINKS,
    THRESHOLD,
    GraphRun,
    ThematicLink,
)
from octavo.model.ids import ProjectId
from octavo.model.job import JobId, JobKind, JobState
from octavo.model.recipe import EmbeddingProfile
from octavo.ports import Store

_SETTINGS = ("resolution", "seed", "threshold", "neighbours")
_COMPUTED = {JobKind.COMMUNITIES: COMMUNITIES, JobKind.THEMATIC_LINKS: THEMATIC_LINKS}
_JOBS = {name: kind for kind, name in _COMPUTED.items()}


_FEW_LINKS = 10  # fewer between documents make no communities worth the name
_SHARE = 10  # a graph is another one when a tenth of its documents came, changed or went


def promise(store: Store, project: ProjectId) -> tuple[JobId, ...]:
    """Jobs for what was computed from a graph that has moved on since, and for communities where there are none yet.

    With the settings of the last time. What somebody works on already, or was given up, is not promised again.
    """
    with store.reading():
        runs = store.graph.runs(project)
        busy = {job.kind for job in store.outbox.jobs(project, (JobState.READY, JobState.LEASED, JobState.DEAD))}
        wanted = [_JOBS[name] for name, run in runs.items() if name in _JOBS and is_stale(store, project, run)]
        first = COMMUNITIES not in runs
        if first and can_find_communities() and store.graph.drift(project, 0.0).links >= _FEW_LINKS:
            wanted.append(JobKind.COMMUNITIES)
        elif JobKind.THEMATIC_LINKS in wanted and COMMUNITIES in runs:
            wanted.append(JobKind.COMMUNITIES)  # which take them in
    # Thematic links first: jobs are done in the order they were promised.
    wanted = [kind for kind in (JobKind.THEMATIC_LINKS, JobKind.COMMUNITIES) if kind in wanted and kind not in busy]
    if not can_find_communities():  # what igraph found before it was uninstalled stays
        wanted = [kind for kind in wanted if kind is not JobKind.COMMUNITIES]
    if not wanted:
        return ()
    with store.transaction():
        return tuple(store.outbox.enqueue(project, kind, "graph", _settings(runs, kind)) for kind in wanted)


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


def find_communities(store: Store, project: ProjectId, settings: Mapping[str, Any]) -> int:
    """How many communities of more than one document there are."""
    resolution, seed = float(settings.get("resolution", RESOLUTION)), int(settings.get("seed", SEED))
    with store.reading():
        nodes = [node for node in store.graph.nodes(project) if node.kind != Kind.COMMIT]
        edges, thematic = store.graph.edges(project, APART), store.graph.thematic(project)
    numbers, modularity = leiden(len(nodes), weighted(nodes, edges, thematic), resolution=resolution, seed=seed)
    several = sum(size > 1 for size in Counter(numbers).values())
    facts = {"resolution": resolution, "seed": seed, "modularity": round(modularity, 6), "communities": several}
    facts["documents"] = len(nodes)
    with store.transaction():
        store.graph.put_communities(
            project, {node.document: number for node, number in zip(nodes, numbers, strict=True)}, facts
        )
    return several


def _nothing_to_compare(chunks: int) -> NotIndexed:
    """A large folder has only fast vectors after `octavo index`; documents are compared by their full ones."""
    if not chunks:
        return NotIndexed("there are no vectors to compare", hint="run `octavo index` first")
    hint = "run `octavo index --wait-full`, or let `octavo worker` compute them"
    return NotIndexed("there are no full vectors to compare yet", hint=hint)


def find_thematic_links(
    store: Store, project: ProjectId, profile: EmbeddingProfile, settings: Mapping[str, Any]
) -> int:
    """How many pairs of documents are near enough."""
    threshold = float(settings.get("threshold", THRESHOLD))
    neighbours = int(settings.get("neighbours", NEIGHBOURS))
    with store.reading():
        nodes = [node for node in store.graph.nodes(project) if node.kind != Kind.COMMIT]
        chunks = store.graph.chunks(project)
        assigned = store.embeddings.assignments(project)
        stored = store.embeddings.vectors(project, profile, 0)
    if not len(stored.keys):
        raise _nothing_to_compare(len(chunks))
    places = {node.document: place for place, node in enumerate(nodes)}
    owners = {key: places[document] for key, document in chunks if document in places}
    order = np.argsort(stored.inputs)
    at = np.searchsorted(stored.inputs[order], assigned[:, 1])
    at = np.minimum(at, len(order) - 1)
    rows = order[at]
    owner = np.array([owners.get(key, -1) for key in assigned[:, 0].tolist()], dtype=np.int64)
    there = (stored.inputs[rows] == assigned[:, 1]) & (owner >= 0)
    vectors = directions(owner[there], rows[there], stored.matrix, len(nodes))
    links = [
        ThematicLink(nodes[a].document, nodes[b].document, score)
        for a, b, score in nearest(vectors, threshold, neighbours)
    ]
    facts = {"threshold": threshold, "neighbours": neighbours, "links": len(links), "documents": len(nodes)}
    with store.transaction():
        store.graph.put_thematic(project, links, facts)
    return len(links)
