"""Checks a SQLite file, its foreign keys, word index and memory copies, and rebuilds the word index."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.model.library_damage import Damage, LibraryPart
from octavo.observability.progress import Progress
from octavo.sql_repositories.damage_check_and_repair import LibraryUpkeep, PartChecks, Repositories
from octavo.stores.sqlite.database import SqliteDatabase
from octavo.stores.sqlite.file_header_and_schema_checks import broken_seals
from octavo.stores.sqlite.fts5_repair import block_damage, lexical_damage, rebuild_lexical_index
from octavo.stores.sqlite.second_copy_of_memory_texts import copy_damage, put_back

_QUICK_BYTES = 64_000_000


class SqliteUpkeep(LibraryUpkeep):
    """Checks and repairs a library in a file."""

    def __init__(self, store: Repositories, database: SqliteDatabase) -> None:
        super().__init__(store)
        self._file = database

    def repair(self) -> bool:
        """Inside a transaction: makes the word index anew from the stored words."""
        rebuild_lexical_index(self._file)
        return True

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        """What memories say is put back first, from whichever of its copies is whole."""
        return put_back(self._file) + super().remove_damaged(texts_too=texts_too)

    def _dialect_checks(self, quick: bool, progress: Progress) -> PartChecks:
        yield LibraryPart.FILE, self._file_damage(quick)
        if not self._is_large(quick):
            yield LibraryPart.DOCUMENTS, self._dangling()
        if not quick:
            yield LibraryPart.MEMORIES, copy_damage(self._file)
        yield LibraryPart.WORDS, block_damage(self._file, quick=quick, progress=progress)
        yield LibraryPart.WORDS, lexical_damage(self._file, quick=quick, progress=progress)

    def _file_damage(self, quick: bool) -> Iterator[Damage]:
        if self._is_large(quick):
            return  # even SQLite's quick check reads every page
        for (finding,) in self._file.pragma("quick_check" if quick else "integrity_check"):
            if finding != "ok":
                yield Damage(LibraryPart.FILE, finding)
        yield from broken_seals(self._file)

    def _is_large(self, quick: bool) -> bool:
        """Whether a quick check leaves out what reads all of the file."""
        return quick and self._file.path.is_file() and self._file.path.stat().st_size > _QUICK_BYTES

    def _dangling(self) -> Iterator[Damage]:
        for table, row, parent, _ in self._file.pragma("foreign_key_check"):
            yield Damage(LibraryPart.DOCUMENTS, f"table {table}, row {row}: points at a missing row of {parent}")
