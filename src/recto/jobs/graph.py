"""Work over the whole graph: communities and thematic links, each computed from one state and written at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from recto.errors import NotIndexed
from recto.graph.communities import leiden, weighted
from recto.graph.thematic import directions, nearest
from recto.model.document import Kind
from recto.model.graph import ThematicLink
from recto.model.ids import ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.ports import Store

RESOLUTION, SEED, THRESHOLD, NEIGHBOURS = 1.0, 0, 0.6, 5


def find_communities(store: Store, project: ProjectId, settings: Mapping[str, Any]) -> int:
    """How many communities of more than one document there are."""
    resolution, seed = float(settings.get("resolution", RESOLUTION)), int(settings.get("seed", SEED))
    with store.reading():
        nodes = [node for node in store.graph.nodes(project) if node.kind != Kind.COMMIT]
        edges, thematic = store.graph.edges(project), store.graph.thematic(project)
    numbers, modularity = leiden(len(nodes), weighted(nodes, edges, thematic), resolution=resolution, seed=seed)
    several = sum(size > 1 for size in Counter(numbers).values())
    facts = {"resolution": resolution, "seed": seed, "modularity": round(modularity, 6), "communities": several}
    with store.transaction():
        store.graph.put_communities(
            project, {node.document: number for node, number in zip(nodes, numbers, strict=True)}, facts
        )
    return several


def find_thematic_links(
    store: Store, project: ProjectId, profile: EmbeddingProfile, settings: Mapping[str, Any]
) -> int:
    """How many pairs of documents are near enough."""
    import numpy as np

    threshold = float(settings.get("threshold", THRESHOLD))
    neighbours = int(settings.get("neighbours", NEIGHBOURS))
    with store.reading():
        nodes = [node for node in store.graph.nodes(project) if node.kind != Kind.COMMIT]
        chunks = store.graph.chunks(project)
        assigned = store.embeddings.assignments(project)
        stored = store.embeddings.vectors(project, profile, 0)
    if not len(stored.keys):
        raise NotIndexed("there are no vectors to compare", hint="run `recto index` first")
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
    facts = {"threshold": threshold, "neighbours": neighbours, "links": len(links)}
    with store.transaction():
        store.graph.put_thematic(project, links, facts)
    return len(links)
