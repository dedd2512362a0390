"""Vector shards: binary codes to find candidates with, half-precision vectors to score them exactly.

Up to `_ALL_COMPARED` vectors are held in single precision and all compared: such a library answers with a snapshot as
it does without. Of more, the codes choose candidates.

The sign of each dimension is one bit; the distance between codes is the number of bits that differ. Codes of all shards
are contiguous in memory, 48 bytes for 384 dimensions; the vectors themselves stay in memory-mapped files, of which the
most recently used stay open.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.sorted_array_set_operations import are_among, distinct
from octavo.algorithms.ranking.vector_nearest_neighbors import (
    best_of_each,
    contenders,
    cosines,
    nearest,
    nearest_of,
    rows_of,
    top,
)
from octavo.errors import DamagedSnapshot
from octavo.fast_dataclass import dataclass
from octavo.model.score_rounding import rounded
from octavo.model.search_snapshot import WindowVectors
from octavo.search_snapshots.code_comparison import BLOCK, CASTS_HALVES, codes, nearest_codes, products, to_float32
from octavo.search_snapshots.compiled_vector_search import CompiledVectorSearch, compiled_vector_search
from octavo.search_snapshots.memory_mapped_array_file import open_arrays, write_arrays

MIN_CANDIDATES = 1_600  # scored exactly; on real vectors these contain .999 of the best ten
_PER_WANTED = 16
_SHARE = 500
_HALF_FACTOR = 16  # times as many rows pass the comparison of half codes; on real vectors none of the best is lost
SCORE_ALL_BELOW = 4_000  # so few admitted rows are all scored exactly
_ALL_COMPARED = 40_000  # vectors: 61 MB in single precision, and three milliseconds to compare


def save_shard(path: Path, windows: WindowVectors) -> None:
    write_arrays(
        path,
        {
            "chunks": windows.chunks,
            "inputs": windows.inputs,
            "tiers": windows.tiers,
            "codes": codes(windows.matrix),
            "matrix": windows.matrix,
        },
    )


def open_shard(path: Path) -> tuple[WindowVectors, NDArray[np.uint64]]:
    arrays = open_arrays(path)
    try:
        bits = arrays.pop("codes")
        windows = WindowVectors(**arrays)
        rows = len(windows)
        if not (len(windows.inputs) == len(windows.tiers) == len(windows.matrix) == bits.shape[1] == rows):
            raise ValueError("its arrays have different lengths")
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise DamagedSnapshot(
            f"{path} is not a vector shard: {error}", hint="run `octavo snapshots build` to make it anew"
        ) from error
    return windows, bits


class ApproximateIndexes(Protocol):
    """An approximate index next to each shard. A package adds the form: `octavo.indexes`."""

    def near(
        self,
        vector: NDArray[np.float32],
        wanted: int,
        firsts: NDArray[np.int64],
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None,
    ) -> NDArray[np.int64]:
        """Near rows, ascending: about `wanted` of the admitted ones, evenly from every shard."""
        ...


@dataclass(slots=True)
class Shards:
    """All shards of a snapshot, searched as one. Rows are numbered consecutively over the shards."""

    paths: Sequence[Path]
    most_open: int
    approximate: ApproximateIndexes | None = None
    """Finds candidates instead of the codes, if the snapshot was built with faiss indexes."""
    chunks: NDArray[np.int64] = field(init=False)
    tiers: NDArray[np.uint8] = field(init=False)
    fast: bool = field(init=False)
    """Whether any of the vectors is a fast one."""
    all_fast: bool = field(init=False)
    """Whether all are, as while a new library waits for its own."""
    _codes: NDArray[np.uint64] = field(init=False)
    _offsets: NDArray[np.int64] = field(init=False)
    _sorted: tuple[NDArray[np.int64], NDArray[np.int64]] | None = field(init=False, default=None)
    _open: OrderedDict[int, NDArray[np.float16]] = field(init=False, default_factory=OrderedDict)
    _whole: NDArray[np.float32] | None = field(init=False, default=None)
    _lock: threading.RLock = field(init=False, default_factory=threading.RLock)
    _compiled: CompiledVectorSearch | None = field(init=False)

    def __post_init__(self) -> None:
        opened = [open_shard(path) for path in self.paths]
        lengths = [len(windows) for windows, _ in opened]
        self._offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.chunks = _concatenated([windows.chunks for windows, _ in opened], np.int64)
        self.tiers = _concatenated([windows.tiers for windows, _ in opened], np.uint8)
        # A small library does not load it: all its vectors are compared.
        self._compiled = compiled_vector_search() if len(self) > _ALL_COMPARED else None
        self.fast, self.all_fast = bool(self.tiers.any()), bool(self.tiers.all())
        self._codes = np.concatenate([bits for _, bits in opened], axis=1) if opened else np.zeros((0, 0), np.uint64)
        for number, (windows, _) in enumerate(opened[: self.most_open]):
            self._open[number] = windows.matrix

    def __len__(self) -> int:
        return len(self.chunks)

    def search(
        self,
        vector: NDArray[np.float32],
        limit: int,
        admitted: NDArray[np.bool_] | None = None,
        within: Sequence[int] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest chunks with their cosines, best first. `admitted` is a mask of the rows that may be found.

        `within` are the positions of the only shards to search.
        """
        if not len(self):
            return self.chunks[:0], np.zeros(0)
        if within is not None:
            admitted = self._inside(within, admitted)
        count = max(MIN_CANDIDATES, _PER_WANTED * limit, len(self) // _SHARE)
        if admitted is not None and (few := int(admitted.sum())) <= max(count, SCORE_ALL_BELOW):
            rows = np.flatnonzero(admitted) if few else np.zeros(0, dtype=np.int64)
        elif len(self) <= _ALL_COMPARED and self.approximate is None:
            return nearest_of(self.chunks, self._in_single_precision(), vector, limit, admitted)
        else:
            rows = self._candidates(vector, count, limit, admitted, within)
        if not len(rows):
            return self.chunks[:0], np.zeros(0)
        if self._compiled is not None:
            return top(*best_of_each(self.chunks[rows], self._cosines(rows, vector)), limit)
        if CASTS_HALVES:
            return nearest(self.chunks[rows], self.vectors(rows), vector, limit)
        halves, chunks = self._halves(rows), self.chunks[rows]
        approximate = products(halves, vector)
        near = contenders(approximate, best_of_each(chunks, approximate)[1], limit, len(vector))
        return top(*best_of_each(chunks[near], cosines(to_float32(halves[near]), vector)), limit)

    def _in_single_precision(self) -> NDArray[np.float32]:
        with self._lock:
            if self._whole is None:
                self._whole = to_float32(np.concatenate([self._matrix(shard) for shard in range(len(self.paths))]))
            return self._whole

    def _candidates(
        self,
        vector: NDArray[np.float32],
        wanted: int,
        limit: int,
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None,
    ) -> NDArray[np.int64]:
        if self.approximate is not None:
            rows = self.approximate.near(vector, wanted, self._offsets, admitted, within)
            # An index probes some of its cells; if these contain too few admitted rows, the codes find more.
            if len(rows) >= limit:
                return rows
        return self._nearest_codes(codes(vector[None])[:, 0], wanted, admitted, within)

    def score(
        self, vector: NDArray[np.float32], keys: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Exact cosines of the given chunks, as far as they are in the shards."""
        rows = self.rows_of(keys)
        if not len(rows):
            return self.chunks[:0], np.zeros(0)
        return best_of_each(self.chunks[rows], self._cosines(rows, vector))

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of all windows of these chunks, ascending."""
        if self._sorted is None:
            order = np.argsort(self.chunks, kind="stable")
            self._sorted = order, self.chunks[order]
        order, ascending = self._sorted
        return np.sort(order[rows_of(ascending, distinct(keys))])

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of these rows, which must ascend."""
        return to_float32(self._halves(rows))

    def _cosines(self, rows: NDArray[np.int64], vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Of these rows, which must ascend."""
        if self._compiled is None:
            return cosines(self.vectors(rows), vector)
        counts = np.diff(np.searchsorted(rows, self._offsets))
        matrices = [self._matrix(shard) if count else None for shard, count in enumerate(counts.tolist())]
        return rounded(self._compiled.products(matrices, self._offsets[:-1], counts, rows, vector))

    def _halves(self, rows: NDArray[np.int64]) -> NDArray[np.float16]:
        matrix = np.empty((len(rows), self._dimensions()), dtype=np.float16)
        bounds = np.searchsorted(rows, self._offsets).tolist()
        for shard, (start, end) in enumerate(pairwise(bounds)):
            if end > start:
                inside = rows[start:end] - self._offsets[shard]
                # Unless it clips, numpy takes the rows aside first, in case that one of them is not there.
                self._matrix(shard).take(inside, axis=0, out=matrix[start:end], mode="clip")
        return matrix

    def shards_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each row the position of its shard."""
        return np.searchsorted(self._offsets, rows, side="right") - 1

    def windows(self, shard: int) -> WindowVectors:
        return open_shard(self.paths[shard])[0]

    def _nearest_codes(
        self,
        code: NDArray[np.uint64],
        wanted: int,
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None = None,
    ) -> NDArray[np.int64]:
        """Half of each code is enough to exclude most rows of a large library."""
        preselected = _HALF_FACTOR * wanted
        half = 0 if len(self) <= 4 * preselected else len(code) // 2
        if self._compiled is not None:
            rows = self._compiled.nearest_codes(self._codes, code, half, preselected, wanted, admitted)
            if rows is not None:
                return rows
        return nearest_codes(self._codes, code, half, preselected, wanted, admitted, [*self._blocks(within)])

    def _blocks(self, within: Sequence[int] | None) -> Iterator[tuple[int, int]]:
        ranges = [(0, len(self))] if within is None else [self._offsets[shard : shard + 2].tolist() for shard in within]
        for first, last in ranges:
            for start in range(first, last, BLOCK):
                yield start, min(start + BLOCK, last)

    def _inside(self, within: Sequence[int], admitted: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        inside = np.zeros(len(self), dtype=bool)
        for shard in within:
            rows = slice(self._offsets[shard], self._offsets[shard + 1])
            inside[rows] = True if admitted is None else admitted[rows]
        return inside

    def _dimensions(self) -> int:
        return int(self._matrix(0).shape[1]) if len(self.paths) else 0

    def _matrix(self, shard: int) -> NDArray[np.float16]:
        if len(self.paths) <= self.most_open:
            return self._open[shard]  # all are open, and none is ever closed
        with self._lock:
            matrix = self._open.pop(shard, None)
            if matrix is None:
                matrix = open_shard(self.paths[shard])[0].matrix
            self._open[shard] = matrix
            while len(self._open) > self.most_open:
                self._open.popitem(last=False)
            return matrix


def without(windows: WindowVectors, chunks: NDArray[np.int64]) -> WindowVectors:
    keep = ~are_among(windows.chunks, chunks)
    return WindowVectors(windows.chunks[keep], windows.inputs[keep], windows.tiers[keep], windows.matrix[keep])


def joined(*windows: WindowVectors) -> WindowVectors:
    """Concatenated, ascending by chunk, the windows of each chunk in their order."""
    chunks = np.concatenate([shard.chunks for shard in windows])
    order = np.argsort(chunks, kind="stable")
    return WindowVectors(
        chunks[order],
        np.concatenate([shard.inputs for shard in windows])[order],
        np.concatenate([shard.tiers for shard in windows])[order],
        np.concatenate([shard.matrix for shard in windows])[order],
    )


def _concatenated(arrays: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=kind)
