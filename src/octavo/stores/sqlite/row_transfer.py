"""Export and import of a library in a SQLite file, as plain rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalRow
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.table_transfer import TableTransfer
from octavo.stores.sqlite.database import SqliteDatabase

_EMPTY = dict.fromkeys(LEXICAL_FIELDS, "")


def sqlite_transfer(path: Path, *, read_only: bool, at_rest: bool = False) -> TableTransfer:
    """A source is opened read-only, including its write-ahead log; a target is created if it does not exist."""
    database = SqliteDatabase(path, create=not read_only, read_only=read_only, at_rest=at_rest)
    return TableTransfer(str(path), database, Fts5Transfer(database))


class Fts5Transfer:
    """Fits `sql_repositories.table_transfer.LexicalTransfer`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def export_rows(self) -> Iterator[tuple[int, LexicalRow]]:
        keys = (row[0] for row in self._database.rows("lexical_rows"))
        words = groupby(self._database.each("lexical_instances", before="lexical_instances_open"), itemgetter(0))
        at, instances = next(words, (None, iter(())))
        for key in keys:
            fields = dict(_EMPTY)
            if key == at:
                fields.update((field, text) for _, field, text in instances)
                at, instances = next(words, (None, iter(())))
            yield key, LexicalRow(**fields)

    def import_rows(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        self._database.run_many(
            "lexical_put",
            ({"key": chunk} | {field: getattr(row, field) for field in LEXICAL_FIELDS} for _, chunk, row in rows),
        )

    def last_chunk(self) -> int:
        return int(value(self._database, "lexical_last"))
