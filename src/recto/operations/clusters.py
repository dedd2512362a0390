"""Clusters of the library: make them, and draw a map."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recto.engine.engine import Engine
from recto.engine.offline import CLUSTERS, under_way
from recto.errors import InvalidArgument, NotIndexed
from recto.model.ids import ChunkKey

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALGORITHMS = ("kmeans", "hdbscan")
_POINTS = 5_000  # as many as a page draws without stuttering


@dataclass(frozen=True, slots=True)
class ClustersAnswer:
    clusters: int
    chunks: int
    unclustered: int
    largest: int
    smallest: int


def cluster_build(engine: Engine, algorithm: str = "kmeans", groups: int = 50, seed: int = 0) -> ClustersAnswer:
    import numpy as np

    if algorithm not in ALGORITHMS:
        raise InvalidArgument(f"there is no algorithm {algorithm}", hint=f"choose one of: {', '.join(ALGORITHMS)}")
    accelerator = _accelerator(engine)
    with under_way(engine, CLUSTERS):
        made = accelerator.build_clusters(algorithm, groups, seed)
    sizes = np.bincount(made.labels[made.labels >= 0], minlength=1)
    return ClustersAnswer(
        clusters=len(made.centroids),
        chunks=len(made.chunks),
        unclustered=int((made.labels < 0).sum()),
        largest=int(sizes.max()),
        smallest=int(sizes.min()),
    )


def cluster_map(engine: Engine, seed: int = 0) -> str:
    """A page with a point for each of some thousand chunks, near those that mean the same. Needs nothing but itself."""
    import numpy as np

    from recto.operations.cluster_page import page

    made = _accelerator(engine).clusters()
    if made is None:
        raise NotIndexed("no clusters were made yet", hint="run `recto cluster build`")
    chance = np.random.default_rng(seed)
    some = np.sort(chance.choice(len(made.chunks), min(_POINTS, len(made.chunks)), replace=False))
    keys = [ChunkKey(key) for key in made.chunks[some].tolist()]
    labels = dict(zip(keys, made.labels[some].tolist(), strict=True))
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
    return page(engine.project.name, points)


def _flat(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Two dimensions: by UMAP where it is installed, or else along the two directions that vary most."""
    import numpy as np

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


def _accelerator(engine: Engine) -> Any:
    if engine.accelerator is None:
        raise InvalidArgument("clusters are made of libraries in a file, with snapshots.enabled on")
    return engine.accelerator
