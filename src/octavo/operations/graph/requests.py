"""What is asked about the graph: about one document, about the whole, and for files made from it."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.graph import NEIGHBOURS, RESOLUTION, SEED, THRESHOLD, EdgeType
from octavo.model.limits import Field
from octavo.operations import fields

OUT, IN, BOTH = "out", "in", "both"
BY_RULES, BY_MODEL = "rules", "model"
ENTITY_KINDS = ("person", "project", "place", "identifier", "doi", "url")
TYPES = [edge_type.value for edge_type in EdgeType]

Direction = Annotated[
    str,
    Field(
        description="What it points at (out), what points at it (in), or both.",
        choices=(OUT, IN, BOTH),
    ),
]
Types = Annotated[
    tuple[Annotated[str, Field(choices=TYPES)], ...],
    Field(max_length=len(TYPES), option="--type", description="Only edges of these types."),
]
Hops = Annotated[int, Field(ge=1, le=4, description="How many edges away.")]
Documents = Annotated[int, Field(ge=1, le=200, option="-n/--limit", description="How many at most.")]


@dataclass(frozen=True, slots=True)
class GraphNeighborsRequest:
    reference: fields.DocumentReference
    collection: fields.InCollection | None = None
    direction: Direction = BOTH
    types: Types = ()
    hops: Hops = 1
    limit: Documents = 30


@dataclass(frozen=True, slots=True)
class GraphRelatedRequest:
    reference: fields.DocumentReference
    collection: fields.InCollection | None = None
    limit: Documents = 10
    where: fields.Where = ()
    by_meaning: Annotated[
        bool, Field(option="--by-meaning/--links-only", description="Also what is near in meaning, linked or not.")
    ] = True


@dataclass(frozen=True, slots=True)
class GraphBuildRequest:
    communities: Annotated[bool, Field(description="Find communities.")] = True
    thematic_links: Annotated[bool, Field(description="Link documents that are near in meaning.")] = True
    entities: Annotated[bool, Field(description="Find people, projects, places, identifiers, DOIs and addresses.")] = (
        True
    )
    resolution: Annotated[float, Field(gt=0, le=100, description="Higher makes more, smaller communities.")] = (
        RESOLUTION
    )
    seed: Annotated[int, Field(ge=0, le=2**31, description="The same seed gives the same communities.")] = SEED
    threshold: Annotated[float, Field(ge=0, le=1, description="Least cosine of a thematic link.")] = THRESHOLD
    neighbours: Annotated[int, Field(ge=1, le=100, description="Thematic links from one document at most.")] = (
        NEIGHBOURS
    )
    entities_by: Annotated[
        str,
        Field(
            choices=(BY_RULES, BY_MODEL),
            description="Entities by rules alone, or also by the model in llm.roles.summarise.",
        ),
    ] = BY_RULES
    budget: Annotated[
        int,
        Field(
            ge=0,
            le=10_000_000_000,
            metavar="TOKENS",
            description="How many tokens that model may read and write; needed with --entities-by model.",
        ),
    ] = 0
    wait: Annotated[bool, Field(option=None, description="Do it now rather than leave it to a worker.")] = False


@dataclass(frozen=True, slots=True)
class GraphCommunitiesRequest:
    limit: Annotated[int, Field(ge=1, le=1_000, option="-n/--limit", description="How many communities at most.")] = 20
    members: Annotated[int, Field(ge=1, le=1_000, description="How many documents of each at most.")] = 5
    smallest: Annotated[int, Field(ge=1, le=10_000, description="Only communities of at least so many.")] = 2


@dataclass(frozen=True, slots=True)
class GraphGhostsRequest:
    limit: Annotated[int, Field(ge=1, le=10_000, option="-n/--limit", description="How many at most.")] = 50


EntityKindName = Annotated[str, Field(choices=ENTITY_KINDS)]


@dataclass(frozen=True, slots=True)
class GraphEntitiesRequest:
    contains: (
        Annotated[
            str, Field(min_length=1, max_length=200, argument="NAME", description="Only names with this in them.")
        ]
        | None
    ) = None
    entity_kinds: Annotated[
        tuple[EntityKindName, ...],
        Field(max_length=len(ENTITY_KINDS), option="--kind", description="Only entities of these kinds."),
    ] = ()
    collections: fields.Collections = ()
    where: fields.Where = ()
    least: Annotated[int, Field(ge=1, le=100_000, description="Only what at least so many documents name.")] = 1
    limit: Annotated[int, Field(ge=1, le=10_000, option="-n/--limit", description="How many at most.")] = 30


@dataclass(frozen=True, slots=True)
class GraphMentionsRequest:
    name: Annotated[str, Field(min_length=1, max_length=500, argument="NAME", description="What is named.")]
    entity_kind: Annotated[EntityKindName, Field(option="--kind", description="As an entity of this kind.")] | None = (
        None
    )
    collections: fields.Collections = ()
    where: fields.Where = ()
    limit: Documents = 30


Ghosts = Annotated[bool, Field(description="With what is linked to and not there.")]
Tags = Annotated[bool, Field(description="With tags.")]
ThematicLinks = Annotated[bool, Field(description="With links by meaning.")]
WithEntities = Annotated[bool, Field(description="With people, projects, places and what else documents name.")]
Commits = Annotated[bool, Field(description="With commits and the files they change.")]
Force = Annotated[bool, Field(description="Replace a file that is there.")]


@dataclass(frozen=True, slots=True)
class GraphExportRequest:
    """Without an `output` the answer holds the text."""

    output: (
        Annotated[str, Field(option="-o/--output", metavar="FILE", description="Where to write; else to stdout.")]
        | None
    ) = None
    to: Annotated[str, Field(choices=("json", "graphml"), description="Which format.")] = "json"
    sections: Annotated[bool, Field(description="With headings, and what contains them.")] = False
    collections: fields.Collections = ()
    where: fields.Where = ()
    ghosts: Ghosts = True
    tags: Tags = True
    thematic_links: ThematicLinks = True
    entities: WithEntities = True
    commits: Commits = False
    force: Force = False


@dataclass(frozen=True, slots=True)
class GraphPlotRequest:
    output: Annotated[str, Field(option="-o/--output", metavar="FILE", description="The page to write.")] = (
        "octavo-graph.html"
    )
    most: Annotated[int, Field(ge=1, le=20_000, description="Draw so many nodes, those with the most links.")] = 3_000
    collections: fields.Collections = ()
    where: fields.Where = ()
    ghosts: Ghosts = True
    tags: Tags = True
    thematic_links: ThematicLinks = True
    entities: WithEntities = True
    commits: Commits = False
    force: Force = False


@dataclass(frozen=True, slots=True)
class ClusterBuildRequest:
    algorithm: Annotated[
        str,
        Field(choices=("kmeans", "hdbscan"), description="hdbscan finds the number itself; it needs octavo[cluster]."),
    ] = "kmeans"
    k: (
        Annotated[
            int,
            Field(
                ge=1,
                le=10_000,
                option="--k",
                description="How many clusters k-means makes; else the square root of half the number of chunks.",
            ),
        ]
        | None
    ) = None
    seed: Annotated[int, Field(ge=0, le=2**31, description="The same seed gives the same clusters.")] = 0


@dataclass(frozen=True, slots=True)
class ClusterMapRequest:
    """The whole library is drawn."""


@dataclass(frozen=True, slots=True)
class ClusterPlotRequest:
    output: Annotated[str, Field(option="-o/--output", metavar="FILE", description="The page to write.")] = "map.html"
    force: Force = False
