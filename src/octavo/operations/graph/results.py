"""Answers about the graph: communities, entities, mentions, missing targets, clusters, maps and exports."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class BuildAnswer:
    """The numbers of queued jobs, or with `wait` what was found; `note` says what could not be built."""

    jobs: tuple[int, ...] = ()
    communities: int | None = None
    thematic_links: int | None = None
    section_links: int | None = None
    entities: int | None = None
    note: str | None = None


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


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """`documents` name it, all together `mentions` times."""

    kind: str
    name: str
    documents: int
    mentions: int


@dataclass(frozen=True, slots=True)
class EntitiesAnswer:
    """Those that most documents name first; `found_at` is empty while nobody has looked for any."""

    entities: tuple[FoundEntity, ...] = ()
    total: int = 0
    found_at: str | None = None


@dataclass(frozen=True, slots=True)
class FoundMention:
    """`role` is `mention`, `author`, or `own` where the document is about it or is it; `line` is where first."""

    place: str
    title: str
    role: str
    mentions: int
    line: int | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class MentionsAnswer:
    """`kinds` are those of every entity of this name; `documents` name it. `found_at`: when that was found."""

    name: str
    kinds: tuple[str, ...] = ()
    mentions: tuple[FoundMention, ...] = ()
    documents: int = 0
    found_at: str | None = None


@dataclass(frozen=True, slots=True)
class MissingTarget:
    target: str
    links: int
    source: str


@dataclass(frozen=True, slots=True)
class GhostsAnswer:
    """What links point at and is not in the library, most wanted first; `source` is one document that links there."""

    ghosts: tuple[MissingTarget, ...]


@dataclass(frozen=True, slots=True)
class ClustersAnswer:
    clusters: int
    chunks: int
    unclustered: int
    largest: int
    smallest: int


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file made from the graph, or without a path its text. `left_out` nodes did not fit into a drawing."""

    nodes: int
    edges: int
    path: str | None = None
    text: str | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A chunk on a map: `x` and `y` are between 0 and 1; `cluster` is -1 for one that belongs to none."""

    x: float
    y: float
    cluster: int
    title: str
    collection: str
    uri: str
    line: int


@dataclass(frozen=True, slots=True)
class NamedCluster:
    """A cluster by the words that set it apart, and how many chunks it has."""

    cluster: int
    name: str
    chunks: int


@dataclass(frozen=True, slots=True)
class ClusterMap:
    """`chunks` were clustered, of which some are `points`; the largest of the `clusters` comes first."""

    chunks: int
    clusters: tuple[NamedCluster, ...]
    points: tuple[MapPoint, ...]


@dataclass(frozen=True, slots=True)
class MapFile:
    """A map of the clusters: how many of the chunks are drawn as points."""

    path: str
    points: int
    chunks: int
    clusters: int
