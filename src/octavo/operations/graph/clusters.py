"""Clusters of the library: make them, and draw a map."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.engine.engine import Engine
from octavo.engine.offline_runs import CLUSTERS, noted_while_running
from octavo.errors import InvalidArgument, NotIndexed
from octavo.ingest.accelerate import Accelerator
from octavo.model.ids import ChunkKey
from octavo.operations.files import write_new
from octavo.operations.graph.answers import ClustersAnswer, MapFile
from octavo.operations.graph.cluster_page import page
from octavo.operations.graph.requests import ClusterBuildRequest, ClusterPlotRequest

ALGORITHMS = ("kmeans", "hdbscan")
_POINTS = 5_000  # as many as a page draws without stuttering


def cluster_build(engine: Engine, request: ClusterBuildRequest) -> ClustersAnswer:
    """Makes the clusters that the `dense_clusters` stage searches in."""
    if request.algorithm not in ALGORITHMS:
        hint = f"choose one of: {', '.join(ALGORITHMS)}"
        raise InvalidArgument(f"there is no algorithm {request.algorithm}", hint=hint)
    accelerator = _accelerator(engine)
    with noted_while_running(engine, CLUSTERS):
        made = accelerator.upkeep.build_clusters(request.algorithm, request.k, request.seed)
    sizes = np.bincount(made.labels[made.labels >= 0], minlength=1)
    return ClustersAnswer(
        clusters=len(made.centroids),
        chunks=len(made.chunks),
        unclustered=int((made.labels < 0).sum()),
        largest=int(sizes.max()),
        smallest=int(sizes.min()),
    )


def cluster_plot(engine: Engine, request: ClusterPlotRequest) -> MapFile:
    """A page with a point for each of some thousand chunks, near those that mean the same. Needs nothing but itself."""
    made = _accelerator(engine).clusters()
    if made is None:
        raise NotIndexed("no clusters were made yet", hint="run `octavo cluster build`")
    chance = np.random.default_rng(0)
    drawn = np.sort(chance.choice(len(made.chunks), min(_POINTS, len(made.chunks)), replace=False))
    keys = [ChunkKey(key) for key in made.chunks[drawn].tolist()]
    labels = dict(zip(keys, made.labels[drawn].tolist(), strict=True))
    with engine.store.reading():
        vectors = engine.vectors.vectors_of(keys)
        known = engine.store.documents.candidates(engine.project.id, list(vectors))
    shown = [key for key in keys if key in vectors and key in known]
    places = _flat(np.array([vectors[key] for key in shown], dtype=np.float32))
    points: list[dict[str, Any]] = [
        {
            "x": round(float(x), 4),
            "y": round(float(y), 4),
            "c": labels[key],
            "t": " → ".join((known[key].title, *known[key].heading_path[-1:])),
            "u": f"{known[key].collection}/{known[key].uri}:{known[key].lines.first}",
        }
        for key, (x, y) in zip(shown, places, strict=True)
    ]
    path = write_new(request.output, page(engine.project.name, points), force=request.force)
    return MapFile(str(path), len(points), len(made.chunks), len(made.centroids))


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


def _accelerator(engine: Engine) -> Accelerator:
    if engine.accelerator is None:
        raise InvalidArgument("clusters are made of libraries in a file, with snapshots.enabled on")
    return engine.accelerator
