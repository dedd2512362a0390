"""Work over the whole graph: communities and thematic links, each computed from one state and written at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.errors import NotIndexed
from octavo.graph.communities_and_thematic_links import APART, directions, leiden, nearest, weighted
from octavo.model.document import Kind
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, DocumentId, ProjectId, SectionId
from octavo.model.link_graph import NEIGHBOURS, RESOLUTION, SEED, THRESHOLD, ThematicLink
from octavo.model.stored_rows import StoredVectors
from octavo.sql_repositories.store import Store

_MOST_SECTIONS = 40_000  # beyond that, comparing all with all takes longer than anybody waits for a job
_SECTION_NEIGHBOURS = 3
_SECTION_SHARE = 0.4  # sections are short and alike: they need more, by this share of what is left above the threshold


class ThematicFound(NamedTuple):
    """How many pairs of documents, and of sections, are about the same."""

    documents: int
    sections: int


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
