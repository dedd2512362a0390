"""The whole graph as a file other programs read; chunks grouped by meaning, and drawn as a map."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.clustering.cluster_layout import cluster_layout
from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_wide_job_states import CLUSTERS, noted_while_running
from octavo.errors import NotIndexed
from octavo.graph.export_formats import as_graphml, as_json, read_drawing
from octavo.graph.export_formats import filled as filled_page
from octavo.graph.export_formats import page as graph_page
from octavo.graph.whole_graph_view import GraphView, Shown, view
from octavo.ingest.chunk_clustering import build_clusters
from octavo.model.text_clusters import NO_CLUSTER
from octavo.operations.answer_conversion import filled
from octavo.operations.filter_parsing import filters_of
from octavo.operations.graph.requests import (
    ClusterBuildRequest,
    ClusterMapRequest,
    ClusterPlotRequest,
    GraphExportRequest,
    GraphPlotRequest,
)
from octavo.operations.graph.results import ClusterMap, ClustersAnswer, GraphFile, MapFile, MapPoint, NamedCluster
from octavo.operations.output_file_creation import write_new


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
    path = write_new(request.output, graph_page(seen, f"Octavo: {', '.join(names)}"), force=request.force)
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


_FORMER_FILE = "clusters.arr"  # where earlier versions kept them, next to the snapshots
_NAMED_BY, _LONGEST_NAME = 2, 40  # titles that name a cluster, and characters of each
_POINTS = 5_000  # as many as a page draws without stuttering


def cluster_build(engine: Engine, request: ClusterBuildRequest) -> ClustersAnswer:
    """Makes the clusters that the `dense_clusters` stage searches in."""
    active = engine.library.active
    profiles = tuple(profile for profile in (active.embedder.profile, active.fast_profile) if profile is not None)
    with noted_while_running(engine, CLUSTERS):
        made = build_clusters(
            engine.store, engine.project.id, profiles, algorithm=request.algorithm, groups=request.k, seed=request.seed
        )
    if engine.accelerator is not None:
        (engine.accelerator.root / _FORMER_FILE).unlink(missing_ok=True)
    sizes = np.bincount(made.labels[made.labels >= 0], minlength=1)
    return ClustersAnswer(
        clusters=len(made.centroids),
        chunks=len(made.labels),
        unclustered=int((made.labels < 0).sum()),
        largest=int(sizes.max()),
        smallest=int(sizes.min()),
    )


def cluster_map(engine: Engine, request: ClusterMapRequest) -> ClusterMap:
    """Some thousand chunks as points on a plane, near those that mean the same, and what their clusters are about."""
    with engine.store.reading():
        clusters = engine.store.clusters.of_chunks(engine.project.id)
    if not clusters:
        raise NotIndexed("no clusters were made yet", hint="run `octavo cluster build`")
    chance = np.random.default_rng(0)
    every = sorted(clusters)
    drawn = np.sort(chance.choice(len(every), min(_POINTS, len(every)), replace=False))
    keys = [every[place] for place in drawn.tolist()]
    with engine.store.reading():
        vectors = engine.vectors.vectors_of(keys)
        known = engine.store.documents.candidates(engine.project.id, list(vectors))
    shown = [key for key in keys if key in vectors and key in known]
    labels = np.array([clusters[key] for key in shown], dtype=np.int64)
    places = _flat(np.array([vectors[key] for key in shown], dtype=np.float32), labels)
    points = tuple(
        MapPoint(
            x=round(float(x), 4),
            y=round(float(y), 4),
            cluster=clusters[key],
            title=" → ".join((known[key].title, *known[key].heading_path[-1:])),
            collection=known[key].collection,
            uri=known[key].uri,
            line=known[key].lines.first,
        )
        for key, (x, y) in zip(shown, places, strict=True)
    )
    return ClusterMap(len(every), _named(points, Counter(clusters.values())), points)


def _named(points: tuple[MapPoint, ...], sizes: Mapping[int, int]) -> tuple[NamedCluster, ...]:
    """The clusters, largest first, each named by the titles that have most points in it and few elsewhere."""
    titles: dict[int, Counter[str]] = {number: Counter() for number in sizes if number != NO_CLUSTER}
    for point in points:
        if point.cluster != NO_CLUSTER:
            titles[point.cluster][point.title.split(" → ")[0].replace(",", "")] += 1
    everywhere: Counter[str] = sum(titles.values(), Counter())

    def name(number: int) -> str:
        inside = titles[number]
        best = sorted(inside, key=lambda title: (-(inside[title] ** 2) / everywhere[title], title))
        return (
            ", ".join(shorten(title, _LONGEST_NAME, placeholder=" …") for title in best[:_NAMED_BY])
            or f"cluster {number}"
        )

    order = sorted(titles, key=lambda number: (-sizes[number], number))
    return tuple(NamedCluster(number, name(number), sizes[number]) for number in order)


def cluster_plot(engine: Engine, request: ClusterPlotRequest) -> MapFile:
    """The map of the clusters as a page that needs nothing but itself."""
    drawn = cluster_map(engine, ClusterMapRequest())
    path = write_new(request.output, page(engine.project.name, drawn), force=request.force)
    return MapFile(str(path), len(drawn.points), drawn.chunks, len(drawn.clusters))


def _flat(vectors: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.float32]:
    """Two dimensions, in the unit square: by UMAP where it is installed, or else every cluster as a disc of its own."""
    try:
        from umap import UMAP
    except ImportError:
        flat = cluster_layout(vectors, labels)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a seed leaves it one thread
            flat = UMAP(metric="cosine", random_state=0).fit_transform(vectors)
    # One scale for both directions: discs stay round.
    low, high = flat.min(axis=0), flat.max(axis=0)
    span = max(float((high - low).max()), 1e-9)
    scaled: NDArray[np.float32] = (0.5 + (flat - (low + high) / 2) / span).astype(np.float32)
    return scaled


def map_data(drawn: ClusterMap) -> dict[str, Any]:
    """What the script draws: points and clusters as rows."""
    return {
        "chunks": drawn.chunks,
        "clusters": [[cluster.cluster, cluster.name, cluster.chunks] for cluster in drawn.clusters],
        "points": [[p.x, p.y, p.cluster, p.title, p.collection, p.uri, p.line] for p in drawn.points],
    }


def page(name: str, drawn: ClusterMap) -> str:
    style = read_drawing("page.css") + read_drawing("map.css")
    script = read_drawing("zoom.js") + read_drawing("map.js")
    return filled_page("map.html", name, map_data(drawn), {"STYLE": style, "PANEL": map_panel(), "SCRIPT": script})


def map_panel() -> str:
    """What stands beside the map."""
    return read_drawing("map_panel.html")
