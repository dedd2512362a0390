"""The graph as a whole: its communities, what it points at in vain, and the work over all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument, NotIndexed
from recto.graph.communities import degrees, described
from recto.jobs.graph import NEIGHBOURS, RESOLUTION, SEED, THRESHOLD, find_communities, find_thematic_links
from recto.model.graph import COMMUNITIES, GraphRun
from recto.model.job import JobKind
from recto.model.limits import Field
from recto.observability.progress import Progress
from recto.operations.hits import short, when
from recto.operations.quoting import TITLES, one_line

_BUILD = "run `recto graph build`"


@dataclass(frozen=True, slots=True)
class BuildRequest:
    __pydantic_config__ = {  # noqa: RUF012
        "json_schema_extra": {
            "not": {
                "properties": {"communities": {"const": False}, "thematic_links": {"const": False}},
                "required": ["communities", "thematic_links"],
            }
        }
    }

    communities: Annotated[bool, Field(description="Find communities.")] = True
    thematic_links: Annotated[bool, Field(description="Link documents that are near in meaning.")] = True
    resolution: Annotated[float, Field(gt=0, le=100, description="Higher makes more, smaller communities.")] = (
        RESOLUTION
    )
    seed: Annotated[int, Field(ge=0, le=2**31, description="The same seed gives the same communities.")] = SEED
    threshold: Annotated[float, Field(ge=0, le=1, description="Least cosine of a thematic link.")] = THRESHOLD
    neighbours: Annotated[int, Field(ge=1, le=100, description="Thematic links from one document at most.")] = (
        NEIGHBOURS
    )
    wait: Annotated[bool, Field(description="Do it now rather than leave it to a worker.")] = False


@dataclass(frozen=True, slots=True)
class BuildAnswer:
    """Jobs by number when the work was promised; what was found when it was waited for, and why not all of it."""

    jobs: tuple[int, ...] = ()
    communities: int | None = None
    thematic_links: int | None = None
    note: str | None = None


def graph_build(engine: Engine, request: BuildRequest, progress: Progress) -> BuildAnswer:
    """Thematic links first, so that communities take them in."""
    if not request.communities and not request.thematic_links:
        raise InvalidArgument("there is nothing to build", hint="leave communities or thematic_links on")
    store, project = engine.store, engine.project.id
    themes = {"threshold": request.threshold, "neighbours": request.neighbours}
    groups = {"resolution": request.resolution, "seed": request.seed}
    if not request.wait:
        with store.transaction():
            jobs = []
            if request.thematic_links:
                jobs.append(store.outbox.enqueue(project, JobKind.THEMATIC_LINKS, "graph", themes))
            if request.communities:
                jobs.append(store.outbox.enqueue(project, JobKind.COMMUNITIES, "graph", groups))
        return BuildAnswer(tuple(jobs))
    links = numbers = note = None
    progress.start("graph", request.communities + request.thematic_links, "steps")
    try:
        if request.thematic_links:
            try:
                links = find_thematic_links(store, project, engine.embedder.profile, themes)
            except NotIndexed as error:
                if not request.communities:
                    raise
                # Communities are made of links too, and need no vectors.
                note = f"No thematic links: {error.message}; {error.hint}."
            progress.advance(1, "thematic links")
        if request.communities:
            numbers = find_communities(store, project, groups)
            progress.advance(1, "communities")
    finally:
        progress.finish()
    return BuildAnswer(communities=numbers, thematic_links=links, note=note)


def build_text(answer: BuildAnswer) -> str:
    if answer.jobs:
        return f"Promised: jobs {', '.join(map(str, answer.jobs))}. A worker does them."
    done = []
    if answer.thematic_links is not None:
        done.append(f"{answer.thematic_links} thematic links")
    if answer.communities is not None:
        done.append(f"{answer.communities} communities of more than one document")
    return f"Found {' and '.join(done)}.{f' {answer.note}' if answer.note else ''}"


@dataclass(frozen=True, slots=True)
class CommunitiesRequest:
    limit: Annotated[int, Field(ge=1, le=1_000, description="How many communities at most.")] = 20
    members: Annotated[int, Field(ge=1, le=1_000, description="How many documents of each at most.")] = 5
    smallest: Annotated[int, Field(ge=1, le=10_000, description="Only communities of at least so many.")] = 2


@dataclass(frozen=True, slots=True)
class FoundCommunity:
    community: int
    name: str
    size: int
    tags: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommunitiesAnswer:
    """Empty while none have been looked for; `current` is false when the library changed since they were."""

    communities: tuple[FoundCommunity, ...] = ()
    total: int = 0
    modularity: float = 0.0
    found_at: str | None = None
    current: bool = False


def graph_communities(engine: Engine, request: CommunitiesRequest) -> CommunitiesAnswer:
    graph, project = engine.store.graph, engine.project.id
    with engine.store.reading():
        run = graph.runs(project).get(COMMUNITIES)
        if run is None:
            return CommunitiesAnswer()
        nodes, edges, numbers = graph.nodes(project), graph.edges(project), graph.communities(project)
        current = _current(engine, run)
    places = {node.document: f"{node.collection}/{node.uri}" for node in nodes}
    large = [one for one in described(nodes, numbers, degrees(edges)) if len(one.documents) >= request.smallest]
    shown = tuple(
        FoundCommunity(
            community=one.number,
            name=short(one.name),
            size=len(one.documents),
            tags=one.tags,
            documents=tuple(places[document] for document in one.documents[: request.members]),
        )
        for one in large[: request.limit]
    )
    return CommunitiesAnswer(shown, len(large), run.facts.get("modularity", 0.0), when(run.at), current)


def communities_text(answer: CommunitiesAnswer) -> str:
    if answer.found_at is None:
        return f"No communities have been looked for yet: {_BUILD}."
    old = "" if answer.current else f" The library has changed since: {_BUILD}."
    head = f"{answer.total} communities, modularity {answer.modularity:.2f}, found {answer.found_at}.{old} {TITLES}"
    lines = []
    for one in answer.communities:
        tags = f" [{', '.join(one.tags)}]" if one.tags else ""
        lines.append(one_line(f"{one.community}: {one.size} documents{tags}: {one.name}"))
        lines += [one_line(f"   {place}") for place in one.documents]
    return "\n".join([head, "", *lines])


def _current(engine: Engine, run: GraphRun) -> bool:
    """The run was written by the transaction that made the generation it names one higher."""
    return engine.store.generation() <= run.generation + 1


@dataclass(frozen=True, slots=True)
class GhostsRequest:
    limit: Annotated[int, Field(ge=1, le=10_000, description="How many at most.")] = 50


@dataclass(frozen=True, slots=True)
class MissingTarget:
    target: str
    links: int
    source: str


@dataclass(frozen=True, slots=True)
class GhostsAnswer:
    """What links point at and is not in the library, most wanted first; `source` is one document that links there."""

    ghosts: tuple[MissingTarget, ...]


def graph_ghosts(engine: Engine, request: GhostsRequest) -> GhostsAnswer:
    found = engine.store.graph.ghosts(engine.project.id, request.limit)
    return GhostsAnswer(tuple(MissingTarget(one.path, one.links, one.source) for one in found))


def ghosts_text(answer: GhostsAnswer) -> str:
    lines = [one_line(f"- {one.target}: {_where(one)}") for one in answer.ghosts]
    return "\n".join(lines) or "Every link leads somewhere."


def _where(one: MissingTarget) -> str:
    return f"in {one.source}" if one.links == 1 else f"{one.links} links, one in {one.source}"
