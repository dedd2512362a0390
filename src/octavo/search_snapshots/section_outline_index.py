"""The outline: a vector for each section, used to route a search to the shards worth searching.

A section's vector is the centroid of a few of its chunks, chosen to be typical of it and unlike each other: the
centroid of all of them would blur a large section. Sections with a single chunk are omitted, unless they are the whole
document: the chunk is its own best description.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.marginal_relevance import representatives
from octavo.model.search_snapshot import WindowVectors
from octavo.search_snapshots.vector_shards import Shards

_BALANCE = 0.7  # relevance slightly before diversity
_FEWEST, _MOST, _SHARE = 2, 5, 5  # representatives of a section: one in five, within these bounds
_BATCH = 1 << 24  # numbers in memory at once while representatives are chosen


class OutlineIndex:
    """The outlines of all shards, in shard order."""

    def __init__(self, paths: Sequence[Path], most_open: int) -> None:
        self._sections = Shards(paths, most_open)

    def __len__(self) -> int:
        return len(self._sections)

    def route(self, vector: NDArray[np.float32], sections: int, shards: int) -> list[int]:
        """The positions of at most `shards` shards, by the documents with the nearest sections."""
        documents, _ = self._sections.search(vector, sections)
        rows = self._sections.rows_of(documents)
        shard_of = dict(zip(self._sections.chunks[rows].tolist(), self._sections.shards_of(rows).tolist(), strict=True))
        return list(dict.fromkeys(shard_of[document] for document in documents.tolist()))[:shards]


def section_vectors(windows: WindowVectors, chunks: NDArray[np.int64], sections: NDArray[np.int64]) -> WindowVectors:
    """A row for each section, with its document in place of the chunk and its ordinal in place of the input.

    `chunks` are rows of (chunk, document, section) for every chunk of the windows, ascending; `sections` are rows of
    (document, ordinal, level) for their documents, ascending.
    """
    place = np.searchsorted(chunks[:, 0], windows.chunks)
    documents, whose = chunks[place, 1], chunks[place, 2]
    order = np.lexsort((windows.chunks, whose, documents))
    leaves = windows.matrix[order].astype(np.float32)
    leaves /= np.maximum(np.linalg.norm(leaves, axis=1, keepdims=True), 1e-12)
    width = int(sections[:, 1].max(initial=0)) + 2
    chunk_order = documents[order] * width + whose[order]
    first = np.searchsorted(chunk_order, sections[:, 0] * width + sections[:, 1])
    last = np.searchsorted(chunk_order, sections[:, 0] * width + _ends(sections))
    outermost = np.concatenate([[True], sections[1:, 0] != sections[:-1, 0]]) if len(sections) else first > 0
    several = np.flatnonzero((last - first > 1) | (outermost & (last > first)))
    # A section with the same chunks as the one inside it is the same vector: the outer one represents both.
    distinct = np.unique(np.stack([first[several], last[several]]), axis=1, return_index=True)[1]
    several = np.sort(several[distinct])
    centroids = np.zeros((len(several), leaves.shape[1]), dtype=np.float32)
    sizes = (last - first)[several]
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        batch = max(1, _BATCH // (size * leaves.shape[1]))
        for start in range(0, len(alike), batch):
            rows = alike[start : start + batch]
            centroids[rows] = _centroids(leaves[first[several[rows]][:, None] + np.arange(size)])
    return WindowVectors(
        chunks=np.ascontiguousarray(sections[several, 0]),
        inputs=np.ascontiguousarray(sections[several, 1]),
        tiers=np.zeros(len(several), dtype=np.uint8),
        matrix=centroids.astype(np.float16),
    )


def _ends(sections: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each section the ordinal of the next one in its document that is not below it, or one after the last."""
    ends = np.empty(len(sections), dtype=np.int64)
    above: list[tuple[int, int]] = []
    document, ordinal = -1, -1
    for row, (whose, number, level) in enumerate(sections.tolist()):
        if whose != document:
            for _, ancestor in above:
                ends[ancestor] = ordinal + 1
            above.clear()
            document = whose
        while above and above[-1][0] >= level:
            ends[above.pop()[1]] = number
        above.append((level, row))
        ordinal = number
    for _, ancestor in above:
        ends[ancestor] = ordinal + 1
    return ends


def _centroids(groups: NDArray[np.float32]) -> NDArray[np.float32]:
    size = groups.shape[1]
    count = min(_MOST, max(_FEWEST, -(-size // _SHARE)))
    if size > count:
        chosen = representatives(groups, count, _BALANCE)
        groups = np.take_along_axis(groups, chosen[:, :, None], axis=1)
    centroids: NDArray[np.float32] = groups.mean(axis=1)
    centroids /= np.maximum(np.linalg.norm(centroids, axis=1, keepdims=True), np.float32(1e-12))
    return centroids
