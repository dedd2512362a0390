"""Reads what is left of a damaged SQLite file, row by row, into a new library: what cannot be computed again."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import zstandard

from octavo.stores.sqlite.database import SqliteDatabase

TABLES = (
    "projects",
    "collections",
    "texts",
    "document_versions",
    "memory_items",
    "memory_versions",
    "memory_commits",
    "memory_sessions",
    "memory_links",
    "memory_files",
    "project_places",
    "named_profiles",
)
"""What only the library knows. Everything else is computed again from these, the folders and the model."""

_KEYS_IN_USE = """
update library set value = max(value, (select coalesce(max(document), 0) from document_versions))
where name = 'document_key'
"""  # versions that were read have these keys: no new document may get one of them
_NO_TEXT = "not exists (select 1 from texts t where t.project = {table}.project and t.hash = {table}.text_hash)"
_TEXTLESS = "select {columns} from {table} where " + _NO_TEXT + " order by 1, 2"  # noqa: S608
_PAGE = 4_096
_MOST_GAPS = 10_000  # stretches of unreadable rows in a table that are skipped
_UNREADABLE = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, apsw.SQLError, apsw.FullError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How many rows of each table were read, and what is known to be lost."""

    rows: dict[str, int]
    lost: tuple[str, ...]


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Makes `target` a new library with every row of `damaged` that can still be read. `damaged` is only read."""
    SqliteDatabase(target).close()
    rows: dict[str, int] = {}
    lost: list[str] = []
    with TemporaryDirectory(prefix="octavo-salvage-") as scratch:
        source, schema_lost = _opened(damaged, target, Path(scratch))
        if schema_lost:
            lost.append("the header or schema of the file; rows were found by where a new library has them")
        into = apsw.Connection(str(target))
        try:
            into.execute("pragma foreign_keys = off")
            for table in TABLES:
                columns = [row[1] for row in into.execute(f"pragma table_info({table})")]
                names, values = ", ".join(columns), ", ".join("?" * len(columns))
                statement = f"insert or ignore into {table} ({names}) values ({values})"  # noqa: S608
                read = 0
                gaps: list[str] = []
                with into:
                    for row in _rows(source, table, columns, gaps):
                        if _acceptable(table, columns, row):
                            try:
                                into.execute(statement, row)
                                read += 1
                            except apsw.Error:
                                gaps.append("a row contradicts the schema")
                        else:
                            gaps.append("a text is damaged")
                rows[table] = read
                if gaps:
                    lost.append(f"{table}: {len(gaps)} stretches could not be read ({gaps[0]})")
            with into:
                lost += _without_texts(into)
                into.execute(_KEYS_IN_USE)
        finally:
            source.close()
            into.close()
    return Salvaged(rows, tuple(lost))


def _without_texts(into: apsw.Connection) -> Iterator[str]:
    """Names the versions whose texts were not read. One of a document goes: what its file says now is read again."""
    for title, number in into.execute(_TEXTLESS.format(columns="uri, version", table="document_versions")).fetchall():
        yield f"the text of version {number} of {title}"
    into.execute(f"delete from document_versions where {_NO_TEXT.format(table='document_versions')}")  # noqa: S608
    for title, number in into.execute(_TEXTLESS.format(columns="title, number", table="memory_versions")).fetchall():
        yield f"the text of version {number} of the memory {title}"


def _opened(damaged: Path, fresh: Path, scratch: Path) -> tuple[apsw.Connection, bool]:
    """The file, or a copy of it with the first page of a new library: its tables begin on the same pages."""
    copy = scratch / "damaged.db"
    shutil.copyfile(damaged, copy)
    log = damaged.with_name(f"{damaged.name}-wal")
    if log.is_file():
        shutil.copyfile(log, scratch / "damaged.db-wal")
    try:
        found = apsw.Connection(str(copy))
        if found.execute("select count(*) from sqlite_schema where name = 'projects'").get:
            found.execute("select count(*) from projects").get  # noqa: B018 (reads the table's first page)
            return found, False
        found.close()
    except _UNREADABLE:
        pass
    (scratch / "damaged.db-wal").unlink(missing_ok=True)
    with apsw.Connection(str(fresh)) as new:
        new.execute("pragma wal_checkpoint(truncate)")
    data = bytearray(copy.read_bytes())
    pages = max(1, -(-len(data) // _PAGE))
    data += bytes(pages * _PAGE - len(data))
    page = bytearray(fresh.read_bytes()[:_PAGE])
    page[18:20] = b"\x01\x01"  # no write-ahead log
    page[28:32] = pages.to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages
    page[92:96] = page[24:28]  # the number of pages above is the one that counts
    data[:_PAGE] = page
    copy.write_bytes(data)
    return apsw.Connection(str(copy)), True


def _rows(source: apsw.Connection, table: str, columns: list[str], gaps: list[str]) -> Iterator[tuple[Any, ...]]:
    """Forward until something cannot be read, then backward from the end, then row by row where rows have numbers."""
    try:
        there = {row[1] for row in source.execute(f"pragma table_info({table})")}
    except _UNREADABLE as error:
        gaps.append(str(error))
        return
    chosen = ", ".join(column if column in there else f"null as {column}" for column in columns)
    seen: set[tuple[Any, ...]] = set()
    for order in ("", " desc"):
        try:
            for row in source.execute(f"select {chosen} from {table} not indexed order by 1{order}"):  # noqa: S608
                if row not in seen:
                    seen.add(row)
                    yield row
            return
        except _UNREADABLE as error:
            gaps.append(str(error))
    yield from _behind_gaps(source, table, chosen, seen)


def _behind_gaps(
    source: apsw.Connection, table: str, chosen: str, seen: set[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Row by row by their numbers, where a table has them: a page that cannot be read costs the rows on it."""
    failures = 0
    for number in range(1, 1_000_000):
        try:
            found = source.execute(f"select {chosen} from {table} where rowid = ?", (number,)).fetchall()  # noqa: S608
        except apsw.SQLError:
            return  # it has no row numbers
        except _UNREADABLE:
            failures += 1
            found = []
        if not found:
            failures += 1
            if failures > _MOST_GAPS:
                return
        for row in found:
            if row not in seen:
                seen.add(row)
                yield row


def _acceptable(table: str, columns: list[str], row: tuple[Any, ...]) -> bool:
    """Whether a text is the one its hash names; a row of another table cannot be told."""
    if table != "texts":
        return True
    values = dict(zip(columns, row, strict=True))
    try:
        return bool(hashlib.sha256(zstandard.decompress(values["data"])).digest() == values["hash"])
    except (zstandard.ZstdError, TypeError):
        return False
