"""How good vectors are at finding: nDCG@10 by brute force, passages standing for their documents by the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_DEPTH = 10


def ndcg(
    queries: NDArray[np.float32],
    passages: NDArray[np.float32],
    documents: Sequence[int],
    judged: Sequence[Mapping[int, int]],
    scopes: Sequence[tuple[int, int]] | None = None,
) -> float:
    """`documents` gives each passage's document, ascending from 0; `judged` each query's relevant documents.

    `scopes` confines a query to documents from the first number up to the second. Gain is the relevance, discount
    log2(rank + 1). Worked example: the one relevant document on rank 2 → 1 / log2(3) = .631.
    """
    starts = np.flatnonzero(np.diff(np.asarray(documents), prepend=-1))
    names = np.asarray(documents)[starts]
    discounts = 1 / np.log2(np.arange(2, _DEPTH + 2))
    total = 0.0
    for start in range(0, len(queries), 256):
        scores = np.maximum.reduceat(queries[start : start + 256] @ passages.T, starts, axis=1)
        for row, values in enumerate(scores):
            relevant = judged[start + row]
            if scopes is not None:
                low, high = scopes[start + row]
                values = np.where((names >= low) & (names < high), values, -2.0)
            # Ties go to the earlier document, as everywhere.
            best = names[np.lexsort((names, -values))[:_DEPTH]] if len(values) <= _DEPTH else _best(values, names)
            gains = np.array([relevant.get(int(place), 0) for place in best], float)
            ideal = np.sort(np.array(list(relevant.values()), float))[::-1][:_DEPTH]
            total += float(gains @ discounts[: len(gains)]) / float(ideal @ discounts[: len(ideal)])
    return total / max(1, len(queries))


def _best(values: NDArray[np.float32], names: NDArray[np.int64]) -> NDArray[np.int64]:
    near = np.argpartition(-values, _DEPTH)[: _DEPTH + 1]
    return names[near[np.lexsort((names[near], -values[near]))[:_DEPTH]]]
