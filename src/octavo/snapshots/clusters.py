"""Clusters of a library's chunks: the label of each chunk and the centroids. A derived file next to the snapshots."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.errors import DamagedSnapshot
from octavo.observability.logs import logger
from octavo.snapshots.arrays import open_arrays, write_arrays

FILE = "clusters.arr"
_CHECKSUM = "checksum"
NOISE = -1
"""The label of chunks in no cluster: they are always searched."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Ascending by chunk. `made` is the generation and the number of chunks at the time of clustering."""

    chunks: NDArray[np.int64]
    labels: NDArray[np.int32]
    centroids: NDArray[np.float32]
    made: NDArray[np.int64]

    def near(self, vector: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """The chunks of the nearest clusters, and those without a cluster; ascending."""
        keys: NDArray[np.int64] = self.chunks[np.isin(self.labels, [*self._nearest(vector, count), NOISE])]
        return keys

    def without_group(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the keys that were written after clustering."""
        return np.setdiff1d(keys, self.chunks)

    def joining(self, vectors: NDArray[np.float32], vector: NDArray[np.float32], count: int) -> NDArray[np.bool_]:
        """Of each of the vectors whether its nearest centroid is one of those nearest to `vector`."""
        return np.isin(np.argmax(vectors @ self.centroids.T, axis=1), self._nearest(vector, count))

    def _nearest(self, vector: NDArray[np.float32], count: int) -> list[int]:
        found: list[int] = np.argsort(-(self.centroids @ vector), kind="stable")[:count].tolist()
        return found

    def stale(self, chunks: int) -> bool:
        """Whether the library has grown by more than a fifth since clustering."""
        return chunks > 1.2 * int(self.made[1])

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{FILE}.{os.getpid()}"
        arrays = {name: getattr(self, name) for name in self.__slots__}
        write_arrays(fresh, {**arrays, _CHECKSUM: np.array([_checksum(arrays)], dtype=np.uint32)})
        fresh.replace(folder / FILE)


def open_clusters(folder: Path) -> Clusters | None:
    """None if there are none, or the file cannot be read."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        arrays = open_arrays(path)
        kept = arrays.pop(_CHECKSUM, None)  # clusters of earlier versions have none
        if kept is not None and kept.tolist() != [_checksum(arrays)]:
            raise DamagedSnapshot(f"{path} has changed since it was written")
        return Clusters(**arrays)
    except (DamagedSnapshot, TypeError) as error:
        logger("snapshots").warning("the clusters are not used: %s", error)
        return None


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> int:
    checksum = 0
    for name in sorted(arrays):
        checksum = zlib.crc32(name.encode(), checksum)
        checksum = zlib.crc32(np.ascontiguousarray(arrays[name]).tobytes(), checksum)
    return checksum
