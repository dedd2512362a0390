"""Makes, checks, switches and removes a project's snapshots."""

from __future__ import annotations

from octavo.errors import Busy, DamagedSnapshot, NotFound, NotIndexed
from octavo.fast_dataclass import dataclass
from octavo.ingest.search_snapshot_build import Making, behind, prune, publish, unseen
from octavo.ingest.search_snapshot_setup import SnapshotSetup
from octavo.model.ids import SnapshotId
from octavo.model.search_snapshot import Manifest
from octavo.observability.logs import logger
from octavo.observability.progress import Progress
from octavo.search_snapshots.folder import SnapshotFolder
from octavo.search_snapshots.reader import SnapshotReader


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """One that is on the disk. `problem` says why it cannot be used."""

    id: SnapshotId
    current: bool
    manifest: Manifest | None
    problem: str = ""


class SnapshotUpkeep:
    """What is done to snapshots while searches read them: the current one answers until another takes over."""

    def __init__(self, setup: SnapshotSetup, folder: SnapshotFolder, snapshots: SnapshotReader) -> None:
        self._setup = setup
        self._folder = folder
        self._snapshots = snapshots

    def publish_if_due(self, progress: Progress) -> Manifest | None:
        """A new snapshot where the library is large enough and has moved away from the last one."""
        if not self._setup.settings.enabled or not self.due():
            return None
        try:
            # So much was written that the index of words is in many segments, of which a phrase asks each.
            self._setup.store.merge_words()
            return self.publish(progress)
        except (Busy, NotIndexed):
            return None  # somebody else is at it, or the library was indexed before snapshots could be made of it

    def publish(self, progress: Progress, *, full: bool = False) -> Manifest:
        # What is carried over would carry its damage along.
        current = None if full else self._snapshots.whole()
        try:
            return publish(self._making(), current, progress)
        except DamagedSnapshot as error:
            if current is None:
                raise
            logger("snapshots").warning("%s; it is built again, and nothing carried over", error.message)
            return publish(self._making(), None, progress)

    def rebuild(self, progress: Progress) -> Manifest | None:
        """A new snapshot where a damaged one was: those that are not whole are removed, the rest is carried over."""
        return None if self.recovered() else self.publish(progress)

    def recovered(self) -> bool:
        """Recovers; whether the snapshot that should answer is whole."""
        answering = self._folder.current_id()
        return answering == self.recover() and answering is not None

    def due(self) -> bool:
        current = self._snapshots.current()
        if self._snapshots.damage:
            return True
        if current is None:
            return self._setup.store.embeddings.chunks(self._setup.project) >= self._setup.settings.threshold
        chunks, vectors = behind(self._making(), current.manifest)
        known = current.manifest.chunks
        return chunks >= max(1_000, known // 50) or vectors >= max(5_000, known // 10)

    def stored(self) -> tuple[StoredSnapshot, ...]:
        """Newest first."""
        known, current = self._setup.source().known(self._setup.project), self._snapshots.current()
        snapshots = []
        for snapshot in self._folder.ids():
            answers = current is not None and current.manifest.id == snapshot
            try:
                manifest = self._folder.manifest(snapshot)
            except DamagedSnapshot as error:
                snapshots.append(StoredSnapshot(snapshot, answers, None, error.message))
                continue
            problem = "" if known.get(snapshot) else "it was made from another state of this library"
            if not problem and not self._setup.fits(manifest):
                problem = "it was made with another analyzer"
            snapshots.append(StoredSnapshot(snapshot, answers, manifest, problem))
        return tuple(snapshots)

    def unseen(self) -> int:
        """How many existing chunks were written since the current snapshot."""
        current = self._snapshots.current()
        return unseen(self._making(), None if current is None else current.manifest)

    def verify(self) -> tuple[StoredSnapshot, ...]:
        """Reads every byte of every snapshot."""
        checked = []
        for snapshot in self.stored():
            try:
                checked.append(
                    StoredSnapshot(snapshot.id, snapshot.current, self._folder.verify(snapshot.id), snapshot.problem)
                )
            except DamagedSnapshot as error:
                checked.append(StoredSnapshot(snapshot.id, snapshot.current, snapshot.manifest, error.message))
        return tuple(checked)

    def recover(self) -> SnapshotId | None:
        """Removes what builders left; keeps CURRENT, or points it at the newest whole snapshot; returns its id.

        One whose bytes are not those that were written is removed: it could only answer wrongly.
        """
        with self._folder.exclusive():
            # Under the lock: a builder that ends right before has entered its snapshot.
            known = self._setup.source().known(self._setup.project)
            current = self._folder.current_id()
            for snapshot in self._folder.ids():
                if not known.get(snapshot):
                    # Never entered: its builder ended between renaming it and telling the library.
                    self._folder.remove(snapshot)
            first: tuple[SnapshotId, ...] = () if current is None else (current,)
            for snapshot in dict.fromkeys((*first, *self._folder.ids())):
                try:
                    whole = known.get(snapshot, False) and self._setup.fits(self._folder.verify(snapshot))
                except DamagedSnapshot as error:
                    logger("snapshots").warning("%s", error.message)
                    self._folder.remove(snapshot)
                    continue
                if whole:
                    if snapshot != current:
                        self._folder.switch(snapshot)
                    return snapshot
            self._folder.clear_current()
        return None

    def roll_back(self, snapshot: SnapshotId | None = None) -> SnapshotId:
        """Lets another snapshot answer, the one before unless one is named; what was written since is added to it."""
        usable = [snapshot.id for snapshot in self.stored() if not snapshot.problem]
        current = self._folder.current_id()
        if snapshot is None:
            earlier = [snapshot for snapshot in usable if current is None or snapshot < current]
            if not earlier:
                raise NotFound("there is no earlier snapshot", hint="`octavo snapshots list` shows those there are")
            snapshot = earlier[0]
        elif snapshot not in usable:
            raise NotFound(
                f"there is no snapshot {snapshot} to use", hint="`octavo snapshots list` shows those there are"
            )
        with self._folder.exclusive():
            self._folder.verify(snapshot)
            self._folder.switch(snapshot)
        return snapshot

    def prune(self) -> tuple[SnapshotId, ...]:
        with self._folder.exclusive():
            return prune(self._making())

    def _making(self) -> Making:
        return Making(
            store=self._setup.store,
            source=self._setup.source(),
            project=self._setup.project,
            folder=self._folder,
            profiles=self._setup.profiles(),
            analyzer=self._setup.analyzer,
            shards=self._setup.settings.shards,
            keep=self._setup.settings.keep,
            outline=self._setup.settings.outline,
            vectors=self._setup.settings.vectors,
            faiss=self._setup.settings.faiss,
            copies=self._setup.settings.copies,
            clock=self._setup.clock,
        )
