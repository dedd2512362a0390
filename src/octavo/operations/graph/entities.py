"""What documents name: the entities of the library, and where each is named."""

from __future__ import annotations

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.model.document import Kind
from octavo.model.entity import DocumentMention, EntityKind
from octavo.model.ids import DocumentId
from octavo.model.link_graph import ENTITIES
from octavo.model.normalised_text_and_spans import LineIndex, short
from octavo.operations.filter_parsing import filters_of
from octavo.operations.graph.requests import GraphEntitiesRequest, GraphMentionsRequest
from octavo.operations.graph.results import EntitiesAnswer, FoundEntity, FoundMention, MentionsAnswer

_AROUND = 60  # characters of context on each side


def graph_entities(engine: Engine, request: GraphEntitiesRequest) -> EntitiesAnswer:
    kinds = tuple(map(EntityKind, request.entity_kinds))
    store, project = engine.store, engine.project.id
    with store.reading():
        run = store.graph.runs(project).get(ENTITIES)
        if run is None:
            return EntitiesAnswer()
        listed = store.entities.listed(
            project, kinds, request.contains or "", _admitted(engine, request), request.least, request.limit
        )
        total = store.entities.count(project)
    entities = tuple(
        FoundEntity(counted.entity.kind.value, short(counted.entity.label), counted.documents, counted.mentions)
        for counted in listed
    )
    return EntitiesAnswer(entities, total, when(run.at))


def graph_mentions(engine: Engine, request: GraphMentionsRequest) -> MentionsAnswer:
    kind = None if request.entity_kind is None else EntityKind(request.entity_kind)
    store, project = engine.store, engine.project.id
    with store.reading():
        run = store.graph.runs(project).get(ENTITIES)
        if run is None:
            return MentionsAnswer(request.name)
        every = store.entities.mentions(project, request.name, kind)
        admitted = _admitted(engine, request)
        mentions = [mention for mention in every if admitted is None or mention.document in admitted]
        if not mentions:
            raise NotFound(
                f"no document names {request.name}",
                hint="look for a part of the name with `octavo graph entities PART`",
            )
        shown = _shown(engine, mentions[: request.limit])
    kinds = tuple(dict.fromkeys(mention.mention.entity.kind.value for mention in mentions))
    documents = len({mention.document for mention in mentions})
    return MentionsAnswer(short(mentions[0].mention.entity.label), kinds, shown, documents, when(run.at))


def _admitted(engine: Engine, request: GraphEntitiesRequest | GraphMentionsRequest) -> set[DocumentId] | None:
    """The documents that a request is confined to; None where it is not."""
    filters = filters_of(engine, request)
    if filters.empty:
        return None
    return {document.id for document in engine.store.documents.listed(engine.project.id, filters)}


def _shown(engine: Engine, mentions: list[DocumentMention]) -> tuple[FoundMention, ...]:
    store, project = engine.store, engine.project.id
    nodes = {node.document: node for node in store.graph.nodes(project, {mention.document for mention in mentions})}
    stored = {name: store.documents.get(project, name) for name in nodes}
    hashes = {name: document.text_hash for name, document in stored.items() if document is not None}
    texts = store.documents.texts(project, set(hashes.values()))
    shown = []
    for mention in mentions:
        node, span = nodes[mention.document], mention.mention.span
        text = texts.get(hashes.get(mention.document, ""), "")
        there = bool(span.length) and node.kind != Kind.COMMIT and span.end <= len(text)
        around = " ".join(text[max(0, span.start - _AROUND) : span.end + _AROUND].split())
        shown.append(
            FoundMention(
                node.place,
                short(node.title),
                mention.mention.role.value,
                mention.mention.times,
                LineIndex(text).lines(span.start, span.end).first if there else None,
                around if there else None,
            )
        )
    return tuple(shown)
