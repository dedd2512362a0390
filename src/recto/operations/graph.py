"""What a document points at, what points at it, and what else belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.graph.anchors import anchored
from recto.model.graph import WRITTEN, Edge, EdgeType, Node, Walk
from recto.model.ids import DocumentId
from recto.model.limits import Field
from recto.model.stored import StoredDocument
from recto.model.text import LineIndex
from recto.operations import fields
from recto.operations.get import GetRequest, read
from recto.operations.hits import short
from recto.operations.quoting import TITLES, one_line

OUT, IN, BOTH = "out", "in", "both"
_TYPES = [one.value for one in EdgeType]

Direction = Annotated[
    str,
    Field(
        description="What it points at (out), what points at it (in), or both.",
        json_schema_extra={"enum": [OUT, IN, BOTH]},
    ),
]
Types = Annotated[
    tuple[Annotated[str, Field(json_schema_extra={"enum": _TYPES})], ...],
    Field(max_length=len(_TYPES), description="Only edges of these types."),
]
Hops = Annotated[int, Field(ge=1, le=4, description="How many edges away.")]
Documents = Annotated[int, Field(ge=1, le=200, description="How many at most.")]


@dataclass(frozen=True, slots=True)
class NeighborsRequest:
    reference: fields.DocumentReference
    collection: fields.InCollection | None = None
    direction: Direction = BOTH
    types: Types = ()
    hops: Hops = 1
    limit: Documents = 30


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """`place` is the document at the other end as collection/uri; without one, `target` is a tag or not there."""

    direction: str
    type: str
    target: str
    place: str | None = None
    title: str | None = None
    anchor: str | None = None
    line: int | None = None
    context: str | None = None
    missing: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FarDocument:
    place: str
    title: str
    hops: int
    score: float


@dataclass(frozen=True, slots=True)
class NeighborsAnswer:
    """`backlinks` and `linking` count every link to the document and the documents they are in."""

    collection: str
    uri: str
    title: str
    document_id: str
    edges: tuple[FoundEdge, ...]
    backlinks: int
    linking: int
    further: tuple[FarDocument, ...] = ()
    tags: tuple[str, ...] = ()
    community: int | None = None


def graph_neighbors(engine: Engine, request: NeighborsRequest) -> NeighborsAnswer:
    types = tuple(_type(name) for name in request.types)
    if request.direction not in (OUT, IN, BOTH):
        raise InvalidArgument(f"{request.direction} is no direction", hint=f"choose one of: {OUT}, {IN}, {BOTH}")
    document = read(engine, GetRequest(request.reference, request.collection)).document
    graph, project = engine.store.graph, engine.project.id
    with engine.store.reading():
        found: list[FoundEdge] = []
        if request.direction != IN:
            # An import that leads nowhere names a package from elsewhere, and is no link that somebody has to mend.
            led = [one for one in graph.out(project, document.id, types) if one.target or one.lookup in WRITTEN]
            found += _shown_out(engine, document, led[: request.limit], types)
        if request.direction != OUT:
            found += _shown_back(engine, graph.back(project, document.id, types, request.limit))
        found += _thematic(engine, document, types)
        backlinks, linking = graph.back_count(project, document.id)
        further = _further(engine, document, types, request) if request.hops > 1 else ()
        community = graph.communities(project, [document.id]).get(document.id)
    return NeighborsAnswer(
        collection=document.collection,
        uri=document.uri,
        title=short(document.title),
        document_id=document.id,
        edges=tuple(found[: request.limit * 2]),
        backlinks=backlinks,
        linking=linking,
        further=further,
        tags=document.tags[:20],
        community=community,
    )


def neighbors_text(answer: NeighborsAnswer) -> str:
    linked = f"{answer.backlinks} links from {answer.linking} documents lead here"
    head = f"{one_line(answer.title)}\n{one_line(f'{answer.collection}/{answer.uri}')} ({linked}). {TITLES}"
    lines = [_edge_text(one) for one in answer.edges] or ["It points at nothing, and nothing points at it."]
    if answer.tags:
        lines.append(one_line(f"Tags: {', '.join(answer.tags)}"))
    if answer.further:
        lines += ["", "Farther away:"]
        lines += [one_line(f"- {one.place} ({one.hops} hops, {one.score:.2f}): {one.title}") for one in answer.further]
    return "\n".join([head, "", *lines])


def _type(name: str) -> EdgeType:
    try:
        return EdgeType(name)
    except ValueError:
        raise InvalidArgument(f"no edge is of type {name}", hint=f"choose one of: {', '.join(_TYPES)}") from None


def place_of(node: Node) -> str:
    return f"{node.collection}/{node.uri}"


def _shown_out(
    engine: Engine, document: StoredDocument, edges: Sequence[Edge], types: Sequence[EdgeType]
) -> Iterator[FoundEdge]:
    nodes = _nodes(engine, (edge.target for edge in edges if edge.target))
    lines = _lines(engine, [document])
    for edge in edges:
        node = nodes.get(edge.target) if edge.target else None
        yield FoundEdge(
            direction=OUT,
            type=edge.type.value,
            target=edge.path,
            place=place_of(node) if node else None,
            title=short(node.title) if node else None,
            anchor=edge.anchor,
            line=_line(lines, document.id, edge),
            context=edge.context or None,
            missing=_missing(engine, edge),
            weight=edge.weight,
        )
    if not types or EdgeType.MENTIONS in types:
        for tag in document.tags:
            yield FoundEdge(direction=OUT, type=EdgeType.MENTIONS.value, target=f"#{tag}")
    if EdgeType.CONTAINS in types:
        for section in engine.store.documents.sections(engine.project.id, document.id):
            if section.level:
                target = f"#{section.anchor}"
                yield FoundEdge(OUT, EdgeType.CONTAINS.value, target, title=short(section.title), anchor=section.anchor)


def _shown_back(engine: Engine, edges: Sequence[Edge]) -> Iterator[FoundEdge]:
    nodes = _nodes(engine, (edge.source for edge in edges))
    stored = [engine.store.documents.get(engine.project.id, one) for one in nodes]
    lines = _lines(engine, [one for one in stored if one is not None])
    for edge in sorted(edges, key=lambda one: (nodes[one.source].uri, one.span.start)):
        node = nodes[edge.source]
        yield FoundEdge(
            direction=IN,
            type=edge.type.value,
            target=edge.path,
            place=place_of(node),
            title=short(node.title),
            anchor=edge.anchor,
            line=_line(lines, edge.source, edge),
            context=edge.context or None,
            weight=edge.weight,
        )


def _thematic(engine: Engine, document: StoredDocument, types: Sequence[EdgeType]) -> Iterator[FoundEdge]:
    if types and EdgeType.THEMATIC_LINK not in types:
        return
    links = engine.store.graph.thematic(engine.project.id, document.id)
    nodes = _nodes(engine, (one.target if one.source == document.id else one.source for one in links))
    for link in sorted(links, key=lambda one: -one.weight):
        node = nodes[link.target if link.source == document.id else link.source]
        yield FoundEdge(
            BOTH, EdgeType.THEMATIC_LINK.value, node.uri, place_of(node), short(node.title), weight=link.weight
        )


def _further(
    engine: Engine, document: StoredDocument, types: tuple[EdgeType, ...], request: NeighborsRequest
) -> tuple[FarDocument, ...]:
    walk = Walk(hops=request.hops, types=types)
    reached = engine.store.graph.walk(engine.project.id, {document.id: 1.0}, walk)
    far = [one for one in reached if one.hops > 1 and one.document != document.id][: request.limit]
    nodes = _nodes(engine, (one.document for one in far))
    return tuple(
        FarDocument(place_of(nodes[one.document]), short(nodes[one.document].title), one.hops, round(one.score, 4))
        for one in far
    )


def _missing(engine: Engine, edge: Edge) -> str | None:
    """What a link asks for and does not get: the document, or the heading or block in it."""
    if edge.target is None:
        return "document"
    if not edge.anchor:
        return None
    target = engine.store.documents.get(engine.project.id, edge.target)
    sections = engine.store.documents.sections(engine.project.id, edge.target)
    return None if target and anchored(sections, target.metadata, edge.anchor) is not None else "anchor"


def _nodes(engine: Engine, documents: Iterable[DocumentId]) -> Mapping[DocumentId, Node]:
    wanted = set(documents)
    return {one.document: one for one in engine.store.graph.nodes(engine.project.id, wanted)} if wanted else {}


def _lines(engine: Engine, documents: Sequence[StoredDocument]) -> Mapping[DocumentId, LineIndex]:
    texts = engine.store.documents.texts(engine.project.id, {one.text_hash for one in documents})
    return {one.id: LineIndex(texts[one.text_hash]) for one in documents}


def _line(lines: Mapping[DocumentId, LineIndex], document: DocumentId, edge: Edge) -> int | None:
    return lines[document].lines(edge.span.start, edge.span.end).first if edge.span.length else None


def _edge_text(one: FoundEdge) -> str:
    arrow = {OUT: "→", IN: "←", BOTH: "↔"}[one.direction]
    other = one.place or one.target
    anchor = f"#{one.anchor}" if one.anchor and one.direction == OUT and one.place else ""
    missing = {"document": " (not there)", "anchor": " (no such heading or block)"}.get(one.missing or "", "")
    line = f" line {one.line}" if one.line else ""
    context = f": {one.context}" if one.context else ""
    return one_line(f"{arrow} {one.type} {other}{anchor}{missing}{line}{context}")
