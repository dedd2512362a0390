"""Clusters of a library's chunks: which one each is in, and the centroid of each. Derived, kept beside snapshots."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recto.errors import DamagedSnapshot
from recto.snapshots.arrays import open_arrays, write_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "clusters.arr"
NOISE = -1
"""The label of chunks that are in no cluster: they are always looked at."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Chunks ascend. `made` holds the generation and the number of chunks there were."""

    chunks: NDArray[np.int64]
    labels: NDArray[np.int32]
    centroids: NDArray[np.float32]
    made: NDArray[np.int64]

    def near(self, vector: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """The chunks of the nearest clusters, and those in none; ascending."""
        import numpy as np

        best = np.argsort(-(self.centroids @ vector), kind="stable")[:count]
        keys: NDArray[np.int64] = self.chunks[np.isin(self.labels, [*best.tolist(), NOISE])]
        return keys

    def stale(self, chunks: int) -> bool:
        """Whether the library has grown by more than a fifth since."""
        return chunks > 1.2 * int(self.made[1])

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{FILE}.{os.getpid()}"
        write_arrays(fresh, {name: getattr(self, name) for name in self.__slots__})
        fresh.replace(folder / FILE)


def open_clusters(folder: Path) -> Clusters | None:
    """None where none were made, or what was made cannot be read."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        return Clusters(**open_arrays(path))
    except (DamagedSnapshot, TypeError):
        return None
