"""The nearest chunks of a query's vector: found in single precision, scored in double, equal scores by key.

A chunk may have several vectors, one for each window of its text, and scores by the best of them. The rows of one chunk
stand together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.model.score_rounding import just_below, rounded


def best_of_each(chunks: NDArray[np.int64], scores: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Each chunk once, with the best score of its rows."""
    same = chunks[1:] == chunks[:-1]
    if not same.any():  # most chunks have one window, and finding that out takes a sixth of the time
        return chunks, scores
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    return chunks[starts], np.maximum.reduceat(scores, starts)


def top(
    keys: NDArray[np.int64], scores: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The best `limit`, best first, by their rounded scores; equal ones in the order of their keys."""
    kept = reaching(scores, limit)
    keys, scores = keys[kept], scores[kept]
    scores = rounded(scores)
    order = np.lexsort((keys, -scores))[:limit]
    return keys[order], scores[order]


def reaching(scores: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """Where scores are that may be among the best `limit` once they are rounded."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    cut = float(np.partition(scores, len(scores) - limit)[len(scores) - limit])
    return np.flatnonzero(scores > just_below(rounded(cut)))


def nearest(
    chunks: NDArray[np.int64], vectors: NDArray[np.float32], vector: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The `limit` chunks nearest to a vector with their cosines, best first. `chunks` says whose each row is."""
    # Not `@`: for a few hundred kilobytes, waking the threads of a linear algebra library takes longer.
    approximate = np.einsum("ij,j->i", vectors, vector)
    rows = contenders(approximate, best_of_each(chunks, approximate)[1], limit, len(vector))
    return top(*best_of_each(chunks[rows], cosines(vectors[rows], vector)), limit)


def nearest_of(
    chunks: NDArray[np.int64],
    matrix: NDArray[np.float32],
    vector: NDArray[np.float32],
    limit: int,
    admitted: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same of a large matrix, all rows of which are compared; of those found only `admitted` ones count."""
    approximate = matrix @ vector
    rows = np.arange(len(chunks)) if admitted is None else np.flatnonzero(admitted)
    approximate, chunks = approximate[rows], chunks[rows]
    near = contenders(approximate, best_of_each(chunks, approximate)[1], limit, len(vector))
    return top(*best_of_each(chunks[near], cosines(matrix[rows[near]], vector)), limit)


def contenders(
    approximate: NDArray[np.float32], best: NDArray[np.float32], limit: int, dimensions: int
) -> NDArray[np.int64]:
    """The rows that may be among the best `limit` chunks, from dot products of unit vectors in single precision.

    `best` has one of them for each chunk. A sum of n products is wrong by n · 2^-24 at most, however it is taken, and
    two of them are compared.
    """
    if len(best) <= limit:
        return np.arange(len(approximate))
    cut = float(np.partition(best, len(best) - limit)[len(best) - limit])
    return np.flatnonzero(approximate >= cut - dimensions * 2.0**-23)


def cosines(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row, in double precision and rounded: the same however a processor sums."""
    return rounded(np.einsum("ij,j->i", vectors.astype(np.float64), vector.astype(np.float64)))


def rows_of(chunks: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the wanted chunks stand among `chunks`, both ascending."""
    left = np.searchsorted(chunks, keys)
    rows = np.searchsorted(chunks, keys, side="right") - left
    return np.repeat(left - (np.cumsum(rows) - rows), rows) + np.arange(rows.sum())


def directions(chunks: NDArray[np.int64], vectors: NDArray[np.float32]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Each chunk with one unit vector: the middle of its windows, which is the only one of most."""
    starts = np.flatnonzero(np.diff(chunks, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(chunks)]):
        total: NDArray[np.float32] = vectors[start:end].sum(axis=0)
        if end - start > 1:
            total = (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
        yield int(chunks[start]), total
