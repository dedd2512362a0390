"""Thematic links: documents about the same, by the mean direction of their chunks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1_024  # rows compared at once: a block against a hundred thousand is 400 MB of scores, halved as they grow
_WIDEST = 50_000_000


def directions(
    documents: NDArray[np.int64], rows: NDArray[np.int64], matrix: NDArray[np.float32], count: int
) -> NDArray[np.float32]:
    """One unit vector for each of `count` documents: the mean of the rows assigned to it, zero where it has none."""
    total = np.zeros((count, matrix.shape[1]), dtype=np.float32)
    np.add.at(total, documents, matrix[rows])
    length = np.linalg.norm(total, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(total, length, out=np.zeros_like(total), where=length > 0)
    return unit


def nearest(
    vectors: NDArray[np.float32], threshold: float, neighbours: int, groups: NDArray[np.int64] | None = None
) -> list[tuple[int, int, float]]:
    """Pairs (a, b, cosine), a before b, where one is among the `neighbours` nearest of the other and near enough.

    Nothing is its own neighbour, nor that of anything of the same group.
    """
    count = len(vectors)
    similarities: dict[tuple[int, int], float] = {}
    block = max(1, min(_BLOCK, _WIDEST // max(1, count)))
    for start in range(0, count, block):
        scores = vectors[start : start + block] @ vectors.T
        if groups is None:
            scores[np.arange(len(scores)), np.arange(start, start + len(scores))] = -1.0
        else:
            scores[groups[start : start + len(scores), None] == groups[None, :]] = -1.0
        keep = min(neighbours, count - 1)
        if keep < 1:
            break
        best = np.argpartition(-scores, keep - 1, axis=1)[:, :keep]
        for row, columns in enumerate(best.tolist()):
            for column in columns:
                score = float(scores[row, column])
                if score >= threshold:
                    a, b = sorted((start + row, column))
                    similarities[a, b] = round(score, 6)
    return [(a, b, score) for (a, b), score in sorted(similarities.items())]
