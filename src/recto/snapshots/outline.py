"""The outline: a vector for each section, by which a search can be sent to the shards where it is worth looking.

A section's vector is the middle of a few of the chunks below it, chosen to be typical of it and unlike each other:
the middle of all of them would blur a large section. Sections with a single chunk are left out, unless they are all
there is of a document: the chunk is its own best description.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recto.algorithms.diversity import representatives
from recto.model.snapshot import Windows
from recto.snapshots.shards import Shards

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BALANCE = 0.7  # relevance slightly before variety
_FEWEST, _MOST, _ONE_IN = 2, 5, 5  # representatives of a section: one in five, but never fewer and never more
_AT_ONCE = 1 << 24  # numbers held at once while representatives are chosen


class Outline:
    """The outlines of all shards, in the order of the shards."""

    def __init__(self, paths: Sequence[Path], most_open: int) -> None:
        self._sections = Shards(paths, most_open)

    def __len__(self) -> int:
        return len(self._sections)

    def route(self, vector: NDArray[np.float32], sections: int, shards: int) -> list[int]:
        """The places of at most so many shards, by the documents whose sections are nearest."""
        documents, _ = self._sections.search(vector, sections)
        rows = self._sections.rows_of(documents)
        place = dict(zip(self._sections.chunks[rows].tolist(), self._sections.places(rows).tolist(), strict=True))
        return list(dict.fromkeys(place[one] for one in documents.tolist()))[:shards]


def section_vectors(windows: Windows, chunks: NDArray[np.int64], sections: NDArray[np.int64]) -> Windows:
    """A row for each section, its document in place of the chunk and its ordinal in place of the input.

    `chunks` are rows of (chunk, document, section) for every chunk of the windows, ascending; `sections` are rows of
    (document, ordinal, level) for their documents, ascending.
    """
    import numpy as np

    place = np.searchsorted(chunks[:, 0], windows.chunks)
    documents, whose = chunks[place, 1], chunks[place, 2]
    order = np.lexsort((windows.chunks, whose, documents))
    leaves = windows.matrix[order].astype(np.float32)
    leaves /= np.maximum(np.linalg.norm(leaves, axis=1, keepdims=True), 1e-12)
    width = int(sections[:, 1].max(initial=0)) + 2
    held = documents[order] * width + whose[order]
    first = np.searchsorted(held, sections[:, 0] * width + sections[:, 1])
    last = np.searchsorted(held, sections[:, 0] * width + _ends(sections))
    outermost = np.concatenate([[True], sections[1:, 0] != sections[:-1, 0]]) if len(sections) else first > 0
    wanted = np.flatnonzero((last - first > 1) | (outermost & (last > first)))
    # A section that holds no more than the one inside it says the same: the outer one stands for both.
    distinct = np.unique(np.stack([first[wanted], last[wanted]]), axis=1, return_index=True)[1]
    wanted = np.sort(wanted[distinct])
    middles = np.zeros((len(wanted), leaves.shape[1]), dtype=np.float32)
    sizes = (last - first)[wanted]
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        at_once = max(1, _AT_ONCE // (size * leaves.shape[1]))
        for start in range(0, len(alike), at_once):
            some = alike[start : start + at_once]
            middles[some] = _middles(leaves[first[wanted[some]][:, None] + np.arange(size)])
    return Windows(
        chunks=np.ascontiguousarray(sections[wanted, 0]),
        inputs=np.ascontiguousarray(sections[wanted, 1]),
        tiers=np.zeros(len(wanted), dtype=np.uint8),
        matrix=middles.astype(np.float16),
    )


def _ends(sections: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each section the ordinal of the next in its document that is not below it, or one after the last."""
    import numpy as np

    ends = np.empty(len(sections), dtype=np.int64)
    above: list[tuple[int, int]] = []
    document, ordinal = -1, -1
    for row, (whose, number, level) in enumerate(sections.tolist()):
        if whose != document:
            for _, one in above:
                ends[one] = ordinal + 1
            above.clear()
            document = whose
        while above and above[-1][0] >= level:
            ends[above.pop()[1]] = number
        above.append((level, row))
        ordinal = number
    for _, one in above:
        ends[one] = ordinal + 1
    return ends


def _middles(groups: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    size = groups.shape[1]
    count = min(_MOST, max(_FEWEST, -(-size // _ONE_IN)))
    if size > count:
        chosen = representatives(groups, count, _BALANCE)
        groups = np.take_along_axis(groups, chosen[:, :, None], axis=1)
    middles: NDArray[np.float32] = groups.mean(axis=1)
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), np.float32(1e-12))
    return middles
