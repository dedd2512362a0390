"""Documents related to one by links, names, meaning, tags or community, each with its reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field

import numpy as np

from octavo.fast_dataclass import Value, dataclass
from octavo.model.document import Kind
from octavo.model.entity import MentionRole
from octavo.model.ids import DocumentId
from octavo.model.link_graph import EdgeType, Node, Walk
from octavo.model.normalised_text_and_spans import short
from octavo.model.query import Filters
from octavo.model.stored_rows import StoredDocument
from octavo.ports import VectorIndex
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_MEANING = 0.5  # what a cosine of 1 adds, as much as a link
_TAG = 0.05
_COMMUNITY = 0.05
_NO_CHANGES = tuple(edge_type for edge_type in EdgeType if edge_type is not EdgeType.CHANGES)
"""What is followed from a file: the thousands of commits that changed it would leave no room for anything else."""
_NAME = 0.1  # what a shared name adds that only these two documents have
_MOST_BY_NAMES = 0.4
_MOST_SHARING = 50  # what more documents name than that says little about any two of them
_LOOKED_AT = 200  # chunks near in meaning


class RelatedDocument(Value):
    place: str
    title: str
    kind: str
    score: float
    why: tuple[str, ...]


class RelatedAnswer(Value):
    collection: str
    uri: str
    title: str
    document_id: str
    documents: tuple[RelatedDocument, ...]


@dataclass(slots=True)
class _Reasons:
    score: float = 0.0
    why: list[str] = field(default_factory=list)


def related(
    library: ProjectLibrary, vectors: VectorIndex | None, document: StoredDocument, filters: Filters, limit: int
) -> RelatedAnswer:
    """By links up to two hops away, a little by shared tags and community, and by meaning if there are `vectors`; each
    says why."""
    graph, project = library.store.graph, library.project.id
    with library.store.reading():
        reasons: dict[DocumentId, _Reasons] = {}
        walk = Walk(hops=2, types=() if document.kind is Kind.COMMIT else _NO_CHANGES)
        direct = list(_direct(library, document))
        beside = {other for other, _, _ in direct}
        for reached in graph.walk(project, {document.id: 1.0}, walk):
            reason = reasons.setdefault(reached.document, _Reasons())
            reason.score += reached.score
            if reached.hops > 1 and reached.document not in beside:
                reason.why.append(f"{reached.hops} links away")
        for other, why, weight in direct:
            reason = reasons.setdefault(other, _Reasons())
            reason.why.insert(0, why)
            # A walk follows only so many links of one document; a link is one all the same.
            reason.score = max(reason.score, walk.decay * weight)
        if vectors is not None:
            for other, cosine in _alike(library, vectors, document, filters):
                reason = reasons.setdefault(other, _Reasons())
                reason.score += _MEANING * cosine
                reason.why.append(f"says similar things ({cosine:.2f})")
        for other, why, worth in _named_alike(library, document):
            reason = reasons.setdefault(other, _Reasons())
            reason.score += worth
            reason.why.append(why)
        reasons.pop(document.id, None)
        found_nodes = graph.nodes(project, reasons) if reasons else ()
        # Whoever asks about a file is told of its commits by `history`; here they would crowd out all else.
        nodes = {
            node.document: node for node in found_nodes if document.kind is Kind.COMMIT or node.kind != Kind.COMMIT
        }
        if not filters.empty:
            met = {each.id for each in library.store.documents.listed(project, filters)}
            nodes = {name: node for name, node in nodes.items() if name in met}
        _share(library, document, nodes, reasons)
    ranked = sorted(nodes.values(), key=lambda node: (-reasons[node.document].score, node.uri, node.collection))
    return RelatedAnswer(
        collection=document.collection,
        uri=document.uri,
        title=short(document.title),
        document_id=document.id,
        documents=tuple(_related(node, reasons[node.document]) for node in ranked[:limit]),
    )


def _direct(library: ProjectLibrary, document: StoredDocument) -> Iterator[tuple[DocumentId, str, float]]:
    """What is linked with it, how, and the weight of the link."""
    graph, project = library.store.graph, library.project.id
    outward = {edge.target: edge for edge in graph.out(project, document.id) if edge.target}
    inward = {edge.source: edge for edge in graph.back(project, document.id)}
    for other, edge in outward.items():
        if other != document.id:
            yield other, f"{_words(edge.type)} from here", edge.weight
    yield from ((other, f"{_words(edge.type)} here", edge.weight) for other, edge in inward.items())
    for link in graph.thematic(project, document.id):
        yield link.target if link.source == document.id else link.source, "about the same", link.weight


def _named_alike(library: ProjectLibrary, document: StoredDocument) -> Iterator[tuple[DocumentId, str, float]]:
    """Documents that name the same people, projects, places or sources: a name counts more, the fewer have it."""
    named: dict[DocumentId, dict[str, float]] = {}
    linked: dict[DocumentId, str] = {}
    for shared in library.store.entities.shared(library.project.id, document.id, _MOST_SHARING):
        roles = shared.role, shared.other_role
        if roles == (MentionRole.AUTHOR, MentionRole.AUTHOR):
            linked.setdefault(shared.document, f"also by {short(shared.entity.label)}")
        elif roles == (MentionRole.MENTION, MentionRole.OWN):
            linked.setdefault(shared.document, "referred to from here")
        elif roles == (MentionRole.OWN, MentionRole.MENTION):
            linked.setdefault(shared.document, "refers here")
        worth = _NAME / math.log2(1 + shared.documents)
        named.setdefault(shared.document, {}).setdefault(shared.entity.label, worth)
    for other, names in named.items():
        reason = linked.get(other) or f"also names {', '.join(short(name) for name in list(names)[:3])}"
        yield other, reason, min(_MOST_BY_NAMES, sum(names.values()))


def _words(kind: EdgeType) -> str:
    return {
        EdgeType.LINKS_TO: "linked",
        EdgeType.EMBEDS: "embedded",
        EdgeType.IMPLEMENTS: "implementation linked",
        EdgeType.TESTS: "tested",
        EdgeType.RELATED: "named as related",
        EdgeType.MENTIONS: "mentioned",
        EdgeType.CHANGES: "changed",
    }.get(kind, kind.value)


def _alike(
    library: ProjectLibrary, vectors: VectorIndex, document: StoredDocument, filters: Filters
) -> Iterator[tuple[DocumentId, float]]:
    """Documents by the chunk of theirs that is nearest to the mean of this one's; none without vectors."""
    store, project = library.store, library.project.id
    own = store.graph.chunks(project, document.id)
    made = list(vectors.vectors_of([key for key, _ in own]).values())
    if not made:
        return
    mean = np.mean(np.stack(made), axis=0)
    length = float(np.linalg.norm(mean))
    if length == 0.0:
        return
    admitted = None if filters.empty else np.asarray(store.documents.admitted(project, filters), dtype=np.int64)
    neighbours = vectors.search((mean / length).astype(np.float32), _LOOKED_AT, admitted)
    known = store.documents.candidates(project, [chunk.key for chunk in neighbours])
    best: dict[DocumentId, float] = {}
    for chunk in neighbours:
        if chunk.key in known:
            best.setdefault(known[chunk.key].document_id, chunk.score)
    yield from ((other, cosine) for other, cosine in best.items() if other != document.id and cosine > 0)


def _share(
    library: ProjectLibrary,
    document: StoredDocument,
    nodes: Mapping[DocumentId, Node],
    reasons: Mapping[DocumentId, _Reasons],
) -> None:
    """What tags and communities add to those already found."""
    tags = {tag.lower(): tag for tag in document.tags}
    communities = library.store.graph.communities(library.project.id, [document.id, *nodes])
    for node in nodes.values():
        shared = [tags[tag.lower()] for tag in node.tags if tag.lower() in tags]
        if shared:
            reasons[node.document].score += _TAG * min(len(shared), 4)
            reasons[node.document].why.append(f"also tagged {', '.join(shared[:3])}")
        number = communities.get(node.document)
        if number is not None and number == communities.get(document.id):
            reasons[node.document].score += _COMMUNITY
            reasons[node.document].why.append("in the same community")


def _related(node: Node, reasons: _Reasons) -> RelatedDocument:
    why = tuple(dict.fromkeys(reasons.why))
    return RelatedDocument(node.place, short(node.title), node.kind, round(reasons.score, 4), why)
