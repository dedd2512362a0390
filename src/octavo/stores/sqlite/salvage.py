"""Reads what is left of a damaged SQLite file, page by page, into a new library: what cannot be computed again.

Neither the header nor the schema of the damaged file is needed: a row is told by the types of its values. All of these
rows but texts are stored twice (`0017_witnesses.sql`), so that one damaged page costs none of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import zstandard

from octavo.model.ids import collection_id, project_id, short_id
from octavo.stores.sqlite.database import SqliteDatabase
from octavo.stores.sqlite.raw_pages import RawPages, RawRow, Unreadable
from octavo.stores.sqlite.row_shapes import ANY, TYPES, Row, Shape

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
    "note_writes",
    "query_log",
    "query_log_hits",
)
"""What only the library knows. Everything else is computed again from these, the folders and the model."""

_KEYS_IN_USE = """
update library set value = max(value, (select coalesce(max(document), 0) from document_versions))
where name = 'document_key'
"""  # versions that were read have these keys: no new document may get one of them
_NO_TEXT = "not exists (select 1 from texts t where t.project = {table}.project and t.hash = {table}.text_hash)"
_TEXTLESS = "select {columns} from {table} where " + _NO_TEXT + " order by 1, 2"  # noqa: S608
_WITHOUT_ITEM = """
select v.project, v.item, max(v.number), v.title, v.tags, min(v.created_at), max(v.created_at),
  coalesce((select c.status from memory_commits c where c.item = v.item order by c.key desc limit 1), 'active')
from memory_versions v where not exists (select 1 from memory_items m where m.key = v.item)
group by v.project, v.item order by v.item
"""
_ITEM = """
insert into memory_items (key, project, id, kind, scope, title, tags, links, metadata, pinned, status, version,
  fingerprint, created_at, updated_at)
values (:key, :project, :id, 'note', 'project', :title, :tags, '[]', '{}', 0, :status, :version, x'', :made, :changed)
"""
_LOOKED_AT = 8  # cells of a page by which it is told whose it is
_DEFAULT_PROJECT = "default"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How many rows of each table were read, and what is known to be lost."""

    rows: dict[str, int]
    lost: tuple[str, ...]


@dataclass
class _Found:
    """Rows by their keys, each with every copy of it; and how many cells of a table could not be read."""

    copies: dict[str, dict[Row, Counter[Row]]] = field(default_factory=lambda: {table: {} for table in TABLES})
    unreadable: Counter[str] = field(default_factory=Counter)


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Makes `target` a new library with every row of `damaged` that can still be read. `damaged` is only read."""
    SqliteDatabase(target).close()
    into = apsw.Connection(str(target))
    try:
        into.execute("pragma foreign_keys = off")
        shapes = {table: _shape_of(into, table) for table in TABLES}
        others = _other_shapes(into, TABLES)
        pages = RawPages(damaged)
        lost = [] if pages.has_header else ["the header of the file: rows that had been removed may be back"]
        with into:
            found = _read(pages, shapes, others, into)
            lost += _project_names(found, shapes)
            rows = {table: _put(into, shapes[table], found, lost) for table in TABLES}
            lost += _items_of_versions(into)
            lost += _without_texts(into)
            into.execute(_KEYS_IN_USE)
    finally:
        into.close()
    return Salvaged(rows, tuple(lost))


def _shape_of(library: apsw.Connection, table: str) -> Shape:
    """As the schema of a library has it."""
    described = _pragma(library, f"table_info({table})")
    (has_numbers,) = library.execute("select not wr from pragma_table_list where name = ?", (table,)).fetchone() or (1,)
    key = tuple(row[0] for row in sorted(described, key=lambda row: row[5]) if row[5])
    columns = tuple(row[1] for row in described)
    witness = tuple(row[2] for row in _pragma(library, f"index_info({table}_witness)"))
    return Shape(
        table,
        columns,
        tuple(TYPES.get(row[2].upper(), ANY) for row in described),
        tuple(bool(row[3] or row[5]) for row in described),
        tuple(None if row[4] is None else library.execute(f"select {row[4]}").get for row in described),
        key,
        bool(has_numbers),
        bool(has_numbers) and len(key) == 1 and described[key[0]][2].upper() == "INTEGER",
        witness == columns,
    )


def _other_shapes(library: apsw.Connection, tables: Sequence[str]) -> list[Shape]:
    """Of all other tables and of every index: what looks like a row of `tables` may be one of these."""
    found = []
    named = "select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')"
    for table in [str(row[0]) for row in library.execute(named).fetchall()]:
        shape = _shape_of(library, table)
        if table not in tables:
            found.append(shape)
        for index in _pragma(library, f"index_list({table})"):
            is_copy = shape.is_stored_twice and index[1] == f"{table}_witness"
            is_table = index[3] == "pk" and not shape.has_numbers
            if table not in tables or not (is_copy or is_table):
                found.append(_index_shape(library, index[1], shape))
    return found


def _index_shape(library: apsw.Connection, index: str, of: Shape) -> Shape:
    """The columns of an index, and what it names its row by."""
    places = [int(row[1]) for row in _pragma(library, f"index_xinfo({index})")]
    stored = [at for at in places if at < len(of.columns)]
    return Shape(
        index,
        tuple(of.columns[at] if at >= 0 else "" for at in stored),
        tuple(of.types[at] if at >= 0 else TYPES["INTEGER"] for at in stored),
        tuple(at < 0 or of.required[at] for at in stored),
        (),
        (),
        has_numbers=False,
        number_is_key=False,
        is_stored_twice=False,
    )


def _pragma(library: apsw.Connection, name: str) -> list[tuple[Any, ...]]:
    return library.execute(f"pragma {name}").fetchall()


def _read(pages: RawPages, shapes: Mapping[str, Shape], others: Sequence[Shape], into: apsw.Connection) -> _Found:
    """Every row on every page that is in use. Texts are written at once: together they may be larger than memory."""
    found, free = _Found(), pages.free()
    every = [*others, *shapes.values()]
    for number in range(1, pages.count + 1):
        shape = None if number in free else _shape_on(pages, number, every)
        if shape is None or shape.table not in shapes:
            continue
        for raw in pages.rows(number):
            row = None if isinstance(raw, Unreadable) else shape.row_of(raw)
            if row is None or (shape.table == "texts" and not _is_whole(shape, row)):
                found.unreadable[shape.table] += 1
            elif shape.table == "texts":
                into.execute(_insertion(shape), row)
            else:
                found.copies[shape.table].setdefault(shape.key_of(row), Counter())[row] += 1
    return found


def _shape_on(pages: RawPages, number: int, shapes: Sequence[Shape]) -> Shape | None:
    """Whose rows are on a page: what most of its first cells fit, and of several the strictest."""
    fits: Counter[int] = Counter()
    for raw in islice(pages.rows(number), _LOOKED_AT):
        if isinstance(raw, RawRow):
            fits.update(place for place, shape in enumerate(shapes) if shape.row_of(raw) is not None)
    best = max(fits, key=lambda place: (fits[place], shapes[place].strictness), default=None)
    return None if best is None else shapes[best]


def _is_whole(shape: Shape, row: Row) -> bool:
    """Whether a text is the one its hash names."""
    values: dict[str, Any] = dict(zip(shape.columns, row, strict=True))
    try:
        return bool(hashlib.sha256(zstandard.decompress(values["data"])).digest() == values["hash"])
    except zstandard.ZstdError:
        return False


def _insertion(shape: Shape) -> str:
    names, values = ", ".join(shape.columns), ", ".join("?" * len(shape.columns))
    return f"insert or ignore into {shape.table} ({names}) values ({values})"  # noqa: S608


def _put(into: apsw.Connection, shape: Shape, found: _Found, lost: list[str]) -> int:
    """Writes the best copy of each row; how many the table has then."""
    statement, refused = _insertion(shape), 0
    for key, copies in found.copies[shape.table].items():
        row = min(copies, key=lambda copy: (shape.oddness(copy), -copies[copy], str(copy)))
        if len(copies) > 1:
            named = " ".join(str(value) for value in key)
            lost.append(f"{shape.table}, row {named}: its two copies differ, and the more likely one was kept")
        try:
            into.execute(statement, row)
        except apsw.Error:
            refused += 1
    if unreadable := found.unreadable[shape.table]:
        lost.append(f"{shape.table}: {unreadable} rows, or second copies of rows, could not be read")
    if refused:
        lost.append(f"{shape.table}: {refused} rows contradict the schema")
    return int(into.execute(f"select count(*) from {shape.table}").get)  # noqa: S608


def _project_names(found: _Found, shapes: Mapping[str, Shape]) -> Iterator[str]:
    """A project whose row is lost gets another, so that what belongs to it can be reached."""
    projects = found.copies["projects"]
    places = {table: shape.columns.index("project") for table, shape in shapes.items() if "project" in shape.columns}
    used = {copy[at] for table, at in places.items() for copies in found.copies[table].values() for copy in copies}
    for key in sorted(value for value in used if isinstance(value, int) and (value,) not in projects):
        name = _DEFAULT_PROJECT if _is_default(found, key) else f"recovered-{key}"
        projects[key,] = Counter([(key, project_id(name), name, 0.0)])
        yield f"the name of a project, which is {name} now"


def _is_default(found: _Found, key: int) -> bool:
    """Whether the ids of a project's collections were made from the name that a project has by default."""
    owner = project_id(_DEFAULT_PROJECT)
    named = {copy[1] for copies in found.copies["projects"].values() for copy in copies}
    rows = [copy for copies in found.copies["collections"].values() for copy in copies if copy[1] == key]
    return owner not in named and all(row[2] == collection_id(owner, str(row[3])) for row in rows)


def _items_of_versions(into: apsw.Connection) -> Iterator[str]:
    """A memory whose versions were found and whose own row was not: it goes on under a new id."""
    for project, key, version, title, tags, made, changed, status in into.execute(_WITHOUT_ITEM).fetchall():
        name = short_id("mem_", "salvaged", str(project), str(key))
        values = {"key": key, "project": project, "id": name, "title": title, "tags": tags, "version": version}
        into.execute(_ITEM, values | {"made": made, "changed": changed, "status": status})
        yield f"the id, scope and links of the memory {title}, which is {name} now"


def _without_texts(into: apsw.Connection) -> Iterator[str]:
    """Names the versions whose texts were not read. One of a document goes: what its file says now is read again."""
    for title, number in into.execute(_TEXTLESS.format(columns="uri, version", table="document_versions")).fetchall():
        yield f"the text of version {number} of {title}"
    into.execute(f"delete from document_versions where {_NO_TEXT.format(table='document_versions')}")  # noqa: S608
    for title, number in into.execute(_TEXTLESS.format(columns="title, number", table="memory_versions")).fetchall():
        yield f"the text of version {number} of the memory {title}"
