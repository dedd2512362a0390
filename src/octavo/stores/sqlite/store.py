"""A library in one SQLite file."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.stores.shared.clock import Clock
from octavo.stores.shared.projects import KeyCache
from octavo.stores.shared.store import SharedStore
from octavo.stores.sqlite.database import IN_MEMORY, SqliteDatabase
from octavo.stores.sqlite.lexical import Fts5Index

if TYPE_CHECKING:
    from octavo.stores.sqlite.snapshots import SqliteSnapshotSource
    from octavo.stores.sqlite.upkeep import SqliteUpkeep


class SqliteStore(SharedStore):
    """Fits `ports.Store`."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = time.time, busy_timeout_ms: int = 5_000
    ) -> None:
        self._database = SqliteDatabase(path, create=create, busy_timeout_ms=busy_timeout_ms)
        keys = KeyCache(self._database)
        super().__init__(self._database, keys, Fts5Index(self._database, keys), clock)

    @cached_property
    def snapshots(self) -> SqliteSnapshotSource:
        # Imported on first use: a search in a small library reads no snapshot.
        from octavo.stores.sqlite.snapshots import SqliteSnapshotSource

        return SqliteSnapshotSource(self._database, self._keys, self._clock)

    @cached_property
    def upkeep(self) -> SqliteUpkeep:
        from octavo.stores.sqlite.upkeep import SqliteUpkeep

        return SqliteUpkeep(self, self._database)

    @classmethod
    def in_memory(cls, clock: Clock = time.time) -> SqliteStore:
        """An empty library that exists until it is closed."""
        return cls(IN_MEMORY, clock=clock)

    def size(self) -> int:
        log = self._database.path.with_name(f"{self._database.path.name}-wal")
        return sum(path.stat().st_size for path in (self._database.path, log) if path.exists())

    def compact(self, *, fully: bool = False) -> None:
        from octavo.stores.sqlite.compaction import compact_blocks, merge_word_index

        compact_blocks(self._database, self.transaction, fully=fully)
        if fully:
            merge_word_index(self._database, self.transaction)
            self._database.vacuum()

    def close(self) -> None:
        self._database.close()

    def repair(self) -> bool:
        with self.transaction():
            return self.upkeep.repair()
