"""Maximal marginal relevance: relevant, and unlike what is already chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def marginal_relevance(
    relevance: Sequence[float], likeness: NDArray[np.float64], balance: float
) -> list[tuple[int, float]]:
    """Indexes in the order of choice, each with its worth when it was chosen; the worth never rises.

    worth(d) = balance · relevance(d) - (1 - balance) · max likeness(d, chosen), the maximum of nothing being 0.
    Carbonell and Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998. Of equals the first is chosen.

    >>> import numpy as np
    >>> marginal_relevance([1.0, 0.75, 0.5], np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]), 0.5)
    [(0, 0.5), (2, 0.25), (1, -0.125)]
    """
    worth = balance * np.asarray(relevance, dtype=np.float64)
    nearest = np.zeros(len(relevance))
    left = np.ones(len(relevance), dtype=bool)
    chosen: list[tuple[int, float]] = []
    for _ in range(len(relevance)):
        now = np.where(left, worth - (1.0 - balance) * nearest, -np.inf)
        best = int(now.argmax())
        chosen.append((best, float(now[best])))
        left[best] = False
        # Likeness below zero is no merit: the opposite of what was chosen is not more relevant for it.
        np.maximum(nearest, likeness[best], out=nearest)
    return chosen


def representatives(groups: NDArray[np.float32], count: int, balance: float) -> NDArray[np.int64]:
    """The indexes of the first `count` vectors chosen in each group; all groups have equally many unit vectors.

    Chosen as by `marginal_relevance`; the relevance is the cosine with the group's mean.
    """
    middles = groups.mean(axis=1)
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-12)
    relevance = np.einsum("gvd,gd->gv", groups, middles)
    nearest, every_group = np.zeros_like(relevance), np.arange(len(groups))
    chosen = np.empty((len(groups), count), dtype=np.int64)
    for place in range(count):
        best = (balance * relevance - (1.0 - balance) * nearest).argmax(axis=1)
        chosen[:, place] = best
        relevance[every_group, best] = -np.inf
        np.maximum(nearest, np.einsum("gvd,gd->gv", groups, groups[every_group, best]), out=nearest)
    return chosen
