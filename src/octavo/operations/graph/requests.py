"""What is asked about the graph: about one document, about the whole, and for files made from it."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.link_graph import BOTH, IN, NEIGHBOURS, OUT, RESOLUTION, SEED, THRESHOLD, EdgeType
from octavo.operations import argument_types

BY_RULES, BY_MODEL = "rules", "model"
ENTITY_KINDS = ("person", "project", "place", "identifier", "doi", "url")
TYPES = [edge_type.value for edge_type in EdgeType]

Direction = Annotated[str, Field("What it points at (out), what points at it (in), or both.", choices=(OUT, IN, BOTH))]
Types = Annotated[
    tuple[Annotated[str, Field(choices=TYPES)], ...],
    Field("Only edges of these types.", max_length=len(TYPES), option="--type"),
]
Hops = Annotated[int, Field("How many edges away.", ge=1, le=4)]
Documents = Annotated[int, Field("How many at most.", ge=1, le=200, option="-n/--limit")]


class GraphNeighborsRequest(Value):
    reference: argument_types.DocumentReference
    collection: argument_types.InCollection | None = None
    direction: Direction = BOTH
    types: Types = ()
    hops: Hops = 1
    limit: Documents = 30


class GraphRelatedRequest(Value):
    reference: argument_types.DocumentReference
    collection: argument_types.InCollection | None = None
    limit: Documents = 10
    where: argument_types.Where = ()
    by_meaning: Annotated[
        bool, Field("Also what is near in meaning, linked or not.", option="--by-meaning/--links-only")
    ] = True


class GraphBuildRequest(Value):
    communities: Annotated[bool, Field("Find communities.")] = True
    thematic_links: Annotated[bool, Field("Link documents that are near in meaning.")] = True
    entities: Annotated[bool, Field("Find people, projects, places, identifiers, DOIs and addresses.")] = True
    resolution: Annotated[float, Field("Higher makes more, smaller communities.", gt=0, le=100)] = RESOLUTION
    seed: Annotated[int, Field("The same seed gives the same communities.", ge=0, le=2**31)] = SEED
    threshold: Annotated[float, Field("Least cosine of a thematic link.", ge=0, le=1)] = THRESHOLD
    neighbours: Annotated[int, Field("Thematic links from one document at most.", ge=1, le=100)] = NEIGHBOURS
    entities_by: Annotated[
        str,
        Field("Entities by rules alone, or also by the model in llm.roles.summarise.", choices=(BY_RULES, BY_MODEL)),
    ] = BY_RULES
    budget: Annotated[
        int,
        Field(
            "How many tokens that model may read and write; needed with --entities-by model.",
            ge=0,
            le=10_000_000_000,
            metavar="TOKENS",
        ),
    ] = 0
    wait: Annotated[bool, Field("Do it now rather than leave it to a worker.", option=None)] = False


class GraphCommunitiesRequest(Value):
    limit: Annotated[int, Field("How many communities at most.", ge=1, le=1_000, option="-n/--limit")] = 20
    members: Annotated[int, Field("How many documents of each at most.", ge=1, le=1_000)] = 5
    smallest: Annotated[int, Field("Only communities of at least so many.", ge=1, le=10_000)] = 2


class GraphGhostsRequest(Value):
    limit: Annotated[int, Field("How many at most.", ge=1, le=10_000, option="-n/--limit")] = 50


EntityKindName = Annotated[str, Field(choices=ENTITY_KINDS)]


class GraphEntitiesRequest(Value):
    contains: Annotated[argument_types.Name | None, Field("Only names with this in them.", argument="NAME")] = None
    entity_kinds: Annotated[
        tuple[EntityKindName, ...],
        Field("Only entities of these kinds.", max_length=len(ENTITY_KINDS), option="--kind"),
    ] = ()
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    least: Annotated[int, Field("Only what at least so many documents name.", ge=1, le=100_000)] = 1
    limit: Annotated[int, Field("How many at most.", ge=1, le=10_000, option="-n/--limit")] = 30


class GraphMentionsRequest(Value):
    name: Annotated[str, Field("What is named.", min_length=1, max_length=500, argument="NAME")]
    entity_kind: Annotated[EntityKindName | None, Field("As an entity of this kind.", option="--kind")] = None
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    limit: Documents = 30


Ghosts = Annotated[bool, Field("With what is linked to and not there.")]
Tags = Annotated[bool, Field("With tags.")]
ThematicLinks = Annotated[bool, Field("With links by meaning.")]
WithEntities = Annotated[bool, Field("With people, projects, places and what else documents name.")]
Commits = Annotated[bool, Field("With commits and the files they change.")]
Force = Annotated[bool, Field("Replace a file that is there.")]


class GraphExportRequest(Value):
    """Without an `output` the answer holds the text."""

    output: Annotated[str | None, Field("Where to write; else to stdout.", option="-o/--output", metavar="FILE")] = None
    to: Annotated[str, Field("Which format.", choices=("json", "graphml"))] = "json"
    sections: Annotated[bool, Field("With headings, and what contains them.")] = False
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    ghosts: Ghosts = True
    tags: Tags = True
    thematic_links: ThematicLinks = True
    entities: WithEntities = True
    commits: Commits = False
    force: Force = False


class GraphPlotRequest(Value):
    output: Annotated[str, Field("The page to write.", option="-o/--output", metavar="FILE")] = "octavo-graph.html"
    most: Annotated[int, Field("Draw so many nodes, those with the most links.", ge=1, le=20_000)] = 3_000
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    ghosts: Ghosts = True
    tags: Tags = True
    thematic_links: ThematicLinks = True
    entities: WithEntities = True
    commits: Commits = False
    force: Force = False


class ClusterBuildRequest(Value):
    algorithm: Annotated[
        str, Field("hdbscan finds the number itself; it needs octavo[cluster].", choices=("kmeans", "hdbscan"))
    ] = "kmeans"
    k: Annotated[
        int | None,
        Field(
            "How many clusters k-means makes; else the square root of half the number of chunks.",
            ge=1,
            le=10_000,
            option="--k",
        ),
    ] = None
    seed: Annotated[int, Field("The same seed gives the same clusters.", ge=0, le=2**31)] = 0


class ClusterPlotRequest(Value):
    output: Annotated[str, Field("The page to write.", option="-o/--output", metavar="FILE")] = "map.html"
    force: Force = False


ClusterMapRequest = argument_types.NoArguments
