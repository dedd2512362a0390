"""The operations on the graph: what points where, what belongs together."""

from __future__ import annotations

from recto.operations import graph, graph_whole, related
from recto.operations.operation import WRITES, ErrorCase, Operation

IN_GRAPH = frozenset({"graph"})
_NOWHERE = ErrorCase({"reference": "nowhere.md"}, "NOT_FOUND")

GRAPH_OPERATIONS = (
    Operation(
        name="related",
        summary="List the documents that belong to one.",
        description=(
            "What to read beside a document: linked to it or from it, near in meaning, with the same tags. "
            "Each says why."
        ),
        function=related.related,
        request=related.RelatedRequest,
        answer=related.RelatedAnswer,
        text=related.related_text,
        example={"reference": "observing/Closing down.md", "limit": 5},
        errors=(_NOWHERE,),
        tool_sets=IN_GRAPH,
    ),
    Operation(
        name="graph_neighbors",
        summary="List what a document points at and what points at it.",
        description=(
            "The links of a document, both ways, with their type and the words around them; links that lead nowhere "
            "are told. With hops, also what is farther away."
        ),
        function=graph.graph_neighbors,
        request=graph.NeighborsRequest,
        answer=graph.NeighborsAnswer,
        text=graph.neighbors_text,
        example={"reference": "observing/Closing down.md", "hops": 2},
        errors=(_NOWHERE, ErrorCase({"reference": "Home.md", "types": ["nonsense"]}, "INVALID_ARGUMENT")),
        tool_sets=IN_GRAPH,
    ),
    Operation(
        name="graph_build",
        summary="Find communities and link what is near in meaning.",
        description="Work over the whole graph, promised to a worker, or with wait done at once.",
        function=graph_whole.graph_build,
        request=graph_whole.BuildRequest,
        answer=graph_whole.BuildAnswer,
        text=graph_whole.build_text,
        example={"threshold": 0.3, "wait": True},
        errors=(ErrorCase({"communities": False, "thematic_links": False}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
        tool_sets=IN_GRAPH,
        watched=True,
    ),
    Operation(
        name="graph_communities",
        summary="List the communities of documents.",
        description="Groups of documents that point at each other more than at others, largest first.",
        function=graph_whole.graph_communities,
        request=graph_whole.CommunitiesRequest,
        answer=graph_whole.CommunitiesAnswer,
        text=graph_whole.communities_text,
        example={"limit": 3},
        errors=(ErrorCase({"limit": 0}, "INVALID_ARGUMENT"),),
        tool_sets=IN_GRAPH,
    ),
    Operation(
        name="graph_ghosts",
        summary="List what is linked to and not there.",
        description="Targets of links that nothing in the library answers to, most wanted first.",
        function=graph_whole.graph_ghosts,
        request=graph_whole.GhostsRequest,
        answer=graph_whole.GhostsAnswer,
        text=graph_whole.ghosts_text,
        example={},
        errors=(ErrorCase({"limit": 0}, "INVALID_ARGUMENT"),),
        tool_sets=IN_GRAPH,
    ),
)
