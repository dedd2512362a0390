"""A project's snapshots in use: which one answers, when the next is due, and what to do with those there are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from recto.errors import Busy, DamagedSnapshot, NotFound, NotIndexed
from recto.model.ids import ProjectId, SnapshotId
from recto.snapshots.folder import SnapshotFolder

if TYPE_CHECKING:
    # Reading a snapshot is imported where there is one, making one where one is made: a search pays for what it has.
    from recto.ingest.publish import Making
    from recto.model.query import Filters
    from recto.model.recipe import EmbeddingProfile
    from recto.model.snapshot import Manifest
    from recto.observability.progress import Progress
    from recto.ports import Documents, LexicalIndex, SnapshotSource, Store, VectorIndex
    from recto.snapshots.clusters import Clusters
    from recto.snapshots.lexical import SnapshotLexical
    from recto.snapshots.opened import Snapshots


@dataclass(frozen=True, slots=True)
class SnapshotSettings:
    """`threshold` is the number of chunks from which on a library is given snapshots."""

    enabled: bool = True
    threshold: int = 20_000
    keep: int = 3
    shards: int | None = None
    open_shards: int = 128
    outline: bool = False
    vectors: str = "codes"


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """One that is on the disk. `problem` says why it cannot be used."""

    id: SnapshotId
    current: bool
    manifest: Manifest | None
    problem: str = ""


class Accelerator:
    """What an engine asks. Everything works without it, only slower."""

    def __init__(
        self,
        store: Store,
        source: SnapshotSource,
        project: ProjectId,
        root: Path,
        settings: SnapshotSettings,
        analyzer: str,
        profiles: Callable[[], tuple[EmbeddingProfile, ...]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._source = source
        self._project = project
        self._settings = settings
        self._analyzer = analyzer
        self._profiles = profiles
        self._clock = clock
        self._folder = SnapshotFolder(root)

    @property
    def published(self) -> bool:
        """Whether any snapshot answers; one may come while the library is open."""
        return self._folder.stamp() is not None

    @cached_property
    def snapshots(self) -> Snapshots:
        from recto.snapshots.opened import Snapshots

        open_shards = self._settings.open_shards
        return Snapshots(self._folder, self._source, self._project, self._fits, most_open=open_shards)

    @cached_property
    def reading(self) -> Store:
        """The store as searches see it where there is a snapshot."""
        from recto.snapshots.lexical import SnapshotLexical

        lexical = SnapshotLexical(self.snapshots, self._store, self._store.lexical, self._store.documents)
        return cast("Store", _ReadingStore(self._store, lexical))

    @property
    def threshold(self) -> int:
        return self._settings.threshold

    @property
    def root(self) -> Path:
        """Where everything that is derived from the library lies."""
        return self._folder.root

    def building(self) -> bool:
        """Whether somebody makes a snapshot at this moment."""
        return self._folder.busy()

    def unfinished(self) -> float | None:
        """When a snapshot was begun that is not there yet; None where there is no such."""
        begun = [name for name, ready in self._source.known(self._project).items() if not ready]
        return max(map(_begun_at, begun)) if begun else None

    def vectors(self, exact: Callable[[], VectorIndex]) -> VectorIndex:
        """Nearest chunks from the snapshot and what came after it; from `exact` where there is none."""
        from recto.snapshots.vectors import SnapshotVectors

        return SnapshotVectors(self.snapshots, self._store, self._profiles(), exact)

    def publish_if_due(self, progress: Progress) -> Manifest | None:
        """A new snapshot where the library is large enough and has moved away from the last one."""
        if not self._settings.enabled or not self.due():
            return None
        try:
            return self.publish(progress)
        except (Busy, NotIndexed):
            return None  # somebody else is at it, or the library was indexed before snapshots could be made of it

    def publish(self, progress: Progress, *, full: bool = False) -> Manifest:
        from recto.ingest.publish import publish

        current = None if full else self.snapshots.current()
        return publish(self._making(), current, progress)

    def due(self) -> bool:
        from recto.ingest.publish import behind

        current = self.snapshots.current()
        if current is None:
            return self._store.counts(self._project).chunks >= self._settings.threshold
        chunks, vectors = behind(self._making(), current.manifest)
        known = current.manifest.chunks
        return chunks >= max(1_000, known // 50) or vectors >= max(5_000, known // 10)

    def kept(self) -> tuple[KeptSnapshot, ...]:
        """Newest first."""
        known, current = self._source.known(self._project), self.snapshots.current()
        found = []
        for snapshot in self._folder.ids():
            answers = current is not None and current.manifest.id == snapshot
            try:
                manifest = self._folder.manifest(snapshot)
            except DamagedSnapshot as error:
                found.append(KeptSnapshot(snapshot, answers, None, error.message))
                continue
            problem = "" if known.get(snapshot) else "it was made from another state of this library"
            if not problem and not self._fits(manifest):
                problem = "it was made with another analyzer"
            found.append(KeptSnapshot(snapshot, answers, manifest, problem))
        return tuple(found)

    def unseen(self) -> int:
        """How many of the chunks there are were written since the current snapshot."""
        from recto.ingest.publish import unseen

        current = self.snapshots.current()
        return unseen(self._making(), None if current is None else current.manifest)

    def verify(self) -> tuple[KeptSnapshot, ...]:
        """Reads every byte of every snapshot."""
        checked = []
        for one in self.kept():
            try:
                checked.append(KeptSnapshot(one.id, one.current, self._folder.verify(one.id), one.problem))
            except DamagedSnapshot as error:
                checked.append(KeptSnapshot(one.id, one.current, one.manifest, error.message))
        return tuple(checked)

    def recover(self) -> SnapshotId | None:
        """Clears away what builders left, and points CURRENT at the newest snapshot that is whole; which that is.

        One whose bytes are not those that were written is removed: it could only answer wrongly.
        """
        from recto.observability.logs import logger

        known = self._source.known(self._project)
        with self._folder.exclusive():
            wanted = self._folder.current_id()
            for snapshot in self._folder.ids():
                if not known.get(snapshot):
                    # Never entered: its builder ended between renaming it and telling the library.
                    self._folder.remove(snapshot)
            first: tuple[SnapshotId, ...] = () if wanted is None else (wanted,)
            for snapshot in dict.fromkeys((*first, *self._folder.ids())):
                try:
                    whole = known.get(snapshot, False) and self._fits(self._folder.verify(snapshot))
                except DamagedSnapshot as error:
                    logger("snapshots").warning("%s", error.message)
                    self._folder.remove(snapshot)
                    continue
                if whole:
                    if snapshot != wanted:
                        self._folder.switch(snapshot)
                    return snapshot
            self._folder.point_nowhere()
        return None

    def roll_back(self, snapshot: SnapshotId | None = None) -> SnapshotId:
        """Lets another snapshot answer, the one before unless one is named; what was written since is added to it."""
        usable = [one.id for one in self.kept() if not one.problem]
        current = self._folder.current_id()
        if snapshot is None:
            earlier = [one for one in usable if current is None or one < current]
            if not earlier:
                raise NotFound("there is no earlier snapshot", hint="`recto snapshot list` shows those there are")
            snapshot = earlier[0]
        elif snapshot not in usable:
            raise NotFound(
                f"there is no snapshot {snapshot} to use", hint="`recto snapshot list` shows those there are"
            )
        with self._folder.exclusive():
            self._folder.verify(snapshot)
            self._folder.switch(snapshot)
        return snapshot

    def prune(self) -> tuple[SnapshotId, ...]:
        from recto.ingest.publish import prune

        with self._folder.exclusive():
            return prune(self._making())

    def clusters(self) -> Clusters | None:
        """What `recto cluster build` made, as long as it lies there."""
        from recto.snapshots.clusters import open_clusters

        return open_clusters(self._folder.root)

    def clustered_at(self) -> float:
        from recto.snapshots.clusters import FILE

        return (self._folder.root / FILE).stat().st_mtime

    def build_clusters(self, algorithm: str, groups: int, seed: int) -> Clusters:
        from recto.ingest.cluster import build_clusters

        return build_clusters(
            self._store,
            self._source,
            self._project,
            self._profiles(),
            self._folder.root,
            algorithm=algorithm,
            groups=groups,
            seed=seed,
        )

    def _fits(self, manifest: Manifest) -> bool:
        return manifest.project == self._project and manifest.analyzer == self._analyzer

    def _making(self) -> Making:
        from recto.ingest.publish import Making

        return Making(
            store=self._store,
            source=self._source,
            project=self._project,
            folder=self._folder,
            profiles=self._profiles(),
            analyzer=self._analyzer,
            shards=self._settings.shards,
            keep=self._settings.keep,
            outline=self._settings.outline,
            vectors=self._settings.vectors,
            clock=self._clock,
        )


def _begun_at(snapshot: SnapshotId) -> float:
    """A snapshot's id starts with the second in which it was begun."""
    import calendar

    return calendar.timegm(time.strptime(snapshot.partition("-")[0], "%Y%m%dT%H%M%SZ"))


class _ReadingStore:
    """The store as searches see it: words and filters are answered by the snapshot, everything else by the library."""

    def __init__(self, store: Store, lexical: SnapshotLexical) -> None:
        self._store = store
        self.lexical: LexicalIndex = lexical
        self.documents = cast("Documents", _ReadingDocuments(store.documents, lexical))

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


class _ReadingDocuments:
    def __init__(self, documents: Documents, lexical: SnapshotLexical) -> None:
        self._documents = documents
        self._lexical = lexical

    def admitted(self, project: ProjectId, filters: Filters) -> object:
        return self._lexical.admitted(project, filters)

    def __getattr__(self, name: str) -> object:
        return getattr(self._documents, name)
