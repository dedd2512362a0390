"""One library copied into another, page by page: the source is only read, and an interrupted copy goes on where it was.

Rows keep their keys, so both libraries are the same row for row; that is what the checksums at the end compare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from octavo.errors import Conflict, LibraryError
from octavo.fast_dataclass import dataclass
from octavo.observability.progress import Progress
from octavo.sql_repositories.database_port import Row
from octavo.sql_repositories.table_transfer import Table, TableTransfer

PAGE = 2_000
WORDS_PAGE = 1_000
_MARK = "transfer"  # in the target while it is not complete: the source's generation, plus one
_GENERATION = "generation"


@dataclass(frozen=True, slots=True)
class Carried:
    """One table of both libraries, equal in number and in content."""

    table: str
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Transfer:
    carried: tuple[Carried, ...]
    resumed: bool

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.carried)


def transfer(source: TableTransfer, target: TableTransfer, progress: Progress) -> Transfer:
    """Copies everything, then reads both again and compares."""
    tables = source.tables
    with source.reading():
        generation = int(source.counter(_GENERATION) or 0)
        resumed = _begin(source, target, tables, generation)
        shared = {table.name: _columns(source, target, table) for table in tables}
        total = sum(source.count(table) for table in tables)
        progress.start("copying", total, "rows")
        try:
            for table in tables:
                _copy(source, target, table, shared[table.name], progress)
            copy_words(source, target, tables)
        finally:
            progress.finish()
        with target.transaction():
            for name in source.counters:
                target.set_counter(name, source.counter(name))
            target.set_sequences()
        carried = (*_compared(source, target, tables, shared), _compared_words(source, target))
    with target.transaction():
        target.set_counter(_MARK, None)
    target.finished()
    return Transfer(carried, resumed)


def digest_of(library: TableTransfer, table: Table) -> str:
    """The checksum of one table, the same on every engine that holds the same rows."""
    return _digest(every_row(library, table, tuple(sorted(library.columns(table.name)))))[1]


def _begin(source: TableTransfer, target: TableTransfer, tables: Sequence[Table], generation: int) -> bool:
    """Marks the target as incomplete. True if it was already, by an earlier copy of the same state of the source."""
    mark = target.counter(_MARK)
    if mark is not None:
        if mark != generation + 1:
            raise Conflict(
                f"{source.name} has changed since it was first copied to {target.name}",
                hint="start again with an empty target",
            )
        return True
    if any(target.count(table) for table in tables):
        raise Conflict(f"{target.name} already holds a library", hint="give a target that is empty")
    with target.transaction():
        target.set_counter(_MARK, generation + 1)
    return False


def _columns(source: TableTransfer, target: TableTransfer, table: Table) -> tuple[str, ...]:
    ours, theirs = source.columns(table.name), target.columns(table.name)
    if sorted(ours) != sorted(theirs):
        different = sorted(set(ours) ^ set(theirs))
        raise LibraryError(
            f"the tables {table.name} of {source.name} and {target.name} differ in {', '.join(different)}",
            hint="run `octavo db upgrade` on the older one",
        )
    return tuple(sorted(ours))


def _copy(
    source: TableTransfer, target: TableTransfer, table: Table, columns: Sequence[str], progress: Progress
) -> None:
    for rows in _pages(source, table, columns, target.last(table)):
        with target.transaction():
            target.put(table, columns, rows)
        progress.advance(len(rows))


def _pages(library: TableTransfer, table: Table, columns: Sequence[str], after: Row | None) -> Iterator[list[Row]]:
    places = [columns.index(column) for column in table.key]
    while rows := library.page(table, columns, after, PAGE):
        yield rows
        after = tuple(rows[-1][place] for place in places)


def copy_words(source: TableTransfer, target: TableTransfer, tables: Sequence[Table]) -> None:
    chunks = next(table for table in tables if table.name == "chunks")
    owners = {key: project for rows in _pages(source, chunks, ("key", "project"), None) for key, project in rows}
    last, waiting = target.lexical.last_chunk(), []
    for chunk, row in source.lexical.export_rows():
        if chunk > last and chunk in owners:
            waiting.append((owners[chunk], chunk, row))
        if len(waiting) >= WORDS_PAGE:
            with target.transaction():
                target.lexical.import_rows(waiting)
            waiting = []
    with target.transaction():
        target.lexical.import_rows(waiting)


def _compared(
    source: TableTransfer, target: TableTransfer, tables: Sequence[Table], shared: dict[str, tuple[str, ...]]
) -> Iterator[Carried]:
    for table in tables:
        columns = shared[table.name]
        ours, theirs = (_digest(every_row(library, table, columns)) for library in (source, target))
        yield _same(table.name, ours, theirs, target)


def _compared_words(source: TableTransfer, target: TableTransfer) -> Carried:
    ours, theirs = (
        _digest((chunk, *row) for chunk, row in library.lexical.export_rows()) for library in (source, target)
    )
    return _same("words", ours, theirs, target)


def every_row(library: TableTransfer, table: Table, columns: Sequence[str]) -> Iterator[Row]:
    for rows in _pages(library, table, columns, None):
        yield from rows


def _same(name: str, ours: tuple[int, str], theirs: tuple[int, str], target: TableTransfer) -> Carried:
    if ours != theirs:
        raise LibraryError(
            f"{name} in {target.name} is not what was copied: {theirs[0]} rows of {ours[0]}",
            hint="start again with an empty target; the source is as it was",
        )
    return Carried(name, *ours)


def _digest(rows: Iterator[Row]) -> tuple[int, str]:
    count, digest = 0, hashlib.sha256()
    for row in rows:
        count += 1
        digest.update(json.dumps([_plain(value) for value in row]).encode())
    return count, digest.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
