"""Answers about the graph: communities, entities, mentions, clusters, maps, exports; and their lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_TITLES
from octavo.fast_dataclass import Value
from octavo.graph.neighbors import FoundEdge, NeighborsAnswer
from octavo.graph.related_documents import RelatedAnswer
from octavo.model.link_graph import BOTH, IN, OUT
from octavo.operations.styled_answer_lines import DETAIL, Line, Part, columns, count, visible


class BuildAnswer(Value):
    """The numbers of queued jobs, or with `wait` what was found; `note` says what could not be built."""

    jobs: tuple[int, ...] = ()
    communities: int | None = None
    thematic_links: int | None = None
    section_links: int | None = None
    entities: int | None = None
    note: str | None = None


class FoundCommunity(Value):
    community: int
    name: str
    size: int
    tags: tuple[str, ...]
    documents: tuple[str, ...]


class CommunitiesAnswer(Value):
    """Empty while none have been looked for; `current` is false when the library changed since they were."""

    communities: tuple[FoundCommunity, ...] = ()
    total: int = 0
    modularity: float = 0.0
    found_at: str | None = None
    current: bool = False


class FoundEntity(Value):
    """`documents` name it, all together `mentions` times."""

    kind: str
    name: str
    documents: int
    mentions: int


class EntitiesAnswer(Value):
    """Those that most documents name first; `found_at` is empty while nobody has looked for any."""

    entities: tuple[FoundEntity, ...] = ()
    total: int = 0
    found_at: str | None = None


class FoundMention(Value):
    """`role` is `mention`, `author`, or `own` where the document is about it or is it; `line` is where first."""

    place: str
    title: str
    role: str
    mentions: int
    line: int | None = None
    context: str | None = None


class MentionsAnswer(Value):
    """`kinds` are those of every entity of this name; `documents` name it. `found_at`: when that was found."""

    name: str
    kinds: tuple[str, ...] = ()
    mentions: tuple[FoundMention, ...] = ()
    documents: int = 0
    found_at: str | None = None


class MissingTarget(Value):
    target: str
    links: int
    source: str


class GhostsAnswer(Value):
    """What links point at and is not in the library, most wanted first; `source` is one document that links there."""

    ghosts: tuple[MissingTarget, ...]


class ClustersAnswer(Value):
    clusters: int
    chunks: int
    unclustered: int
    largest: int
    smallest: int


class GraphFile(Value):
    """A file made from the graph, or without a path its text. `left_out` nodes did not fit into a drawing."""

    nodes: int
    edges: int
    path: str | None = None
    text: str | None = None
    left_out: int = 0


class MapPoint(Value):
    """A chunk on a map: `x` and `y` are between 0 and 1; `cluster` is -1 for one that belongs to none."""

    x: float
    y: float
    cluster: int
    title: str
    collection: str
    uri: str
    line: int


class NamedCluster(Value):
    """A cluster by the words that set it apart, and how many chunks it has."""

    cluster: int
    name: str
    chunks: int


class ClusterMap(Value):
    """`chunks` were clustered, of which some are `points`; the largest of the `clusters` comes first."""

    chunks: int
    clusters: tuple[NamedCluster, ...]
    points: tuple[MapPoint, ...]


class MapFile(Value):
    """A map of the clusters: how many of the chunks are drawn as points."""

    path: str
    points: int
    chunks: int
    clusters: int


BUILD = "run `octavo graph build`"
_ARROWS = {OUT: "→", IN: "←", BOTH: "↔"}
_MISSING = {"document": "  not there", "anchor": "  no such heading or block"}


def neighbors_lines(answer: NeighborsAnswer) -> Iterator[Line]:
    place = f"{answer.collection}/{answer.uri}"
    if answer.ghost:
        yield Part(answer.title, "title"), Part("  linked to, and not there", "dim")
    else:
        yield Part(answer.title, "title"), Part("  "), Part(place, "place", place)
    yield (Part(f"{count(answer.backlinks, 'link')} from {count(answer.linking, 'document')} to it", "dim"),)
    yield (Part(QUOTED_TITLES, DETAIL),)
    for edge in answer.edges:
        yield from _edge(edge)
    if not answer.edges:
        yield (Part("It points at nothing, and nothing points at it."),)
    if answer.tags:
        yield (Part(f"Tags: {', '.join(answer.tags)}", DETAIL),)
    if answer.further:
        yield (Part("Farther away", "heading"),)
        rows = [
            (Part(far.place, "place", far.place), Part(f"{far.hops} hops"), Part(f"{far.score:.2f}", "dim"))
            for far in answer.further
        ]
        yield from columns(rows)


def _edge(edge: FoundEdge) -> Iterator[Line]:
    anchor = f"#{edge.anchor}" if edge.anchor and edge.place and edge.direction == OUT else ""
    line = f":{edge.line}" if edge.line and edge.direction == IN else ""
    yield (
        Part(f"{_ARROWS[edge.direction]} "),
        Part(f"{edge.type:<13} ", "dim"),
        Part(f"{edge.entity} " if edge.entity and not edge.place else "", "dim"),
        Part(f"{edge.place or edge.target}{line}{anchor}", "place" if edge.place else "", edge.place),
        Part(_MISSING.get(edge.missing or "", ""), "warn"),
        Part(f"  line {edge.line}" if edge.line and edge.direction == OUT else "", DETAIL),
    )
    if edge.context:
        yield (Part(f"                {edge.context}", "dim"),)


def related_lines(answer: RelatedAnswer) -> Iterator[Line]:
    yield (Part(f"Related to {answer.title} ({answer.collection}/{answer.uri}). {QUOTED_TITLES}", DETAIL),)
    rows = [
        (Part(f"{other.score:.2f}", "dim"), Part(other.place, "place", other.place), Part(", ".join(other.why)))
        for other in answer.documents
    ]
    for line, other in zip(columns(rows) if rows else (), answer.documents, strict=True):
        yield *line, Part(f": {other.title}", DETAIL)
    if not rows:
        yield (Part("Nothing is linked to it or says similar things."),)


def build_lines(answer: BuildAnswer) -> Iterator[Line]:
    if answer.jobs:
        yield (Part(f"Queued as jobs {', '.join(map(str, answer.jobs))}. A worker does them."),)
        return
    done = []
    if answer.thematic_links is not None:
        done.append(count(answer.thematic_links, "thematic link"))
    if answer.section_links:
        done.append(f"{answer.section_links:,} between sections")
    if answer.communities is not None:
        done.append(f"{count(answer.communities, 'community', 'communities')} of more than one document")
    if answer.entities is not None:
        done.append(count(answer.entities, "entity", "entities"))
    yield (Part(f"Found {', '.join(done[:-1])}{' and ' if len(done) > 1 else ''}{done[-1]}."),)
    if answer.note:
        yield (Part(answer.note, "warn"),)


def communities_lines(answer: CommunitiesAnswer) -> Iterator[Line]:
    if answer.found_at is None:
        yield (Part(f"No communities have been looked for yet: {BUILD}."),)
        return
    summary = count(answer.total, "community", "communities")
    yield (Part(f"{summary}, modularity {answer.modularity:.2f}, found {answer.found_at[:16]}", "dim"),)
    if not answer.current:
        yield (Part(f"The library has changed since: {BUILD}.", "warn"),)
    yield (Part(QUOTED_TITLES, DETAIL),)
    for community in answer.communities:
        tags = f"  {' '.join('#' + tag for tag in community.tags)}" if community.tags else ""
        yield (
            Part(f"{community.community:>3}  "),
            Part(community.name, "title"),
            Part(f"  {count(community.size, 'document')}{tags}", "dim"),
        )
        for place in community.documents:
            yield Part("     "), Part(place, "place", place)


def entities_lines(answer: EntitiesAnswer) -> Iterator[Line]:
    if answer.found_at is None:
        yield (Part(f"Nobody has looked for entities yet: {BUILD}."),)
        return
    rows = [
        (
            Part(entity.kind, "dim"),
            Part(entity.name, "title"),
            Part(f"in {count(entity.documents, 'document')}", "dim"),
            Part(f"{entity.mentions} times" if entity.mentions > entity.documents else "", "dim"),
        )
        for entity in answer.entities
    ]
    yield from columns(rows) if rows else [(Part("No document names anything like it."),)]
    yield (Part(QUOTED_TITLES, DETAIL),)


def mentions_lines(answer: MentionsAnswer) -> Iterator[Line]:
    if answer.found_at is None:
        yield (Part(f"Nobody has looked for entities yet: {BUILD}."),)
        return
    yield (
        Part(answer.name, "title"),
        Part(f"  {', '.join(answer.kinds)}, in {count(answer.documents, 'document')}", "dim"),
    )
    yield (Part(QUOTED_TITLES, DETAIL),)
    for mention in answer.mentions:
        line = f":{mention.line}" if mention.line else ""
        role = {"author": "written by", "own": "is about it"}.get(mention.role, "")
        often = f"{mention.mentions} times" if mention.mentions > 1 else ""
        yield (
            Part(f"{mention.place}{line}", "place", mention.place),
            Part(f"  {', '.join(filter(None, (role, often)))}".rstrip(), "dim"),
        )
        if mention.context:
            yield (Part(f"     {mention.context}", "dim"),)


def graph_file_lines(answer: GraphFile) -> Iterator[Line]:
    left_out = f"; {count(answer.left_out, 'node')} did not fit" if answer.left_out else ""
    yield (Part(f"{answer.path}: {count(answer.nodes, 'node')}, {count(answer.edges, 'link')}{left_out}"),)


def clusters_lines(answer: ClustersAnswer) -> Iterator[Line]:
    if not answer.clusters:
        message = f"No cluster: no group of the {count(answer.chunks, 'chunk')} stands apart from the others."
        yield (Part(f"{message} `octavo cluster build` without --algorithm divides all of them."),)
        return
    summary = f"{count(answer.chunks, 'chunk')} in {count(answer.clusters, 'cluster')}"
    summary += f" of {answer.smallest} to {answer.largest}"
    yield (Part(summary + (f", {answer.unclustered} in none" if answer.unclustered else "")),)


def cluster_map_lines(answer: ClusterMap) -> Iterator[Line]:
    yield (Part(f"{len(answer.points):,} of {answer.chunks:,} chunks drawn"),)
    for cluster in answer.clusters:
        yield Part(visible(cluster.name), "title"), Part(f"  {cluster.chunks:,} chunks", "dim")


def map_file_lines(answer: MapFile) -> Iterator[Line]:
    shown = f"{answer.points:,} of {count(answer.chunks, 'chunk')}"
    shown = shown if answer.points < answer.chunks else count(answer.chunks, "chunk")
    yield (Part(f"{answer.path}: {shown} in {count(answer.clusters, 'cluster')}. Open it in a browser."),)
