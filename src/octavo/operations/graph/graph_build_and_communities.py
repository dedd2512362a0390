"""The graph as a whole: its communities, links that lead nowhere, and the work over all of it."""

from __future__ import annotations

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotIndexed
from octavo.graph.communities_and_thematic_links import degrees, described
from octavo.jobs.communities_and_thematic_links import find_communities, find_thematic_links
from octavo.jobs.entity_finding import EntitySettings, estimate, find_entities
from octavo.model.job import JobKind
from octavo.model.link_graph import COMMUNITIES, ENTITIES, GraphRun
from octavo.model.normalised_text_and_spans import short
from octavo.observability.progress import Progress
from octavo.operations.graph.requests import BY_MODEL, GraphBuildRequest, GraphCommunitiesRequest, GraphGhostsRequest
from octavo.operations.graph.results import BuildAnswer, CommunitiesAnswer, FoundCommunity, GhostsAnswer, MissingTarget
from octavo.operations.same_named_fields import filled


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
