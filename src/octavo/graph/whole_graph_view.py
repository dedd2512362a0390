"""The whole graph to look at or to take elsewhere: documents, tags, ghosts and sections, and their edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import combinations

from octavo.algorithms.links.document_link_names import label
from octavo.algorithms.text.document_name_normalisation import folded
from octavo.fast_dataclass import Value
from octavo.graph.communities_and_thematic_links import community_names
from octavo.model.document import Section
from octavo.model.entity import CITED, DocumentMention, Entity, MentionRole
from octavo.model.ids import DocumentId
from octavo.model.link_graph import WEIGHTS, WRITTEN_BY_PEOPLE, Edge, EdgeType, Node, SectionLink, ThematicLink


class NodeKind(StrEnum):
    DOCUMENT = "document"
    SECTION = "section"
    TAG = "tag"
    GHOST = "ghost"
    ENTITY = "entity"


class ViewNode(Value):
    id: str
    kind: NodeKind
    label: str
    collection: str = ""
    uri: str = ""
    document_kind: str = ""
    community: int | None = None
    degree: int = 0
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class ViewEdge(Value):
    source: str
    target: str
    type: str
    weight: float = 1.0
    anchor: str = ""
    context: str = ""


class GraphView(Value):
    """Nodes in the order of their collections and uris, tags, ghosts; `left_out` nodes did not fit."""

    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    communities: Mapping[int, str] = field(default_factory=dict)
    left_out: int = 0


class Shown(Value):
    """What a view takes in. `most` keeps the nodes with the most edges, and those between them."""

    ghosts: bool = True
    tags: bool = True
    thematic: bool = True
    entities: bool = True
    commits: bool = False
    collections: tuple[str, ...] = ()
    most: int | None = None


def view(
    nodes: Sequence[Node],
    edges: Iterable[Edge],
    thematic: Iterable[ThematicLink],
    communities: Mapping[DocumentId, int],
    shown: Shown,
    sections: Mapping[DocumentId, Sequence[Section]] | None = None,
    mentions: Iterable[DocumentMention] = (),
    section_links: Iterable[SectionLink] = (),
) -> GraphView:
    kept = {
        node.document: node
        for node in nodes
        if (shown.commits or node.kind != "commit") and (not shown.collections or node.collection in shown.collections)
    }
    view_edges: list[ViewEdge] = []
    ghosts: dict[str, str] = {}
    for edge in edges:
        if edge.source not in kept:
            continue
        if edge.target is not None:
            if edge.target in kept and edge.target != edge.source:
                view_edges.append(_edge(edge, edge.target))
        elif shown.ghosts and edge.lookup in WRITTEN_BY_PEOPLE:
            name = f"ghost:{folded(edge.path)}"
            ghosts.setdefault(name, edge.path)
            view_edges.append(_edge(edge, name))
    if shown.thematic:
        view_edges += (
            ViewEdge(link.source, link.target, EdgeType.THEMATIC_LINK.value, link.weight)
            for link in thematic
            if link.source in kept and link.target in kept
        )
    tags: dict[str, str] = {}
    if shown.tags:
        for node in kept.values():
            for tag in node.tags:
                name = f"tag:{folded(tag)}"
                tags.setdefault(name, f"#{tag}")
                view_edges.append(ViewEdge(node.document, name, EdgeType.MENTIONS.value, 0.6))
    named, through_entities = entity_view(
        [mention for mention in mentions if shown.entities and mention.document in kept]
    )
    view_edges += through_entities
    degree: Counter[str] = Counter()
    for drawn_edge in view_edges:
        degree[drawn_edge.source] += 1
        degree[drawn_edge.target] += 1
    every = [
        *(_document(node, communities.get(node.document), degree[node.document]) for node in kept.values()),
        *(ViewNode(name, NodeKind.TAG, tag, degree=degree[name]) for name, tag in sorted(tags.items())),
        *(ViewNode(name, NodeKind.GHOST, path, degree=degree[name]) for name, path in sorted(ghosts.items())),
        *(
            ViewNode(name, NodeKind.ENTITY, entity.label, document_kind=entity.kind.value, degree=degree[name])
            for name, entity in sorted(named.items())
        ),
    ]
    drawn = every
    if shown.most is not None and len(every) > shown.most:
        best = {node.id for node in sorted(every, key=lambda node: (-node.degree, node.id))[: shown.most]}
        drawn = [node for node in every if node.id in best]
        view_edges = [edge for edge in view_edges if edge.source in best and edge.target in best]
    left_out = len(every) - len(drawn)
    if sections:
        drawn, view_edges = _with_sections(drawn, view_edges, sections)
        if shown.thematic:
            view_edges += _between_sections(drawn, sections, section_links)
    return GraphView(tuple(drawn), tuple(view_edges), _named(drawn), left_out)


_PAIRS = 12  # documents of one author that are linked each with each; of more, the author's node says it


def entity_view(mentions: Sequence[DocumentMention]) -> tuple[dict[str, Entity], list[ViewEdge]]:
    """Entities that at least two documents name, by the ids of their nodes, and the edges that they make."""
    by_entity: dict[str, list[DocumentMention]] = {}
    for mention in mentions:
        entity = mention.mention.entity
        by_entity.setdefault(f"entity:{entity.kind.value}:{entity.name}", []).append(mention)
    nodes: dict[str, Entity] = {}
    edges: list[ViewEdge] = []
    for name, inside in by_entity.items():
        if len({mention.document for mention in inside}) < 2:
            continue
        entity = nodes[name] = inside[0].mention.entity
        for mention in inside:
            if entity.kind in CITED and mention.mention.role is MentionRole.MENTION:
                edges.append(ViewEdge(mention.document, name, EdgeType.REFERENCES.value, WEIGHTS[EdgeType.REFERENCES]))
            else:
                edges.append(
                    ViewEdge(name, mention.document, EdgeType.MENTIONED_IN.value, WEIGHTS[EdgeType.MENTIONED_IN])
                )
        written = sorted({mention.document for mention in inside if mention.mention.role is MentionRole.AUTHOR})
        if len(written) <= _PAIRS:
            weight = WEIGHTS[EdgeType.SAME_AUTHOR]
            edges += (ViewEdge(a, b, EdgeType.SAME_AUTHOR.value, weight) for a, b in combinations(written, 2))
    return nodes, edges


def _between_sections(
    nodes: Iterable[ViewNode], sections: Mapping[DocumentId, Sequence[Section]], links: Iterable[SectionLink]
) -> list[ViewEdge]:
    drawn = {node.id for node in nodes if node.kind is NodeKind.SECTION}
    ids = {
        (document, section.anchor): section.id
        for document, inside in sections.items()
        for section in inside
        if section.id in drawn
    }
    ends = ((ids.get((k.source, k.source_anchor)), ids.get((k.target, k.target_anchor)), k.weight) for k in links)
    return [ViewEdge(a, b, EdgeType.THEMATIC_LINK.value, weight) for a, b, weight in ends if a and b]


def _edge(edge: Edge, target: str) -> ViewEdge:
    return ViewEdge(edge.source, target, edge.type.value, edge.weight, edge.anchor or "", edge.context)


def _document(node: Node, community: int | None, degree: int) -> ViewNode:
    return ViewNode(
        node.document,
        NodeKind.DOCUMENT,
        label(node),
        node.collection,
        node.uri,
        node.kind,
        community,
        degree,
        node.tags,
        node.aliases,
    )


def _with_sections(
    nodes: list[ViewNode], edges: list[ViewEdge], sections: Mapping[DocumentId, Sequence[Section]]
) -> tuple[list[ViewNode], list[ViewEdge]]:
    """A document contains its sections, a section those below it."""
    more, contains = list(nodes), list(edges)
    for node in nodes:
        above: dict[tuple[str, ...], str] = {(): node.id}
        for section in sections.get(DocumentId(node.id), ()):
            if not section.level:
                continue
            parent = next(
                (
                    above[section.path[:cut]]
                    for cut in range(len(section.path) - 1, -1, -1)
                    if section.path[:cut] in above
                ),
                node.id,
            )
            above[section.path] = section.id
            more.append(
                ViewNode(section.id, NodeKind.SECTION, section.title, node.collection, f"{node.uri}#{section.anchor}")
            )
            contains.append(ViewEdge(parent, section.id, EdgeType.CONTAINS.value))
    return more, contains


def _named(nodes: Iterable[ViewNode]) -> dict[int, str]:
    """What the communities are called; one of a single document needs no name."""
    members: dict[int, list[ViewNode]] = {}
    for node in nodes:
        if node.community is not None:
            members.setdefault(node.community, []).append(node)
    labels = {
        number: [node.label for node in sorted(inside, key=lambda node: (-node.degree, node.uri))]
        for number, inside in sorted(members.items())
    }
    return {number: name for number, name in community_names(labels).items() if len(labels[number]) > 1}
