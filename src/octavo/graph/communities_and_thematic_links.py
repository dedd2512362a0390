"""Communities: documents that point at each other more than at others, by the Leiden algorithm; thematic links.

Documents about the same are linked thematically, by the mean direction of their chunks.

Traag, Waltman and van Eck, From Louvain to Leiden: guaranteeing well-connected communities, 2019.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.clustering.cluster_names_by_keywords import group_names
from octavo.algorithms.links.document_link_names import label
from octavo.errors import MissingExtra
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.model.ids import DocumentId
from octavo.model.link_graph import Edge, EdgeType, Node, ThematicLink

APART = (EdgeType.CHANGES, EdgeType.CONTAINS)  # they join no documents that belong together
_ROUNDS = 10
_FILE_NAME = regex(r"(\S+)\.\w{1,5}")
_MOST_NAMED = 3
_SHARED, _SHARE = 2, 0.5  # documents, and their share, whose titles must have a word for it to name their community


class Community(Value):
    """`number` counts from 0, the largest first; `name` is the words its titles share, as `community_names` says."""

    number: int
    name: str
    documents: tuple[DocumentId, ...]
    tags: tuple[str, ...]


def weighted(
    nodes: Sequence[Node], edges: Iterable[Edge], thematic: Iterable[ThematicLink]
) -> dict[tuple[int, int], float]:
    """Pairs of nodes by their place, the smaller first, with all the weight between them. Commits join nothing."""
    places = {node.document: place for place, node in enumerate(nodes)}
    total: dict[tuple[int, int], float] = {}

    def add(source: DocumentId, target: DocumentId, weight: float) -> None:
        a, b = places.get(source), places.get(target)
        if a is not None and b is not None and a != b:
            pair = (a, b) if a < b else (b, a)
            total[pair] = total.get(pair, 0.0) + weight

    for edge in edges:
        if edge.target is not None and edge.type not in APART:
            add(edge.source, edge.target, edge.weight)
    for link in thematic:
        add(link.source, link.target, link.weight)
    return total


def leiden(
    count: int, pairs: Mapping[tuple[int, int], float], *, resolution: float = 1.0, seed: int = 0
) -> tuple[list[int], float]:
    """A community for each of `count` nodes, the largest community first, and the modularity of it all.

    Same input and same seed, same answer. A node without edges is a community of its own.
    """
    igraph = _igraph()
    ordered = sorted(pairs.items())
    graph = igraph.Graph(n=count, edges=[pair for pair, _ in ordered])
    weights = [weight for _, weight in ordered]
    igraph.set_random_number_generator(random.Random(seed))
    try:
        partition = graph.community_leiden(
            objective_function="modularity", weights=weights, resolution=resolution, n_iterations=_ROUNDS
        )
    finally:
        igraph.set_random_number_generator(random)
    membership = [int(number) for number in partition.membership]
    sizes = Counter(membership)
    first = {number: membership.index(number) for number in sizes}
    order = sorted(sizes, key=lambda number: (-sizes[number], first[number]))
    renumbered = {number: place for place, number in enumerate(order)}
    modularity = float(graph.modularity(membership, weights=weights)) if ordered else 0.0
    return [renumbered[number] for number in membership], modularity


def described(
    nodes: Sequence[Node], numbers: Mapping[DocumentId, int], degrees: Mapping[DocumentId, int]
) -> tuple[Community, ...]:
    """Communities with their members, most linked first, and what names them."""
    members: dict[int, list[Node]] = {}
    for node in nodes:
        if node.document in numbers:
            members.setdefault(numbers[node.document], []).append(node)
    for inside in members.values():
        inside.sort(key=lambda node: (-degrees.get(node.document, 0), node.uri))
    names = community_names({number: [label(node) for node in inside] for number, inside in members.items()})
    communities = []
    for number, inside in sorted(members.items()):
        tags = Counter(tag.lower() for node in inside for tag in node.tags)
        common = sorted((tag for tag in tags if tags[tag] > 1), key=lambda tag: (-tags[tag], tag))
        documents = tuple(node.document for node in inside)
        communities.append(Community(number, names[number], documents, tuple(common[:_MOST_NAMED])))
    return tuple(communities)


def community_names(labels: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """By the words that half of the labels of a community have and few other communities; else by its first labels."""
    # The ending of a file's name tells nothing of what it is about.
    plain = {number: [_without_ending(name) for name in inside] for number, inside in labels.items()}
    terms = group_names(plain, _MOST_NAMED, _SHARED, _SHARE)
    return {number: terms[number] or ", ".join(inside[:_MOST_NAMED]) for number, inside in labels.items()}


def _without_ending(label: str) -> str:
    match = _FILE_NAME.fullmatch(label)
    return match[1] if match else label


def degrees(edges: Iterable[Edge]) -> Counter[DocumentId]:
    """How many links each document has to or from others."""
    counted: Counter[DocumentId] = Counter()
    for edge in edges:
        if edge.target is not None and edge.target != edge.source:
            counted[edge.source] += 1
            counted[edge.target] += 1
    return counted


def _igraph() -> Any:
    try:
        import igraph
    except ImportError as error:
        raise MissingExtra(
            "finding communities needs igraph, which is not installed",
            hint="it comes with octavo: pip install igraph brings it back",
        ) from error
    return igraph


_BLOCK = 1_024  # rows compared at once: a block against a hundred thousand is 400 MB of scores, halved as they grow
_WIDEST = 50_000_000


def directions(
    documents: NDArray[np.int64], rows: NDArray[np.int64], matrix: NDArray[np.float32], count: int
) -> NDArray[np.float32]:
    """One unit vector for each of `count` documents: the mean of the rows assigned to it, zero where it has none."""
    total = np.zeros((count, matrix.shape[1]), dtype=np.float32)
    np.add.at(total, documents, matrix[rows])
    length = np.linalg.norm(total, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(total, length, out=np.zeros_like(total), where=length > 0)
    return unit


def nearest(
    vectors: NDArray[np.float32], threshold: float, neighbours: int, groups: NDArray[np.int64] | None = None
) -> list[tuple[int, int, float]]:
    """Pairs (a, b, cosine), a before b, where one is among the `neighbours` nearest of the other and near enough.

    Nothing is its own neighbour, nor that of anything of the same group.
    """
    count = len(vectors)
    similarities: dict[tuple[int, int], float] = {}
    block = max(1, min(_BLOCK, _WIDEST // max(1, count)))
    for start in range(0, count, block):
        scores = vectors[start : start + block] @ vectors.T
        if groups is None:
            scores[np.arange(len(scores)), np.arange(start, start + len(scores))] = -1.0
        else:
            scores[groups[start : start + len(scores), None] == groups[None, :]] = -1.0
        keep = min(neighbours, count - 1)
        if keep < 1:
            break
        best = np.argpartition(-scores, keep - 1, axis=1)[:, :keep]
        for row, columns in enumerate(best.tolist()):
            for column in columns:
                score = float(scores[row, column])
                if score >= threshold:
                    a, b = sorted((start + row, column))
                    similarities[a, b] = round(score, 6)
    return [(a, b, score) for (a, b), score in sorted(similarities.items())]
