"""Faiss indexes (IVFPQ, HNSW) beside vector shards, which find candidates in place of binary codes.

An index next to each shard returns rows of that shard; they are scored exactly from half precision like any others.
Filters are passed to faiss as a bitmap, so that a row that is not admitted is never found. Shards of fewer than a
thousand rows get a flat index: quantising so few would lose more than it saves.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.config.search_snapshot_settings import Faiss
from octavo.errors import DamagedSnapshot, MissingExtra
from octavo.plugins import install_command

HNSW = "hnsw"
_DEFAULTS = Faiss()

_MOST_CELLS = 256
_UNSET = 1  # what faiss itself writes for the cells to look into
_OVERSAMPLING = 2  # times as many candidates as codes need: quantised distances are closer, but not exact


def require_faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingExtra(
            "snapshots.vectors asks for an index of faiss, which is not installed",
            hint=f'{install_command("faiss")}, or set snapshots.vectors = "codes"',
        ) from error
    return faiss


def save_index(path: Path, form: str, matrix: NDArray[np.float16], settings: Faiss = _DEFAULTS) -> None:
    """Builds an index over the rows of a shard; it is on disk when this returns. How far a query looks is in it."""
    faiss, vectors = require_faiss(), np.ascontiguousarray(matrix, dtype=np.float32)
    rows, dimensions = vectors.shape
    index = _empty(faiss, form, rows, dimensions, settings)
    index.train(vectors)
    index.add(vectors)
    with path.open("wb") as file:
        file.write(faiss.serialize_index(index).tobytes())
        file.flush()
        os.fsync(file.fileno())


def _empty(faiss: Any, form: str, rows: int, dimensions: int, settings: Faiss) -> Any:
    # A code of n bits is learnt from 2^n vectors at least.
    if rows < max(settings.min_vectors, 1 << settings.nbits if form != HNSW else 0):
        return faiss.IndexFlatIP(dimensions)
    if form == HNSW:
        index = faiss.IndexHNSWFlat(dimensions, settings.hnsw_m, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction, index.hnsw.efSearch = settings.ef_construction, settings.ef_search
        return index
    subvectors = next(count for count in range(min(settings.m, dimensions), 0, -1) if dimensions % count == 0)
    cells = faiss.IndexFlatIP(dimensions)
    index = faiss.IndexIVFPQ(
        cells, dimensions, min(_MOST_CELLS, isqrt(rows)), subvectors, settings.nbits, faiss.METRIC_INNER_PRODUCT
    )
    index.nprobe = settings.nprobe
    # Shards are small on purpose; without this faiss warns about it on stderr.
    index.cp.min_points_per_centroid = index.pq.cp.min_points_per_centroid = 1
    index.own_fields = True
    cells.this.disown()
    return index


def open_indexes(paths: Sequence[Path], most_open: int) -> FaissIndexes:
    return FaissIndexes(paths, most_open)


class FaissIndexes:
    """The indexes of all shards, in shard order; the most recently used ones stay open."""

    def __init__(self, paths: Sequence[Path], most_open: int) -> None:
        self._faiss = require_faiss()
        self._paths = paths
        self._most_open = most_open
        self._open: OrderedDict[int, Any] = OrderedDict()
        self._lock = threading.Lock()

    def near(
        self,
        vector: NDArray[np.float32],
        wanted: int,
        firsts: NDArray[np.int64],
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None,
    ) -> NDArray[np.int64]:
        """Near rows, ascending: about `wanted` of the admitted ones, evenly from every shard."""
        shards = range(len(self._paths)) if within is None else within
        per_shard = -(-_OVERSAMPLING * wanted // max(1, len(shards)))
        nearest = [np.zeros(0, dtype=np.int64)]
        for shard in shards:
            start, end = firsts[shard : shard + 2].tolist()
            mask = None if admitted is None else admitted[start:end]
            if mask is None or mask.any():
                rows = self._index(shard, vector[None], min(per_shard, end - start), mask)
                nearest.append(rows[rows >= 0] + start)
        return np.sort(np.concatenate(nearest))

    def _index(
        self, shard: int, vectors: NDArray[np.float32], count: int, mask: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        index = self._opened(shard)
        options: dict[str, Any] = {}
        if mask is not None:
            options["sel"] = self._faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
        if isinstance(index, self._faiss.IndexIVFPQ):
            probes = _DEFAULTS.nprobe if index.nprobe == _UNSET else index.nprobe
            parameters = self._faiss.SearchParametersIVF(nprobe=probes, **options)
        elif isinstance(index, self._faiss.IndexHNSWFlat):
            parameters = self._faiss.SearchParametersHNSW(efSearch=max(index.hnsw.efSearch, count), **options)
        else:
            parameters = self._faiss.SearchParameters(**options)
        rows: NDArray[np.int64] = index.search(np.ascontiguousarray(vectors), count, params=parameters)[1][0]
        return rows

    def _opened(self, shard: int) -> Any:
        with self._lock:
            index = self._open.pop(shard, None)
            if index is None:
                index = self._read(self._paths[shard])
            self._open[shard] = index
            while len(self._open) > self._most_open:
                self._open.popitem(last=False)
            return index

    def _read(self, path: Path) -> Any:
        try:
            return self._faiss.read_index(str(path), self._faiss.IO_FLAG_MMAP | self._faiss.IO_FLAG_READ_ONLY)
        except RuntimeError as error:
            raise DamagedSnapshot(
                f"{path} is not an index of faiss: {str(error).splitlines()[0]}",
                hint="run `octavo snapshots build` to make it anew",
            ) from error
