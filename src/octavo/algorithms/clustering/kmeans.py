"""Spherical k-means: unit vectors into groups whose members point the same way.

Each vector joins the centroid with the highest cosine; each centroid becomes the mean direction of its members
(Dhillon and Modha, Concept Decompositions for Large Sparse Text Data, 2001). Seeded: same input, same groups.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_SAMPLE = 256  # vectors per group that centroids are learnt from: more moves them hardly at all
_AT_ONCE = 16_384
_FEWEST, _MOST = 2, 500


def usual_groups(vectors: int) -> int:
    """How many groups suit a number of vectors: the square root of half of it, between 2 and 500.

    The rule of thumb of Mardia, Kent and Bibby (Multivariate Analysis, 1979): groups of about sqrt(2n) members each.
    8 for 141 vectors, 257 for 132,000.
    """
    return max(_FEWEST, min(_MOST, round(math.sqrt(vectors / 2))))


def kmeans(
    vectors: NDArray[np.float16], groups: int, *, seed: int = 0, rounds: int = 20
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The group of each vector, and the centroids. Never more groups than different vectors: none of them is empty."""
    chance = np.random.default_rng(seed)
    groups = max(1, min(groups, len(vectors)))
    some = np.sort(chance.choice(len(vectors), min(len(vectors), groups * _SAMPLE), replace=False))
    sample = vectors[some].astype(np.float32)
    centroids = sample[np.sort(chance.choice(len(sample), groups, replace=False))].copy()
    for _ in range(rounds):
        nearest = (sample @ centroids.T).argmax(axis=1)
        fresh = centroids.copy()
        for group in range(groups):
            members = sample[nearest == group]
            if len(members):
                total = members.sum(axis=0)
                fresh[group] = total / max(float(np.linalg.norm(total)), 1e-12)
        if np.allclose(fresh, centroids, atol=1e-5):
            break
        centroids = fresh
    labels = nearest_group(vectors, centroids)
    # Of centroids at one spot, as copies of a text make them, the first has all members; others may have lost theirs.
    kept, renumbered = np.unique(labels, return_inverse=True)
    return renumbered.astype(np.int32), centroids[kept]


def nearest_group(vectors: NDArray[np.float16], centroids: NDArray[np.float32]) -> NDArray[np.int32]:
    parts = [
        (vectors[start : start + _AT_ONCE].astype(np.float32) @ centroids.T).argmax(axis=1)
        for start in range(0, len(vectors), _AT_ONCE)
    ]
    return np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, dtype=np.int32)
