"""What a document points at, what points at it, and what else belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from octavo.algorithms.text.document_name_normalisation import without_ending
from octavo.fast_dataclass import Value
from octavo.graph.anchor_resolution import anchored
from octavo.model.document import Kind
from octavo.model.entity import CITED, MentionRole, SharedEntity
from octavo.model.ids import DocumentId
from octavo.model.link_graph import BOTH, ENTITY_EDGES, IN, OUT, WEIGHTS, WRITTEN_BY_PEOPLE, Edge, EdgeType, Node, Walk
from octavo.model.memory import memory_of
from octavo.model.normalised_text_and_spans import LineIndex, short
from octavo.model.stored_rows import StoredDocument
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_MOST_SHARING = 200  # what more documents name than that says nothing about any two of them

FindDocument = Callable[[str], StoredDocument | None]


class NeighborTerms(Protocol):
    """Which neighbours of what are shown: edges of some types, or of all, one way or both, and how many hops away."""

    @property
    def reference(self) -> str: ...
    @property
    def types(self) -> tuple[str, ...]: ...
    @property
    def direction(self) -> str: ...
    @property
    def hops(self) -> int: ...
    @property
    def limit(self) -> int: ...


class FoundEdge(Value):
    """`place` is the document at the other end as collection/uri; without one, `target` is a tag or not there.

    Where the other end is an entity, `entity` is its kind.
    """

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
    entity: str | None = None


class FarDocument(Value):
    place: str
    title: str
    hops: int
    score: float


class NeighborsAnswer(Value):
    """`backlinks` and `linking` count every link to the document and the documents they are in. A `ghost` is linked to
    and not there: it has no collection, no id and nothing but links to it."""

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
    ghost: bool = False


def neighbors(
    library: ProjectLibrary, document: StoredDocument, request: NeighborTerms, find: FindDocument
) -> NeighborsAnswer:
    """What a document points at, what points at it, and what else belongs to it. `find` is asked for the documents
    that memories name by hand."""
    types = tuple(map(EdgeType, request.types))
    graph, project = library.store.graph, library.project.id
    with library.store.reading():
        edges: list[FoundEdge] = []
        if request.direction != IN:
            # An import that leads nowhere names a package from elsewhere, and is no link that somebody has to mend.
            led = [
                edge
                for edge in graph.out(project, document.id, types)
                if edge.target or edge.lookup in WRITTEN_BY_PEOPLE
            ]
            edges += _shown_out(library, document, led[: request.limit], types, find)
        if request.direction != OUT:
            edges += _shown_back(library, graph.back(project, document.id, types, request.limit))
        edges += _thematic(library, document, types)
        edges += _entities(library, document, types, request)
        backlinks, linking = graph.back_count(project, document.id)
        further = _further(library, document, types, request) if request.hops > 1 else ()
        community = graph.communities(project, [document.id]).get(document.id)
    return NeighborsAnswer(
        collection=document.collection,
        uri=document.uri,
        title=short(document.title),
        document_id=document.id,
        edges=tuple(edges[: request.limit * 3]),
        backlinks=backlinks,
        linking=linking,
        further=further,
        tags=document.tags[:20],
        community=community,
    )


def missing_document(library: ProjectLibrary, request: NeighborTerms) -> NeighborsAnswer | None:
    """What points at something that is not there; None where nothing does."""
    types = tuple(map(EdgeType, request.types))
    with library.store.reading():
        edges = library.store.graph.back_to_ghost(library.project.id, request.reference)
        admitted = [edge for edge in edges if not types or edge.type in types]
        backlinks = () if request.direction == OUT else tuple(_shown_back(library, admitted[: request.limit]))
    if not edges:
        return None
    return NeighborsAnswer(
        collection="",
        uri=edges[0].path,
        title=short(edges[0].path),
        document_id="",
        edges=backlinks,
        backlinks=len(edges),
        linking=len({edge.source for edge in edges}),
        ghost=True,
    )


def _memory_types(library: ProjectLibrary, nodes: Iterable[Node]) -> Mapping[tuple[DocumentId, str], str]:
    """How memories among these say that they relate to what they link to, by document and target."""
    memories = {node.document: memory_of(node.uri) for node in nodes if node.kind == Kind.MEMORY}
    items = {document: library.store.memories.get(library.project.id, name) for document, name in memories.items()}
    return {
        (document, without_ending(link.target)): link.type
        for document, item in items.items()
        if item is not None
        for link in item.links
    }


def _shown_out(
    library: ProjectLibrary,
    document: StoredDocument,
    edges: Sequence[Edge],
    types: Sequence[EdgeType],
    find: FindDocument,
) -> Iterator[FoundEdge]:
    nodes = _nodes(library, (*(edge.target for edge in edges if edge.target), document.id))
    lines = _lines(library, [document])
    named = _memory_types(library, [nodes[document.id]])
    for edge in edges:
        node = nodes.get(edge.target) if edge.target else None
        yield FoundEdge(
            direction=OUT,
            type=named.get((document.id, edge.path), edge.type.value),
            target=edge.path,
            place=node.place if node else None,
            title=short(node.title) if node else None,
            anchor=edge.anchor,
            line=_line(lines, document.id, edge),
            context=edge.context or None,
            missing=_missing(library, edge),
            weight=edge.weight,
        )
    if not types or EdgeType.MENTIONS in types:
        written = {edge.path for edge in edges}
        for (_, target), name in named.items():
            if target not in written:  # made by hand, and not by the memory's text
                other = find(target)
                yield FoundEdge(OUT, name, target, place=f"{other.collection}/{other.uri}" if other else None)
        for tag in document.tags:
            yield FoundEdge(direction=OUT, type=EdgeType.MENTIONS.value, target=f"#{tag}")
    if EdgeType.CONTAINS in types:
        for section in library.store.documents.sections(library.project.id, document.id):
            if section.level:
                target = f"#{section.anchor}"
                yield FoundEdge(OUT, EdgeType.CONTAINS.value, target, title=short(section.title), anchor=section.anchor)


def _shown_back(library: ProjectLibrary, edges: Sequence[Edge]) -> Iterator[FoundEdge]:
    nodes = _nodes(library, (edge.source for edge in edges))
    stored = [library.store.documents.get(library.project.id, source) for source in nodes]
    lines = _lines(library, [document for document in stored if document is not None])
    named = _memory_types(library, nodes.values())
    for edge in sorted(edges, key=lambda edge: (nodes[edge.source].uri, edge.span.start)):
        node = nodes[edge.source]
        yield FoundEdge(
            direction=IN,
            type=named.get((edge.source, edge.path), edge.type.value),
            target=edge.path,
            place=node.place,
            title=short(node.title),
            anchor=edge.anchor,
            line=_line(lines, edge.source, edge),
            context=edge.context or None,
            weight=edge.weight,
        )


def _thematic(library: ProjectLibrary, document: StoredDocument, types: Sequence[EdgeType]) -> Iterator[FoundEdge]:
    if types and EdgeType.THEMATIC_LINK not in types:
        return
    links = library.store.graph.thematic(library.project.id, document.id)
    nodes = _nodes(library, (link.target if link.source == document.id else link.source for link in links))
    for link in sorted(links, key=lambda link: -link.weight):
        node = nodes[link.target if link.source == document.id else link.source]
        yield FoundEdge(BOTH, EdgeType.THEMATIC_LINK.value, node.uri, node.place, short(node.title), weight=link.weight)
    yield from _between_sections(library, document)


def _between_sections(library: ProjectLibrary, document: StoredDocument) -> Iterator[FoundEdge]:
    """What sections of it have in common with sections of others; the context names both."""
    links = library.store.entities.section_links(library.project.id, document.id)
    nodes = _nodes(library, (link.target if link.source == document.id else link.source for link in links))
    for link in links:
        here = (link.source_title, link.target_title)
        other, anchor, titles = link.target, link.target_anchor, here
        if link.source != document.id:
            other, anchor, titles = link.source, link.source_anchor, here[::-1]
        if other in nodes:
            yield FoundEdge(
                BOTH,
                EdgeType.THEMATIC_LINK.value,
                f"{nodes[other].uri}#{anchor}",
                nodes[other].place,
                short(nodes[other].title),
                anchor,
                context=" \u2194 ".join(map(short, titles)),
                weight=link.weight,
            )


def _entities(
    library: ProjectLibrary, document: StoredDocument, types: Sequence[EdgeType], request: NeighborTerms
) -> Iterator[FoundEdge]:
    """The entities it names, other documents by its author, and those that it refers to, or that refer to it."""
    kinds = set(types or EdgeType)
    if kinds.isdisjoint(ENTITY_EDGES):
        return
    store, project = library.store, library.project.id
    mentions = store.entities.of_document(project, document.id)
    lines = _lines(library, [document]) if mentions else {}
    for mention in mentions[: request.limit]:
        kind, span = mention.mention.entity.kind, mention.mention.span
        cited = kind in CITED and mention.mention.role is MentionRole.MENTION
        type_, direction = (EdgeType.REFERENCES, OUT) if cited else (EdgeType.MENTIONED_IN, IN)
        if type_ in kinds and request.direction in (direction, BOTH):
            yield FoundEdge(
                direction,
                type_.value,
                mention.mention.entity.label,
                line=lines[document.id].lines(span.start, span.end).first if span.length else None,
                weight=WEIGHTS[type_],
                entity=kind.value,
            )
    shared = store.entities.shared(project, document.id, _MOST_SHARING)
    nodes = _nodes(library, (sharing.document for sharing in shared))
    seen: set[tuple[DocumentId, EdgeType, str]] = set()
    for sharing in shared:
        edge = _between(sharing)
        if edge is None or edge[0] not in kinds or (sharing.document, *edge) in seen or sharing.document not in nodes:
            continue
        seen.add((sharing.document, *edge))
        if edge[1] in (request.direction, BOTH) or request.direction == BOTH:
            node = nodes[sharing.document]
            yield FoundEdge(
                edge[1],
                edge[0].value,
                node.uri,
                node.place,
                short(node.title),
                context=sharing.entity.label,
                weight=WEIGHTS[edge[0]],
                entity=sharing.entity.kind.value,
            )


def _between(shared: SharedEntity) -> tuple[EdgeType, str] | None:
    """How two documents that share an entity are linked by it, if they are: the type, and which way."""
    roles = shared.role, shared.other_role
    if roles == (MentionRole.AUTHOR, MentionRole.AUTHOR):
        return EdgeType.SAME_AUTHOR, BOTH
    if roles == (MentionRole.MENTION, MentionRole.OWN):
        return EdgeType.REFERENCES, OUT
    if roles == (MentionRole.OWN, MentionRole.MENTION):
        return EdgeType.REFERENCES, IN
    return None


def _further(
    library: ProjectLibrary, document: StoredDocument, types: tuple[EdgeType, ...], request: NeighborTerms
) -> tuple[FarDocument, ...]:
    walk = Walk(hops=request.hops, types=types)
    reached = library.store.graph.walk(library.project.id, {document.id: 1.0}, walk)
    far = [node for node in reached if node.hops > 1 and node.document != document.id][: request.limit]
    nodes = _nodes(library, (node.document for node in far))
    return tuple(
        FarDocument(nodes[node.document].place, short(nodes[node.document].title), node.hops, round(node.score, 4))
        for node in far
    )


def _missing(library: ProjectLibrary, edge: Edge) -> str | None:
    """What a link asks for and does not get: the document, or the heading or block in it."""
    if edge.target is None:
        return "document"
    if not edge.anchor:
        return None
    target = library.store.documents.get(library.project.id, edge.target)
    sections = library.store.documents.sections(library.project.id, edge.target)
    return None if target and anchored(sections, target.metadata, edge.anchor) is not None else "anchor"


def _nodes(library: ProjectLibrary, documents: Iterable[DocumentId]) -> Mapping[DocumentId, Node]:
    keys = set(documents)
    return {node.document: node for node in library.store.graph.nodes(library.project.id, keys)} if keys else {}


def _lines(library: ProjectLibrary, documents: Sequence[StoredDocument]) -> Mapping[DocumentId, LineIndex]:
    texts = library.store.documents.texts(library.project.id, {document.text_hash for document in documents})
    return {document.id: LineIndex(texts[document.text_hash]) for document in documents}


def _line(lines: Mapping[DocumentId, LineIndex], document: DocumentId, edge: Edge) -> int | None:
    return lines[document].lines(edge.span.start, edge.span.end).first if edge.span.length else None
