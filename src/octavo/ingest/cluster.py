"""Groups a library's chunks by meaning, offline: k-means, or HDBSCAN where the number of groups is not known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.kmeans import kmeans, usual_groups
from octavo.errors import MissingExtra, NotIndexed
from octavo.model.ids import ProjectId
from octavo.model.recipe import EmbeddingProfile
from octavo.ports import SnapshotSource, Store
from octavo.snapshots.clusters import Clusters

_AT_ONCE = 20_000


def build_clusters(
    store: Store,
    source: SnapshotSource,
    project: ProjectId,
    profiles: Sequence[EmbeddingProfile],
    folder: Path,
    *,
    algorithm: str = "kmeans",
    groups: int | None = None,
    seed: int = 0,
) -> Clusters:
    with store.reading():
        generation = store.generation()
        chunks, vectors = _vectors(source, project, profiles)
    if not len(chunks):
        raise NotIndexed("no chunk has a vector yet", hint="run `octavo index` first")
    if algorithm == "hdbscan":
        labels, centroids = _hdbscan(vectors)
    else:
        labels, centroids = kmeans(vectors, groups or usual_groups(len(vectors)), seed=seed)
    made = Clusters(chunks, labels, centroids, np.array([generation, len(chunks)], dtype=np.int64))
    made.save(folder)
    return made


def _vectors(
    source: SnapshotSource, project: ProjectId, profiles: Sequence[EmbeddingProfile]
) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """One vector a chunk: that of its first window."""
    places = source.places(project)[:, 0]
    chunks = [np.zeros(0, dtype=np.int64)]
    vectors = [np.zeros((0, profiles[0].dimensions), dtype=np.float16)]
    after = 0
    for start in range(0, len(places), _AT_ONCE):
        last = int(places[min(start + _AT_ONCE, len(places)) - 1])
        windows = source.windows_between(project, profiles, after, last)
        after = last
        first = np.unique(windows.chunks, return_index=True)[1]
        chunks.append(windows.chunks[first])
        vectors.append(windows.matrix[first])
    return np.concatenate(chunks), np.concatenate(vectors)


def _hdbscan(vectors: NDArray[np.float16]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    try:
        from sklearn.cluster import HDBSCAN
    except ImportError as error:
        raise MissingExtra("HDBSCAN needs scikit-learn", hint="pip install 'octavo[cluster]'") from error
    full = vectors.astype(np.float32)
    labels = HDBSCAN(min_cluster_size=max(5, len(full) // 1_000), copy=True).fit_predict(full).astype(np.int32)
    centroids = [full[labels == label].mean(axis=0) for label in range(labels.max(initial=-1) + 1)]
    found = np.array(centroids, dtype=np.float32).reshape(-1, full.shape[1])
    return labels, found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-12))
