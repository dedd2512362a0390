"""A library in a SQLite file as plain rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from recto.model.index import LEXICAL_FIELDS, LexicalRow
from recto.stores.shared.database import value
from recto.stores.shared.transfer import TableTransfer
from recto.stores.sqlite.database import SqliteDatabase

_EMPTY = dict.fromkeys(LEXICAL_FIELDS, "")


def sqlite_transfer(path: Path, *, read_only: bool) -> TableTransfer:
    """A source is opened so that not even its log can change; a target is made when it is not there."""
    database = SqliteDatabase(path, create=not read_only, read_only=read_only)
    return TableTransfer(str(path), database, Fts5Words(database))


class Fts5Words:
    """Fits `stores.shared.transfer.Words`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def take_out(self) -> Iterator[tuple[int, LexicalRow]]:
        keys = (row[0] for row in self._database.rows("lexical_rows"))
        words = groupby(self._database.each("lexical_instances", before="lexical_instances_open"), itemgetter(0))
        at, held = next(words, (None, iter(())))
        for key in keys:
            fields = dict(_EMPTY)
            if key == at:
                for field, several in groupby(held, itemgetter(1)):
                    fields[field] = " ".join(row[3] for row in several)
                at, held = next(words, (None, iter(())))
            yield key, LexicalRow(**fields)

    def put_in(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        self._database.run_many(
            "lexical_put",
            ({"key": chunk} | {field: getattr(row, field) for field in LEXICAL_FIELDS} for _, chunk, row in rows),
        )

    def last_chunk(self) -> int:
        return int(value(self._database, "lexical_last"))
