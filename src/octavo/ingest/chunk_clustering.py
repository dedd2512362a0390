"""Groups a library's chunks by meaning, offline: k-means, or HDBSCAN where the number of groups is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.clustering.kmeans import kmeans, usual_groups
from octavo.errors import MissingExtra, NotIndexed
from octavo.fast_dataclass import dataclass
from octavo.model.embedding_profile import EmbeddingProfile, embed_anew, made_by_another
from octavo.model.ids import ProjectId
from octavo.model.stored_rows import StoredVectors
from octavo.model.text_clusters import Clustering
from octavo.plugins import install_command
from octavo.sql_repositories.store import Store

_DIMENSIONS = 10  # that HDBSCAN looks at
_SMALLEST_CLUSTER = 4  # chunks


@dataclass(frozen=True, slots=True)
class MadeClusters:
    """The middles, and of each chunk the cluster it belongs to by its first window."""

    centroids: NDArray[np.float32]
    labels: NDArray[np.int64]


def build_clusters(
    store: Store,
    project: ProjectId,
    profiles: Sequence[EmbeddingProfile],
    *,
    algorithm: str = "kmeans",
    groups: int | None = None,
    seed: int = 0,
) -> MadeClusters:
    """Clusters the vectors of all profiles, of a text the first's. What is written meanwhile joins in the end."""
    with store.reading():
        read = [(profile, store.embeddings.vectors(project, profile, 0)) for profile in profiles]
        assigned = store.embeddings.assignments(project)
    inputs, vectors = _in_use([stored for _, stored in read], assigned)
    if not len(inputs):
        made, profile = store.catalog.recipe(project), profiles[0]
        if made is not None and made.embedding != profile:
            raise NotIndexed(
                made_by_another(made.embedding, profile),
                hint=f"run `{embed_anew(made.embedding, profile)}` to embed the library anew, then this again",
            )
        raise NotIndexed("no chunk has a vector yet", hint="run `octavo index` first")
    if algorithm == "hdbscan":
        labels, centroids = _hdbscan(vectors)
    else:
        labels, centroids = kmeans(vectors, groups or usual_groups(len(vectors)), seed=seed)
    clusters = dict(zip(inputs.tolist(), labels.tolist(), strict=True))
    first = assigned[np.unique(assigned[:, 0], return_index=True)[1], 1]
    of_chunks = [clusters[input_] for input_ in first.tolist() if input_ in clusters]
    with store.transaction():
        clusters |= dict(_written_since(store, project, read, Clustering(centroids)))
        store.clusters.replace(project, profiles, centroids, clusters, len(of_chunks))
    return MadeClusters(centroids, np.array(of_chunks, dtype=np.int64))


def _in_use(
    stored_vectors: Sequence[StoredVectors], assigned: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """The inputs that stand for a chunk, ascending, each with its vector from the first that has one."""
    used = np.unique(assigned[:, 1])
    inputs, vectors = [np.zeros(0, dtype=np.int64)], []
    for stored in stored_vectors:
        missing = np.isin(stored.inputs, used) & ~np.isin(stored.inputs, np.concatenate(inputs))
        inputs.append(stored.inputs[missing])
        vectors.append(stored.matrix[missing].astype(np.float16))
    together = np.concatenate(inputs)
    order = np.argsort(together)
    return together[order], np.concatenate(vectors)[order]


def _written_since(
    store: Store,
    project: ProjectId,
    read: Sequence[tuple[EmbeddingProfile, StoredVectors]],
    clustering: Clustering,
) -> Iterator[tuple[int, int]]:
    for profile, before in read:
        fresh = store.embeddings.vectors(project, profile, int(before.keys.max(initial=0)))
        yield from zip(fresh.inputs.tolist(), clustering.joined(fresh.matrix), strict=True)


def _principal(vectors: NDArray[np.float32], dimensions: int) -> NDArray[np.float64]:
    """The vectors along the directions in which they differ most."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    projected: NDArray[np.float64] = centred @ directions[:, ::-1][:, :dimensions]
    return projected


def _hdbscan(vectors: NDArray[np.float16]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    try:
        from sklearn.cluster import HDBSCAN
    except ImportError as error:
        raise MissingExtra("HDBSCAN needs scikit-learn", hint=install_command("cluster")) from error
    full = vectors.astype(np.float32)
    # In hundreds of dimensions everything is about equally far from everything, and all of it would be noise.
    smallest = max(_SMALLEST_CLUSTER, len(full) // 1_000)
    model = HDBSCAN(min_cluster_size=smallest, min_samples=1, copy=True)
    labels = model.fit_predict(_principal(full, _DIMENSIONS)).astype(np.int32)
    centroids = [full[labels == label].mean(axis=0) for label in range(labels.max(initial=-1) + 1)]
    centres = np.array(centroids, dtype=np.float32).reshape(-1, full.shape[1])
    return labels, centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), np.float32(1e-12))
