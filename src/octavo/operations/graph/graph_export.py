"""The graph as a file: for other programs, or as a page to look at."""

from __future__ import annotations

import json

from octavo.engine.engine import Engine
from octavo.errors import NotIndexed
from octavo.graph.export_formats import as_graphml, as_json, page
from octavo.graph.whole_graph_view import GraphView, Shown, view
from octavo.operations.filter_parsing import filters_of
from octavo.operations.graph.requests import GraphExportRequest, GraphPlotRequest
from octavo.operations.graph.results import GraphFile
from octavo.operations.output_file_creation import write_new
from octavo.operations.same_named_fields import filled


def graph_export(engine: Engine, request: GraphExportRequest) -> GraphFile:
    """JSON as node-link data, or GraphML for Gephi, yEd and networkx."""
    seen = _view(engine, request, sections=request.sections)
    if request.to == "graphml":
        text = "".join(as_graphml(seen))
    else:
        text = json.dumps(as_json(seen), ensure_ascii=False, indent=1) + "\n"
    nodes, edges = len(seen.nodes), len(seen.edges)
    if request.output is None:
        return GraphFile(nodes, edges, text=text)
    return GraphFile(nodes, edges, str(write_new(request.output, text, force=request.force)))


def graph_plot(engine: Engine, request: GraphPlotRequest) -> GraphFile:
    """A page to open in a browser: communities in colour, nothing fetched from anywhere."""
    seen = _view(engine, request, most=request.most)
    names = request.collections or [collection.name for collection in engine.collections()]
    path = write_new(request.output, page(seen, f"Octavo: {', '.join(names)}"), force=request.force)
    return GraphFile(len(seen.nodes), len(seen.edges), str(path), left_out=seen.left_out)


def _view(
    engine: Engine, request: GraphExportRequest | GraphPlotRequest, *, sections: bool = False, most: int | None = None
) -> GraphView:
    """What the library holds now. Unknown collections are an error, an empty library too."""
    names = tuple(engine.collection(name).name for name in request.collections)
    shown = filled(Shown, request, thematic=request.thematic_links, collections=names, most=most)
    store, project = engine.store, engine.project.id
    with store.reading():
        nodes = store.graph.nodes(project)
        if not nodes:
            raise NotIndexed(
                "the library holds no documents yet", hint="run `octavo add FOLDER --name NAME` and `octavo index`"
            )
        if request.where:
            met = {document.id for document in store.documents.listed(project, filters_of(engine, request))}
            nodes = tuple(node for node in nodes if node.document in met)
        headings = {node.document: store.documents.sections(project, node.document) for node in nodes if sections}
        return view(
            nodes,
            store.graph.edges(project),
            store.graph.thematic(project),
            store.graph.communities(project),
            shown,
            headings,
            store.entities.everywhere(project) if request.entities else (),
            store.entities.section_links(project) if sections else (),
        )
