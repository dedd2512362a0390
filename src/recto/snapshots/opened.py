"""Which snapshot is read, opened once and shared by all searches until another one is current."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recto.errors import DamagedSnapshot, MissingExtra
from recto.model.ids import ProjectId, SnapshotId
from recto.model.snapshot import Manifest, Windows
from recto.ports import SnapshotSource
from recto.snapshots.approximate import FORMS, Approximate
from recto.snapshots.arrays import open_arrays
from recto.snapshots.folder import SnapshotFolder
from recto.snapshots.outline import Outline
from recto.snapshots.segment import Segment, open_segment
from recto.snapshots.shards import Shards, open_shard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEGMENTS = ("lexical-base.seg", "lexical-recent.seg")
"""The large one, which is carried over, and what was added since it was made."""
HIDDEN = "hidden.arr"
SHARD, OUTLINE = "shard_{:03d}.vec", "outline_{:03d}.vec"


def index_name(shard: str, form: str) -> str:
    """Of the index that lies beside a shard: `shard_000.ivfpq`."""
    return f"{shard.removesuffix('.vec')}.{form}"


class OpenSnapshot:
    """A snapshot's files as the things they hold, each opened by the first who asks for it."""

    def __init__(self, path: Path, manifest: Manifest, most_open: int) -> None:
        self.path = path
        self.manifest = manifest
        self._most_open = most_open

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        return tuple(open_segment(self.path / name) for name in SEGMENTS if name in self.manifest.files)

    @cached_property
    def hidden(self) -> NDArray[np.int64]:
        """Keys that are in the base segment and were no longer current when the snapshot was made."""
        keys: NDArray[np.int64] = open_arrays(self.path / HIDDEN)["keys"]
        return keys

    @cached_property
    def shards(self) -> Shards:
        names = [SHARD.format(number) for number in range(self.manifest.shards)]
        names = [name for name in names if name in self.manifest.files]
        return Shards([self.path / name for name in names], self._most_open, self._approximate(names))

    def _approximate(self, shards: Sequence[str]) -> Approximate | None:
        """The indexes beside the shards; None where the snapshot has none, or this installation cannot read them."""
        for form in FORMS:
            names = [index_name(name, form) for name in shards]
            if names and all(name in self.manifest.files for name in names):
                try:
                    return Approximate([self.path / name for name in names], self._most_open)
                except MissingExtra as error:
                    _warn("%s; %s", error.message, "codes are searched instead")
        return None

    @cached_property
    def outline(self) -> Outline | None:
        """None where the snapshot was made without one."""
        held = [number for number in range(self.manifest.shards) if SHARD.format(number) in self.manifest.files]
        names = [OUTLINE.format(number) for number in held]
        if not names or any(name not in self.manifest.files for name in names):
            return None
        return Outline([self.path / name for name in names], self._most_open)

    def shard(self, number: int) -> Windows:
        return open_shard(self.path / SHARD.format(number))[0]


class Snapshots:
    """Follows CURRENT. A snapshot that turns out to be damaged is left for the newest that is not."""

    def __init__(
        self,
        folder: SnapshotFolder,
        source: SnapshotSource,
        project: ProjectId,
        fits: Callable[[Manifest], bool],
        *,
        most_open: int = 128,
    ) -> None:
        self.folder = folder
        self.source = source
        self.project = project
        self._fits = fits
        self._most_open = most_open
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._current: OpenSnapshot | None = None
        self._damaged: set[SnapshotId] = set()

    def current(self) -> OpenSnapshot | None:
        """The snapshot to read, or None where the library has none that fits it."""
        stamp = self.folder.stamp()
        with self._lock:
            if stamp != self._stamp:
                self._current = self._choose()
                self._stamp = stamp
            return self._current

    def condemn(self, snapshot: OpenSnapshot, error: Exception) -> None:
        """Never reads it again; the next search goes to the newest other one, or to the library itself."""
        _warn("snapshot %s is not used: %s", snapshot.manifest.id, error)
        with self._lock:
            self._damaged.add(snapshot.manifest.id)
            if self._current is snapshot:
                self._current = self._choose()

    def _choose(self) -> OpenSnapshot | None:
        wanted = self.folder.current_id()
        if wanted is None and self._stamp is None and self.folder.stamp() is None:
            return None
        known = self.source.known(self.project)
        for snapshot in dict.fromkeys((*(() if wanted is None else (wanted,)), *self.folder.ids())):
            # One that the library does not know was made from another library, or from a later state of this one.
            if snapshot in self._damaged or not known.get(snapshot):
                continue
            try:
                manifest = self.folder.manifest(snapshot)
            except DamagedSnapshot as error:
                _warn("%s", error.message)
                self._damaged.add(snapshot)
                continue
            if self._fits(manifest):
                return OpenSnapshot(self.folder.path(snapshot), manifest, self._most_open)
        return None


def _warn(message: str, *given: object) -> None:
    from recto.observability.logs import logger

    logger("snapshots").warning(message, *given)
