"""Reading snapshots: the current one, opened once and shared by all searches until CURRENT changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.errors import DamagedSnapshot, MissingExtra
from octavo.model.ids import ProjectId, SnapshotId
from octavo.model.search_snapshot import Manifest, WindowVectors
from octavo.plugins import INDEXES, OURS, load
from octavo.ports import SnapshotSource
from octavo.search_snapshots.checksum_verification import VerifiedFiles, written_at
from octavo.search_snapshots.folder import SnapshotFolder
from octavo.search_snapshots.lexical_segment import Segment, open_segment
from octavo.search_snapshots.memory_mapped_array_file import open_arrays
from octavo.search_snapshots.section_outline_index import OutlineIndex
from octavo.search_snapshots.vector_shards import ApproximateIndexes, Shards, open_shard

SEGMENTS = ("lexical-base.seg", "lexical-recent.seg")
"""The large base segment, which is carried over, and the rows added since it was built."""
TOMBSTONES = "hidden.arr"
SHARD, OUTLINE = "shard_{:03d}.vec", "outline_{:03d}.vec"
_LOOK_AGAIN = 1.0  # seconds between looks at whether an open file was written to


def index_name(shard: str, form: str) -> str:
    """The file name of the faiss index next to a shard: `shard_000.ivfpq`."""
    return f"{shard.removesuffix('.vec')}.{form}"


class OpenSnapshot:
    """A snapshot's files, each verified and opened on first use. Without `verified` they are taken as they are."""

    def __init__(self, path: Path, manifest: Manifest, most_open: int, verified: VerifiedFiles | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._most_open = most_open
        self._verified = verified
        self._written: dict[str, tuple[int, int, int] | None] = {}

    def verify(self) -> None:
        """Raises `DamagedSnapshot` unless every file is the one that was written."""
        for name in self.manifest.files:
            self._file(name)

    def rewritten(self) -> bool:
        """Whether somebody wrote to a file since it was verified."""
        return any(written_at(self.path / name) != seen for name, seen in list(self._written.items()))

    def _file(self, name: str) -> Path:
        """Its path, once its bytes are known to be those that were written."""
        path = self.path / name
        if self._verified is not None:
            seen = written_at(path)
            self._verified.check(path, self.manifest.files[name])
            self._written[name] = seen
        return path

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        return tuple(open_segment(self._file(name)) for name in SEGMENTS if name in self.manifest.files)

    @cached_property
    def tombstones(self) -> NDArray[np.int64]:
        """Keys in the base segment that were no longer current when the snapshot was built."""
        keys: NDArray[np.int64] = open_arrays(self._file(TOMBSTONES))["keys"]
        return keys

    @cached_property
    def shards(self) -> Shards:
        names = [SHARD.format(number) for number in range(self.manifest.shards)]
        names = [name for name in names if name in self.manifest.files]
        return Shards([self._file(name) for name in names], self._most_open, self._approximate(names))

    def _approximate(self, shards: Sequence[str]) -> ApproximateIndexes | None:
        """The faiss indexes next to the shards; None if the snapshot has none, or faiss is not installed."""
        for form in OURS[INDEXES]:
            names = [index_name(name, form) for name in shards]
            if names and all(name in self.manifest.files for name in names):
                try:
                    indexes: ApproximateIndexes = load(INDEXES, form).open_indexes(
                        [self._file(name) for name in names], self._most_open
                    )
                    return indexes
                except MissingExtra as error:
                    _warn("%s; %s", error.message, "codes are searched instead")
        return None

    @cached_property
    def outline(self) -> OutlineIndex | None:
        """None if the snapshot was built without one."""
        shards = [number for number in range(self.manifest.shards) if SHARD.format(number) in self.manifest.files]
        names = [OUTLINE.format(number) for number in shards]
        if not names or any(name not in self.manifest.files for name in names):
            return None
        return OutlineIndex([self._file(name) for name in names], self._most_open)

    def shard(self, number: int) -> WindowVectors:
        return open_shard(self._file(SHARD.format(number)))[0]


class SnapshotReader:
    """Follows CURRENT. A damaged snapshot is replaced by the newest undamaged one."""

    def __init__(
        self,
        folder: SnapshotFolder,
        source: SnapshotSource,
        project: ProjectId,
        fits: Callable[[Manifest], bool],
        *,
        most_open: int = 128,
        restored: Callable[[], int] = int,
    ) -> None:
        """`restored` says when another library took the place of this one: which snapshots fit is then asked again."""
        self.folder = folder
        self._restored = restored
        self._restored_at = 0
        self.source = source
        self.project = project
        self._fits = fits
        self._most_open = most_open
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self.opened: OpenSnapshot | None = None
        self._damaged: dict[SnapshotId, str] = {}
        self._verified = VerifiedFiles(folder.root)
        self.looked_at = 0.0

    def current(self) -> OpenSnapshot | None:
        """The snapshot to read, or None if the library has none that fits it."""
        stamp, restored_at = self.folder.stamp(), self._restored()
        with self._lock:
            if (stamp, restored_at) != (self._stamp, self._restored_at):
                self.opened = self._choose()
                self._stamp, self._restored_at = stamp, restored_at
            elif self.opened is not None and self._rewritten(self.opened):
                self.opened = self._choose()  # opened anew, each file is verified again
            return self.opened

    def whole(self) -> OpenSnapshot | None:
        """The snapshot to read, once every one of its files is verified."""
        while (snapshot := self.current()) is not None:
            try:
                snapshot.verify()
            except DamagedSnapshot as error:
                self.mark_damaged(snapshot, error)
                continue
            return snapshot
        return None

    def mark_damaged(self, snapshot: OpenSnapshot, error: Exception) -> None:
        """Excludes a snapshot; the next search uses the newest other one, or the database alone."""
        with self._lock:
            if snapshot.manifest.id not in self._damaged:
                _warn("snapshot %s is not used: %s", snapshot.manifest.id, error)
            self._damaged[snapshot.manifest.id] = str(error)
            if self.opened is snapshot:
                self.opened = self._choose()

    @property
    def damage(self) -> str:
        """What is wrong with the snapshot that should answer; empty while nothing is known to be."""
        current = self.folder.current_id() if self._damaged else None
        return "" if current is None else self._damaged.get(current, "")

    def _rewritten(self, snapshot: OpenSnapshot) -> bool:
        now = time.monotonic()
        if now - self.looked_at < _LOOK_AGAIN:
            return False
        self.looked_at = now
        return snapshot.rewritten()

    def _choose(self) -> OpenSnapshot | None:
        current = self.folder.current_id()
        if current is None and self._stamp is None and self.folder.stamp() is None:
            return None
        known = self.source.known(self.project)
        for snapshot in dict.fromkeys((*(() if current is None else (current,)), *self.folder.ids())):
            # A snapshot the database does not know was built from another library, or from a later state of this one.
            if snapshot in self._damaged or not known.get(snapshot):
                continue
            try:
                manifest = self.folder.manifest(snapshot)
            except DamagedSnapshot as error:
                _warn("%s", error.message)
                self._damaged[snapshot] = error.message
                continue
            if self._fits(manifest):
                return OpenSnapshot(self.folder.path(snapshot), manifest, self._most_open, self._verified)
        return None


def _warn(message: str, *given: object) -> None:
    from octavo.observability.logs import logger

    logger("snapshots").warning(message, *given)
