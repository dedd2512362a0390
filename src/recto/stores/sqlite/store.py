"""A library in one SQLite file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from recto.stores.shared.clock import Clock
from recto.stores.shared.projects import Keys
from recto.stores.shared.store import SharedStore
from recto.stores.sqlite.database import SqliteDatabase
from recto.stores.sqlite.lexical import Fts5Index
from recto.stores.sqlite.snapshots import SnapshotSource
from recto.stores.sqlite.words import make_anew, unanswered


class SqliteStore(SharedStore):
    """Fits `ports.Store`."""

    def __init__(
        self, path: Path, *, create: bool = True, clock: Clock = time.time, busy_timeout_ms: int = 5_000
    ) -> None:
        self._database = SqliteDatabase(path, create=create, busy_timeout_ms=busy_timeout_ms)
        keys = Keys(self._database)
        super().__init__(self._database, keys, Fts5Index(self._database, keys), clock)
        self.snapshots = SnapshotSource(self._database, keys, clock)

    def size(self) -> int:
        log = self._database.path.with_name(f"{self._database.path.name}-wal")
        return sum(path.stat().st_size for path in (self._database.path, log) if path.exists())

    def close(self) -> None:
        self._database.close()

    def _damage(self) -> Iterator[str]:
        yield from (str(row[0]) for row in self._database.pragma("integrity_check") if row[0] != "ok")
        for table, row, parent, _ in self._database.pragma("foreign_key_check"):
            yield f"table {table}, row {row}: points at a missing row of {parent}"
        yield from unanswered(self._database)

    def mend(self) -> bool:
        with self.transaction():
            make_anew(self._database)
        return True
