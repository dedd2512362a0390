"""What documents are linked to, whom and what they name, which belong together; and building that anew."""

from __future__ import annotations

from contextlib import suppress

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound, NotIndexed, OctavoError
from octavo.graph.communities_and_thematic_links import degrees, described
from octavo.graph.neighbors import NeighborsAnswer, missing_document, neighbors
from octavo.graph.related_documents import RelatedAnswer, related
from octavo.jobs.communities_and_thematic_links import find_communities, find_thematic_links
from octavo.jobs.entity_finding import EntitySettings, estimate, find_entities
from octavo.model.document import Kind
from octavo.model.entity import DocumentMention, EntityKind
from octavo.model.ids import DocumentId
from octavo.model.job import JobKind
from octavo.model.link_graph import COMMUNITIES, ENTITIES, GraphRun
from octavo.model.normalised_text_and_spans import LineIndex, short
from octavo.model.stored_rows import StoredDocument
from octavo.observability.progress import Progress
from octavo.operations.answer_conversion import filled
from octavo.operations.filter_parsing import filters_of
from octavo.operations.graph.requests import (
    BY_MODEL,
    GraphBuildRequest,
    GraphCommunitiesRequest,
    GraphEntitiesRequest,
    GraphGhostsRequest,
    GraphMentionsRequest,
    GraphNeighborsRequest,
    GraphRelatedRequest,
)
from octavo.operations.graph.results import (
    BuildAnswer,
    CommunitiesAnswer,
    EntitiesAnswer,
    FoundCommunity,
    FoundEntity,
    FoundMention,
    GhostsAnswer,
    MentionsAnswer,
    MissingTarget,
)
from octavo.retrieval.reference_resolution import read_passage


def graph_neighbors(engine: Engine, request: GraphNeighborsRequest) -> NeighborsAnswer:
    def find(reference: str) -> StoredDocument | None:
        with suppress(OctavoError):
            return read_passage(engine, reference).document
        return None

    try:
        document = read_passage(engine, request.reference, request.collection).document
    except NotFound:
        if ghost := missing_document(engine, request):
            return ghost
        raise
    return neighbors(engine, document, request, find)


def graph_related(engine: Engine, request: GraphRelatedRequest) -> RelatedAnswer:
    document = read_passage(engine, request.reference, request.collection).document
    vectors = engine.vectors if request.by_meaning else None
    return related(engine, vectors, document, filters_of(engine, request), request.limit)


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


def graph_build(engine: Engine, request: GraphBuildRequest, progress: Progress) -> BuildAnswer:
    """Thematic links first, so that communities take them in."""
    if not request.communities and not request.thematic_links and not request.entities:
        raise InvalidArgument("there is nothing to build", hint="leave communities, thematic_links or entities on")
    named = _entity_settings(engine, request)
    store, project = engine.store, engine.project.id
    themes = {"threshold": request.threshold, "neighbours": request.neighbours}
    groups = {"resolution": request.resolution, "seed": request.seed}
    if not request.wait:
        with store.transaction():
            jobs = []
            if request.entities:
                jobs.append(store.outbox.enqueue(project, JobKind.ENTITIES, ENTITIES, named.facts()))
            if request.thematic_links:
                jobs.append(store.outbox.enqueue(project, JobKind.THEMATIC_LINKS, "graph", themes))
            if request.communities:
                jobs.append(store.outbox.enqueue(project, JobKind.COMMUNITIES, "graph", groups))
        return BuildAnswer(tuple(jobs))
    links = numbers = note = entities = None
    progress.start("graph", request.communities + request.thematic_links + request.entities, "steps")
    try:
        # Communities come last: whatever is written after them makes them look out of date.
        if request.entities:
            extracted = find_entities(engine, named)
            entities = store.entities.count(project)
            if extracted.stopped:
                note = f"{extracted.left:,} documents were not read for entities: {extracted.stopped}."
            progress.advance(1, "entities")
        if request.thematic_links:
            try:
                links = find_thematic_links(store, project, engine.embedder.profile, themes)
            except NotIndexed as error:
                if not request.communities:
                    raise
                # Communities are made of links too, and need no vectors.
                note = f"{note or ''} No thematic links: {error.message}; {error.hint}.".strip()
            progress.advance(1, "thematic links")
        if request.communities:
            numbers = find_communities(store, project, groups)
            progress.advance(1, "communities")
    finally:
        progress.finish()
    return BuildAnswer(
        communities=numbers,
        thematic_links=None if links is None else links.documents,
        section_links=None if links is None else links.sections,
        entities=entities,
        note=note,
    )


def _entity_settings(engine: Engine, request: GraphBuildRequest) -> EntitySettings:
    """A model is only asked within a budget, and after saying what it would take."""
    settings = EntitySettings(request.entities_by == BY_MODEL, request.budget)
    if request.entities and settings.by_model and not settings.budget:
        would = estimate(engine)
        raise InvalidArgument(
            f"a model would be called {would.calls:,} times for about {would.tokens:,} tokens, which costs about"
            f" {would.cost:.2f}",
            hint="say with --budget how many tokens it may take",
            details={"calls": would.calls, "tokens": would.tokens, "cost": would.cost},
        )
    return settings


def graph_communities(engine: Engine, request: GraphCommunitiesRequest) -> CommunitiesAnswer:
    graph, project = engine.store.graph, engine.project.id
    with engine.store.reading():
        run = graph.runs(project).get(COMMUNITIES)
        if run is None:
            return CommunitiesAnswer()
        nodes, edges, numbers = graph.nodes(project), graph.edges(project), graph.communities(project)
        current = _current(engine, run)
    places = {node.document: node.place for node in nodes}
    communities = described(nodes, numbers, degrees(edges))
    large = [community for community in communities if len(community.documents) >= request.smallest]
    shown = tuple(
        filled(
            FoundCommunity,
            community,
            community=community.number,
            name=short(community.name),
            size=len(community.documents),
            documents=tuple(places[document] for document in community.documents[: request.members]),
        )
        for community in large[: request.limit]
    )
    return CommunitiesAnswer(shown, len(large), run.facts.get("modularity", 0.0), when(run.at), current)


def _current(engine: Engine, run: GraphRun) -> bool:
    """The run was written by the transaction that made the generation it names one higher."""
    return engine.store.generation() <= run.generation + 1


def graph_ghosts(engine: Engine, request: GraphGhostsRequest) -> GhostsAnswer:
    ghosts = engine.store.graph.ghosts(engine.project.id, request.limit)
    return GhostsAnswer(tuple(MissingTarget(ghost.path, ghost.links, ghost.source) for ghost in ghosts))
