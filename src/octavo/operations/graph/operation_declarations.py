"""Declares the operations on the graph: what points where, what belongs together, and files made from it."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_IN_GRAPH = frozenset({"graph"})
_neighbors = partial(Operation, module="octavo.operations.graph.links_entities_and_communities", tool_sets=_IN_GRAPH)
_whole = partial(Operation, module="octavo.operations.graph.links_entities_and_communities", tool_sets=_IN_GRAPH)
_entities = partial(Operation, module="octavo.operations.graph.links_entities_and_communities", tool_sets=_IN_GRAPH)
_view = partial(
    Operation,
    module="octavo.operations.graph.graph_export_and_cluster_map",
    remote=False,
    listing=Listing(columns=("path", "nodes", "edges"), path="path", confirms=True),
)
_clusters = partial(Operation, module="octavo.operations.graph.graph_export_and_cluster_map", remote=False)

GRAPH = (
    _neighbors(
        name="graph_related",
        summary="List the documents that belong to one, and why.",
        description=(
            "What to read beside a document: linked to it or from it, near in meaning, with the same tags. "
            "Each says why."
        ),
        listing=Listing(rows="documents", columns=("place", "title", "kind", "score", "why")),
        aliases=("related",),
        examples=("octavo graph related 'observing/Closing down.md' -n 5",),
        example={"reference": "observing/Closing down.md", "limit": 5},
    ),
    _neighbors(
        name="graph_neighbors",
        summary="List what a document points at and what points at it.",
        description=(
            "The links of a document, both ways, with their type and the words around them; links that lead nowhere "
            "are told. With hops, also what is farther away."
        ),
        listing=Listing(
            rows="edges", columns=("direction", "type", "target", "place", "anchor", "line", "missing", "context")
        ),
        examples=("octavo graph neighbors 'observing/Closing down.md' --direction in --hops 2",),
        example={"reference": "observing/Closing down.md", "hops": 2},
    ),
    _whole(
        name="graph_build",
        summary="Find communities and entities, and link what is near in meaning.",
        description="Work over the whole graph, queued for a worker, or with wait done at once.",
        listing=Listing(
            columns=("jobs", "communities", "thematic_links", "section_links", "entities", "note"), confirms=True
        ),
        examples=("octavo graph build --threshold 0.3", "octavo graph build --later"),
        example={"threshold": 0.3, "wait": True},
        annotations=WRITES,
        watched=True,
    ),
    _whole(
        name="graph_communities",
        summary="List groups of documents that point at each other more than at others.",
        description="Groups of documents that point at each other more than at others, largest first.",
        listing=Listing(rows="communities", columns=("community", "name", "size", "tags", "documents")),
        examples=("octavo graph communities --members 3",),
        example={"limit": 3},
    ),
    _whole(
        name="graph_ghosts",
        summary="List what is linked to and not there, most wanted first.",
        description="Targets of links that nothing in the library answers to, most wanted first.",
        listing=Listing(
            rows="ghosts",
            columns=("target", "links", "source"),
            shown=("{links}", "{target}", "in", "{source}|place"),
            empty="Every link leads somewhere.",
        ),
        examples=("octavo graph ghosts",),
    ),
    _entities(
        name="graph_entities",
        summary="List the people, projects, places, identifiers, DOIs and addresses that documents name.",
        description="What documents name, most widely named first: people, projects, places, identifiers, DOIs, URLs.",
        help="`octavo graph build` finds them by rules; --entities-by model asks a language model as well.",
        listing=Listing(rows="entities", columns=("kind", "name", "documents", "mentions")),
        examples=("octavo graph entities --kind person", "octavo graph entities 'van der' -n 5"),
        example={"limit": 5},
    ),
    _entities(
        name="graph_mentions",
        summary="List the documents that name a person, a project, a place, an identifier, a DOI or an address.",
        description="Where an entity is named: the documents, with the line and the words around it.",
        listing=Listing(rows="mentions", columns=("place", "title", "role", "mentions", "line", "context")),
        examples=("octavo graph mentions 'Jane Doe' --kind person",),
        example={"name": "Lyon"},
    ),
    _view(
        name="graph_export",
        summary="Write the graph for other programs: JSON as node-link data, or GraphML for Gephi, yEd and networkx.",
        description="The whole graph as node-link JSON or as GraphML.",
        examples=("octavo graph export --to graphml -o graph.graphml",),
        example={"to": "graphml"},
    ),
    _view(
        name="graph_plot",
        summary="Draw the graph as a page to open in a browser.",
        description="Draw the graph as a page: communities in colour, nothing fetched from anywhere.",
        help="Communities in colour, nothing fetched from anywhere.",
        examples=("octavo graph plot -o graph.html --no-ghosts",),
        example={"output": "graph.html", "force": True},
    ),
    _clusters(
        name="cluster_build",
        summary="Group the library's chunks by meaning.",
        description="Make the clusters that the stage `dense_clusters` searches in.",
        help="The stage `dense_clusters` searches in the clusters nearest to a query.",
        listing=Listing(columns=("clusters", "chunks", "unclustered", "largest", "smallest"), confirms=True),
        examples=("octavo cluster build",),
        example={"k": 4},
        annotations=WRITES,
    ),
    _clusters(
        name="cluster_map",
        summary="Some thousand chunks as points, near those that mean the same, and the names of their clusters.",
        description="The map of the clusters as data: what `cluster_plot` draws.",
        listing=Listing(rows="clusters", columns=("cluster", "name", "chunks")),
        typed="",
    ),
    _clusters(
        name="cluster_plot",
        summary="Draw the library as a page: each chunk a point, near those that mean the same.",
        description="Draw a map of the clusters as a page.",
        help="`octavo cluster build` makes the clusters first. UMAP is used if installed.",
        listing=Listing(columns=("path", "points", "chunks", "clusters"), path="path", confirms=True),
        examples=("octavo cluster build", "octavo cluster plot -o map.html"),
        example={"output": "map.html", "force": True},
    ),
)
