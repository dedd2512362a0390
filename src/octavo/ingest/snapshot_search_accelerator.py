"""Gives searches the indexes of a snapshot in place of those of the database."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from octavo.errors import DamagedSnapshot
from octavo.model.ids import ProjectId
from octavo.search_snapshots.folder import SnapshotFolder

if TYPE_CHECKING:
    # Reading a snapshot is imported where there is one, making one where one is made: a search pays for what it has.
    from octavo.ingest.search_snapshot_lifecycle import SnapshotUpkeep
    from octavo.ingest.search_snapshot_setup import SnapshotSetup
    from octavo.model.query import Filters
    from octavo.model.search_snapshot import Manifest
    from octavo.ports import LexicalIndex, VectorIndex
    from octavo.search_snapshots.lexical_search import SnapshotLexical
    from octavo.search_snapshots.reader import SnapshotReader
    from octavo.sql_repositories.documents import DocumentRepository
    from octavo.sql_repositories.store import Store


class Accelerator:
    """Speeds searches up; without snapshots they read the database. `upkeep` builds and removes snapshots."""

    def __init__(self, setup: SnapshotSetup) -> None:
        self.setup = setup
        self.folder = SnapshotFolder(setup.root)

    @property
    def published(self) -> bool:
        """Whether any snapshot answers; one may come while the library is open."""
        return self.folder.stamp() is not None

    def manifest(self) -> Manifest | None:
        """Of the snapshot that answers, if any does; told without opening it, where nothing is wrong with it."""
        answering, setup = self.folder.current_id(), self.setup
        if answering is None and not self.published:
            return None
        if answering is not None and not self._opened:
            with suppress(DamagedSnapshot):
                manifest = self.folder.manifest(answering)
                if setup.fits(manifest) and setup.marks().known(setup.project).get(answering):
                    return manifest
        current = self.snapshots.current()
        return None if current is None else current.manifest

    def is_up_to_date(self) -> bool:
        """Whether nothing was written since the snapshot that answers; where none does, whether none is due.

        A few numbers tell: most runs of indexing find nothing to do.
        """
        made, setup = self.manifest(), self.setup
        if self._opened and self.snapshots.damage:
            return False
        if made is None:
            return setup.store.embeddings.chunks(setup.project) < self.threshold
        since, now = made.mark, setup.marks().mark(setup.project)
        return now.block <= since.block and now.change <= since.change and now.vector <= since.vector

    def unfinished(self) -> float | None:
        """When the latest unfinished snapshot was begun; None where there is none."""
        known = self.setup.marks().known(self.setup.project)
        # A snapshot's id starts with the second in which it was begun.
        begun = [snapshot.partition("-")[0] for snapshot, ready in known.items() if not ready]
        return calendar.timegm(time.strptime(max(begun), "%Y%m%dT%H%M%SZ")) if begun else None

    @property
    def _opened(self) -> bool:
        return "snapshots" in vars(self)

    @property
    def threshold(self) -> int:
        return self.setup.settings.threshold

    @property
    def root(self) -> Path:
        """Where everything that is derived from the library lies."""
        return self.folder.root

    @cached_property
    def snapshots(self) -> SnapshotReader:
        from octavo.search_snapshots.reader import SnapshotReader

        setup = self.setup
        open_shards = setup.settings.open_shards
        return SnapshotReader(
            self.folder,
            setup.source(),
            setup.project,
            setup.fits,
            most_open=open_shards,
            restored=setup.store.restored,
        )

    @cached_property
    def upkeep(self) -> SnapshotUpkeep:
        from octavo.ingest.search_snapshot_lifecycle import SnapshotUpkeep

        return SnapshotUpkeep(self.setup, self.folder, self.snapshots)

    @cached_property
    def reading(self) -> Store:
        """The store as searches see it where there is a snapshot."""
        from octavo.search_snapshots.lexical_search import SnapshotLexical

        store = self.setup.store
        lexical = SnapshotLexical(self.snapshots, store, store.lexical, store.documents)
        return cast("Store", _ReadingStore(store, lexical))

    def vectors(self, exact: Callable[[], VectorIndex]) -> VectorIndex:
        """Nearest chunks from the snapshot and what came after it; from `exact` where there is none."""
        from octavo.search_snapshots.vector_search import SnapshotVectors

        return SnapshotVectors(self.snapshots, self.setup.store, self.setup.profiles(), exact)


class _ReadingStore:
    """The store as searches see it: words and filters are answered by the snapshot, everything else by the library."""

    def __init__(self, store: Store, lexical: SnapshotLexical) -> None:
        self._store = store
        self.lexical: LexicalIndex = lexical
        self.documents = cast("DocumentRepository", _ReadingDocuments(store.documents, lexical))

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


class _ReadingDocuments:
    def __init__(self, documents: DocumentRepository, lexical: SnapshotLexical) -> None:
        self._documents = documents
        self._lexical = lexical

    def admitted(self, project: ProjectId, filters: Filters) -> object:
        return self._lexical.admitted(project, filters)

    def __getattr__(self, name: str) -> object:
        return getattr(self._documents, name)
