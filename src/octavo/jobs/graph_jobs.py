"""Work over the whole graph: communities and thematic links, each computed from one state and written at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.errors import NotIndexed
from octavo.graph.communities import APART, leiden, weighted
from octavo.graph.thematic_links import directions, nearest
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId, ProjectId, SectionId
from octavo.model.index_recipe import EmbeddingProfile
from octavo.model.job import JobId, JobKind, JobState
from octavo.model.link_graph import (
    COMMUNITIES,
    ENTITIES,
    NEIGHBOURS,
    RESOLUTION,
    SEED,
    THEMATIC_LINKS,
    THRESHOLD,
    GraphRun,
    ThematicLink,
)
from octavo.model.stored_rows import StoredVectors
from octavo.ports import Store

_SETTINGS = ("resolution", "seed", "threshold", "neighbours")
_COMPUTED = {JobKind.COMMUNITIES: COMMUNITIES, JobKind.THEMATIC_LINKS: THEMATIC_LINKS}
_JOBS = {name: kind for kind, name in _COMPUTED.items()}


_FEW_LINKS = 10  # fewer between documents make no communities worth the name
_MOST_SECTIONS = 40_000  # beyond that, comparing all with all takes longer than anybody waits for a job
_SECTION_NEIGHBOURS = 3
_SECTION_SHARE = 0.4  # sections are short and alike: they need more, by this share of what is left above the threshold
_SHARE = 10  # a graph is another one when a tenth of its documents came, changed or went


class ThematicFound(NamedTuple):
    """How many pairs of documents, and of sections, are about the same."""

    documents: int
    sections: int


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
) -> ThematicFound:
    """How many pairs of documents, and of sections in different documents, are near enough."""
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
    vectors = _directions(stored, assigned, owners, len(nodes))
    links = [
        ThematicLink(nodes[a].document, nodes[b].document, score)
        for a, b, score in nearest(vectors, threshold, neighbours)
    ]
    between = _section_links(store, project, stored, assigned, threshold)
    facts = {"threshold": threshold, "neighbours": neighbours, "links": len(links), "documents": len(nodes)}
    with store.transaction():
        store.graph.put_thematic(project, links, facts | {"section_links": len(between)})
        store.entities.put_section_links(project, between)
    return ThematicFound(len(links), len(between))


def _section_links(
    store: Store, project: ProjectId, stored: StoredVectors, assigned: NDArray[np.int64], threshold: float
) -> list[tuple[DocumentId, SectionId, DocumentId, SectionId, float]]:
    """Sections of different documents that say the same, each with its nearest few; none in a very large library."""
    with store.reading():
        chunks = store.entities.section_chunks(project)
    headed = [(key, (document, section)) for key, document, section, level in chunks if level]
    sections = list(dict.fromkeys(section for _, section in headed))
    if not 1 < len(sections) <= _MOST_SECTIONS:
        return []
    places = {section: place for place, section in enumerate(sections)}
    vectors = _directions(stored, assigned, {key: places[section] for key, section in headed}, len(sections))
    numbers = {document: number for number, document in enumerate(dict.fromkeys(name for name, _ in sections))}
    groups = np.array([numbers[name] for name, _ in sections], dtype=np.int64)
    least = threshold + (1.0 - threshold) * _SECTION_SHARE
    return [(*sections[a], *sections[b], score) for a, b, score in nearest(vectors, least, _SECTION_NEIGHBOURS, groups)]


def _directions(
    stored: StoredVectors, assigned: NDArray[np.int64], owners: Mapping[ChunkKey, int], count: int
) -> NDArray[np.float32]:
    """The mean direction of the chunks of each owner."""
    order = np.argsort(stored.inputs)
    rows = order[np.minimum(np.searchsorted(stored.inputs[order], assigned[:, 1]), len(order) - 1)]
    owner = np.array([owners.get(key, -1) for key in assigned[:, 0].tolist()], dtype=np.int64)
    there = (stored.inputs[rows] == assigned[:, 1]) & (owner >= 0)
    return directions(owner[there], rows[there], stored.matrix, count)
