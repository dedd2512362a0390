"""A library in one SQLite file."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.sql_repositories.database_port import Clock
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.sql_repositories.store import Store, late
from octavo.stores.sqlite.database import IN_MEMORY, SqliteDatabase
from octavo.stores.sqlite.fts5_index import Fts5Index

if TYPE_CHECKING:
    from types import ModuleType

    from octavo.stores.sqlite.damage_check_and_repair import SqliteUpkeep
    from octavo.stores.sqlite.search_snapshot_marks import SqliteSnapshotMarks
    from octavo.stores.sqlite.snapshot_build_source import SqliteSnapshotSource


class SqliteStore(Store):
    """A library in one SQLite file, or in memory."""

    # A search in a small library reads no snapshot.
    snapshot_marks: SqliteSnapshotMarks = late("search_snapshot_marks:SqliteSnapshotMarks", __package__)
    snapshots: SqliteSnapshotSource = late("snapshot_build_source:SqliteSnapshotSource", __package__)

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = time.time, busy_timeout_ms: int = 5_000
    ) -> None:
        self.database = SqliteDatabase(path, create=create, busy_timeout_ms=busy_timeout_ms)
        keys = KeyCache(self.database)
        super().__init__(self.database, keys, Fts5Index(self.database, keys), clock)

    @cached_property
    def upkeep(self) -> SqliteUpkeep:
        from octavo.stores.sqlite.damage_check_and_repair import SqliteUpkeep

        return SqliteUpkeep(self, self.database)

    @classmethod
    def in_memory(cls, clock: Clock = time.time) -> SqliteStore:
        """An empty library that exists until it is closed."""
        return cls(IN_MEMORY, clock=clock)

    def size(self) -> int:
        log = self.database.path.with_name(f"{self.database.path.name}-wal")
        return sum(path.stat().st_size for path in (self.database.path, log) if path.exists())

    def compact(self, *, fully: bool = False) -> None:
        self._compaction.compact_blocks(self.database, self.transaction, fully=fully)
        self._compaction.merge_words_early(self.database, self.transaction)
        if fully:
            self.merge_words()
            self.database.vacuum()

    def merge_words(self) -> None:
        self._compaction.merge_word_index(self.database, self.transaction)

    @property
    def _compaction(self) -> ModuleType:
        from octavo.stores.sqlite import token_block_and_fts5_compaction

        return token_block_and_fts5_compaction

    def close(self) -> None:
        self.database.close()

    def repair(self) -> bool:
        with self.transaction():
            return self.upkeep.repair()
