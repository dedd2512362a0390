"""Clusters of the library: make them, and draw a map."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.engine.engine import Engine
from octavo.engine.offline_runs import CLUSTERS, noted_while_running
from octavo.errors import InvalidArgument, NotIndexed
from octavo.ingest.cluster import build_clusters
from octavo.model.clustering import NO_CLUSTER
from octavo.operations.files import write_new
from octavo.operations.graph.answers import ClustersAnswer, MapFile
from octavo.operations.graph.cluster_page import page
from octavo.operations.graph.requests import ClusterBuildRequest, ClusterPlotRequest

ALGORITHMS = ("kmeans", "hdbscan")
_FORMER_FILE = "clusters.arr"  # where earlier versions kept them, next to the snapshots
_POINTS = 5_000  # as many as a page draws without stuttering


def cluster_build(engine: Engine, request: ClusterBuildRequest) -> ClustersAnswer:
    """Makes the clusters that the `dense_clusters` stage searches in."""
    if request.algorithm not in ALGORITHMS:
        hint = f"choose one of: {', '.join(ALGORITHMS)}"
        raise InvalidArgument(f"there is no algorithm {request.algorithm}", hint=hint)
    active = engine.library.active
    profiles = tuple(profile for profile in (active.embedder.profile, active.fast_profile) if profile is not None)
    with noted_while_running(engine, CLUSTERS):
        made = build_clusters(
            engine.store,
            engine.project.id,
            profiles,
            algorithm=request.algorithm,
            groups=request.k,
            seed=request.seed,
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


def cluster_plot(engine: Engine, request: ClusterPlotRequest) -> MapFile:
    """A page with a point for each of some thousand chunks, near those that mean the same. Needs nothing but itself."""
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
    places = _flat(np.array([vectors[key] for key in shown], dtype=np.float32))
    points: list[dict[str, Any]] = [
        {
            "x": round(float(x), 4),
            "y": round(float(y), 4),
            "c": clusters[key],
            "t": " → ".join((known[key].title, *known[key].heading_path[-1:])),
            "u": f"{known[key].collection}/{known[key].uri}:{known[key].lines.first}",
        }
        for key, (x, y) in zip(shown, places, strict=True)
    ]
    path = write_new(request.output, page(engine.project.name, points), force=request.force)
    return MapFile(str(path), len(points), len(every), len({*clusters.values()} - {NO_CLUSTER}))


def _flat(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Two dimensions: by UMAP where it is installed, or else along the two directions that vary most."""
    try:
        from umap import UMAP
    except ImportError:
        centred = vectors - vectors.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        flat = centred @ axes[:, -2:]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a seed leaves it one thread
            flat = UMAP(metric="cosine", random_state=0).fit_transform(vectors)
    span = np.maximum(flat.max(axis=0) - flat.min(axis=0), 1e-9)
    scaled: NDArray[np.float32] = ((flat - flat.min(axis=0)) / span).astype(np.float32)
    return scaled
