"""The best of many scores, with ties decided by key so that no order depends on a heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each key once, ascending. `np.unique` says the same, and loads all of masked arrays to do so."""
    import numpy as np

    ascending: NDArray[np.int64] = np.sort(keys)
    first = np.ones(len(ascending), dtype=bool)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]


def best_of_each(
    chunks: NDArray[np.int64], scores: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """One score per chunk: its best. Equal chunks stand together."""
    import numpy as np

    if not len(chunks):
        return chunks, scores
    starts = np.flatnonzero(np.concatenate([[True], chunks[1:] != chunks[:-1]]))
    return chunks[starts], np.maximum.reduceat(scores, starts)


def top(
    chunks: NDArray[np.int64], scores: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best `limit`, best first, equal scores in the order of their keys."""
    import numpy as np

    if len(scores) > limit:
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = np.flatnonzero(scores >= cut)
        chunks, scores = chunks[kept], scores[kept]
    order = np.lexsort((chunks, -scores))[:limit]
    return chunks[order], scores[order]
