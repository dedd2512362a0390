"""Clusters of a library's chunks: their centroids, and whether the clustering is stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_CLUSTER = -1
"""The number of what belongs to none: it is always searched."""
_GROWN = 1.2


class ClusteringState(NamedTuple):
    """How many chunks were clustered, and when."""

    chunks: int
    made_at: float

    def stale(self, chunks: int) -> bool:
        """Whether the library has grown by more than a fifth since."""
        return chunks > _GROWN * self.chunks


class Clustering(NamedTuple):
    """The centroids, a row each, by the numbers of their clusters."""

    centroids: NDArray[np.float32]

    def nearest(self, vector: NDArray[np.float32], count: int) -> list[int]:
        """The clusters nearest to a vector, nearest first."""
        numbers: list[int] = (-(self.centroids @ vector)).argsort(kind="stable")[:count].tolist()
        return numbers

    def joined(self, vectors: NDArray[np.float32]) -> list[int]:
        """Of each vector the cluster whose centroid is nearest; of none where there are no clusters."""
        if not len(self.centroids):
            return [NO_CLUSTER] * len(vectors)
        numbers: list[int] = (vectors @ self.centroids.T).argmax(axis=1).tolist()
        return numbers
