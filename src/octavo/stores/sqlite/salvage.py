"""Reads what is left of a damaged SQLite file, page by page, into a new library: what cannot be computed again.

Neither the header nor the schema of the damaged file is needed: a row is told by the types of its values. All of these
rows but texts of files are stored twice (`…_witness`, `memory_texts` in the schema), so that one damaged page costs
none of them. Vectors can be computed again, but that takes long: those that are whole are kept (`salvaged_vectors.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from pathlib import Path
from typing import Any

import apsw

from octavo.fast_dataclass import dataclass
from octavo.model.ids import collection_id, project_id, short_id
from octavo.stores.sqlite.database import SqliteDatabase
from octavo.stores.sqlite.library_file_permissions import close_to_others
from octavo.stores.sqlite.raw_page_reader import RawPages, RawRow, Unreadable, Value
from octavo.stores.sqlite.salvaged_row_recognition import ANY, TYPES, Row, RowShape
from octavo.stores.sqlite.salvaged_vectors import SalvagedVectors
from octavo.stores.sqlite.second_copy_of_memory_texts import whole_text

_TABLES = """
    projects collections texts document_versions memory_items memory_versions memory_commits memory_sessions
    memory_links memory_files project_places named_profiles note_writes query_log query_log_hits access_tokens
    write_audit
"""
TABLES = tuple(_TABLES.split())
"""What only the library knows. Everything else is computed again from these, the folders and the model."""

_KEYS_IN_USE = """
update library set value = max(value, (select coalesce(max(document), 0) from document_versions))
where name = 'document_key'
"""  # versions that were read have these keys: no new document may get one of them
_COPIES = "memory_texts"
_MAKE_COPIES = "create temp table copies (project integer, hash blob, size integer, data blob)"
_PUT_COPIES = "insert or ignore into texts (project, hash, size, data) select * from temp.copies"
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
_HITS_OF_NO_QUERY = "delete from query_log_hits where query not in (select key from query_log)"
_DEFAULT_PROJECT = "default"


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How many rows of each table were read, and what is known to be lost.

    `textless` are sentences about versions of files by the hashes of their texts: what a file says now is read again.
    """

    rows: dict[str, int]
    lost: tuple[str, ...]
    textless: tuple[tuple[str, str], ...] = ()


@dataclass
class _Found:
    """Rows by their keys, each with every copy of it; and how many cells of a page of a table are none."""

    columns: Mapping[str, tuple[str, ...]]
    copies: dict[str, dict[Row, Counter[Row]]] = field(default_factory=lambda: {table: {} for table in TABLES})
    echoes: Counter[Value] = field(default_factory=Counter)  # of values in which copies differ: how often each is there
    unreadable: dict[str, Counter[int]] = field(default_factory=lambda: {table: Counter() for table in TABLES})

    def unreadable_rows(self, shape: RowShape) -> int:
        """How many rows may be lost: none where one page is damaged and the other copies are on other pages."""
        of_pages = self.unreadable[shape.table]
        return 0 if shape.is_stored_twice and len(of_pages) == 1 else of_pages.total()


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Makes `target` a new library with every row of `damaged` that can still be read. No byte of `damaged` changes."""
    SqliteDatabase(target).close()
    into = apsw.Connection(str(target))
    try:
        into.execute("pragma foreign_keys = off")
        shapes = {table: _shape_of(into, table) for table in TABLES}
        others = _other_shapes(into, TABLES)
        pages = RawPages(damaged)
        lost = [] if pages.has_header else ["the header of the file: rows that had been removed may be back"]
        vectors = SalvagedVectors(into)
        into.execute(_MAKE_COPIES)
        with into:
            salvaged_rows = _read(pages, shapes, others, into, vectors)
            salvaged_rows.echoes.update(_echoes(pages, salvaged_rows))
            into.execute(_PUT_COPIES)
            lost += _project_names(salvaged_rows, shapes)
            rows = {table: _put(into, shapes[table], salvaged_rows, lost) for table in TABLES}
            rows["vectors"] = vectors.put()
            lost += _items_of_versions(into)
            textless = tuple(_files_without_texts(into))
            lost += _memories_without_texts(into)
            into.execute(_KEYS_IN_USE)
            into.execute(_HITS_OF_NO_QUERY)  # whose row is named among what could not be read
    finally:
        into.close()
    if rows["projects"]:
        close_to_others(damaged)  # it is a library, and stays beside the new one
    return Salvaged(rows, tuple(lost), textless)


def _shape_of(library: apsw.Connection, table: str) -> RowShape:
    """As the schema of a library has it."""
    described = _pragma(library, f"table_info({table})")
    (has_numbers,) = library.execute("select not wr from pragma_table_list where name = ?", (table,)).fetchone() or (1,)
    key = tuple(row[0] for row in sorted(described, key=lambda row: row[5]) if row[5])
    columns = tuple(row[1] for row in described)
    witness = tuple(row[2] for row in _pragma(library, f"index_info({table}_witness)"))
    return RowShape(
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


def _other_shapes(library: apsw.Connection, tables: Sequence[str]) -> list[RowShape]:
    """Of all other tables and of every index: what looks like a row of `tables` may be one of these."""
    shapes = []
    named = "select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')"
    for table in [str(row[0]) for row in library.execute(named).fetchall()]:
        shape = _shape_of(library, table)
        if table not in tables:
            shapes.append(shape)
        for index in _pragma(library, f"index_list({table})"):
            is_copy = shape.is_stored_twice and index[1] == f"{table}_witness"
            is_table = index[3] == "pk" and not shape.has_numbers
            if table not in tables or not (is_copy or is_table):
                shapes.append(_index_shape(library, index[1], shape))
    return shapes


def _index_shape(library: apsw.Connection, index: str, of: RowShape) -> RowShape:
    """The columns of an index, and what it names its row by."""
    places = [int(row[1]) for row in _pragma(library, f"index_xinfo({index})")]
    stored = [at for at in places if at < len(of.columns)]
    return RowShape(
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


def _read(
    pages: RawPages,
    shapes: Mapping[str, RowShape],
    others: Sequence[RowShape],
    into: apsw.Connection,
    vectors: SalvagedVectors,
) -> _Found:
    """Every row on every page that is in use. Texts and vectors are written at once: all may be larger than memory."""
    rows, free = _Found({table: shape.columns for table, shape in shapes.items()}), pages.free()
    every = _Shapes([*others, *shapes.values()])
    for number in range(1, pages.count + 1):
        shape = None if number in free else every.on(pages, number)
        if shape is None:
            continue
        for raw in pages.rows(number):
            row = None if isinstance(raw, Unreadable) else shape.row_of(raw)
            if shape.table == _COPIES:
                _put_copy(into, row)
            elif shape.table not in shapes:
                if isinstance(raw, RawRow):
                    vectors.offer(shape.table, row, raw)
            elif row is None or (shape.table == "texts" and _text_of(shape, row) is None):
                rows.unreadable[shape.table][number] += 1
            elif shape.table == "texts":
                into.execute(_insertion(shape), row)
            else:
                rows.copies[shape.table].setdefault(shape.key_of(row), Counter())[row] += 1
    return rows


def _put_copy(into: apsw.Connection, row: Row | None) -> None:
    """The second copy of a memory's text, which takes the place of a first that could not be read."""
    if row is not None:
        project, digest, data = row
        text = whole_text(digest, data) if isinstance(digest, bytes) and isinstance(data, bytes) else None
        if text is not None:
            into.execute("insert into temp.copies values (?, ?, ?, ?)", (project, digest, len(text), data))


class _Shapes:
    """Every shape that a row may have, by how many values it has: there are many pages, and many shapes."""

    def __init__(self, shapes: Sequence[RowShape]) -> None:
        self._shapes = shapes
        self._of_size: dict[tuple[int, bool], list[int]] = {}

    def on(self, pages: RawPages, number: int) -> RowShape | None:
        """Whose rows are on a page: what most of its first cells fit, and of several the strictest."""
        fits: Counter[int] = Counter()
        for raw in islice(pages.rows(number), _LOOKED_AT):
            if isinstance(raw, RawRow):
                fits.update(place for place in self._possible(raw) if self._shapes[place].row_of(raw) is not None)
        best = max(fits, key=lambda place: (fits[place], self._shapes[place].strictness), default=None)
        return None if best is None else self._shapes[best]

    def _possible(self, raw: RawRow) -> list[int]:
        size = (len(raw.values), raw.number is not None)
        if size not in self._of_size:
            shapes = enumerate(self._shapes)
            self._of_size[size] = [place for place, shape in shapes if shape.may_have(size[0], numbered=size[1])]
        return self._of_size[size]


def _text_of(shape: RowShape, row: Row) -> bytes | None:
    """The text, where it is the one its hash names."""
    values: dict[str, Any] = dict(zip(shape.columns, row, strict=True))
    return whole_text(values["hash"], values["data"])


def _insertion(shape: RowShape) -> str:
    names, values = ", ".join(shape.columns), ", ".join("?" * len(shape.columns))
    return f"insert or ignore into {shape.table} ({names}) values ({values})"  # noqa: S608


def _put(into: apsw.Connection, shape: RowShape, found: _Found, lost: list[str]) -> int:
    """Writes the best copy of each row; how many the table has then."""
    statement, refused = _insertion(shape), 0
    parents, used = _parents(into, shape), _keys_in_use(into, shape, found)

    def nowhere(row: Row) -> int:
        return sum(value is not None and not _is_there(into, parent, value) for parent, value in parents(row))

    def doubt(entry: tuple[Row, Counter[Row]]) -> tuple[bool, bool, int]:
        # A key that changed makes a row of its own, which would take the place of the true one where both have an id.
        key, copies = entry
        return shape.is_stored_twice and copies.total() < 2, bool(used) and key not in used, min(map(nowhere, copies))

    def oddness(row: Row) -> tuple[int, int, int]:
        return nowhere(row), shape.oddness(row), -sum(found.echoes[value] for value in row)

    for key, copies in sorted(found.copies[shape.table].items(), key=doubt):
        row = min(copies, key=lambda copy: (*oddness(copy), -copies[copy], str(copy)))
        if len(copies) > 1:
            named = " ".join(str(value) for value in key)
            lost.append(f"{shape.table}, row {named}: its two copies differ, and the more likely one was kept")
        try:
            into.execute(statement, row)
        except apsw.Error:
            refused += 1
    unreadable = found.unreadable_rows(shape)
    if unreadable and shape.table != "texts":  # whose texts they are is told by the versions that name them
        lost.append(f"{shape.table}: {unreadable} rows could not be read")
    if refused:
        lost.append(f"{shape.table}: {refused} rows contradict the schema")
    return int(into.execute(f"select count(*) from {shape.table}").get)  # noqa: S608


def _echoes(pages: RawPages, read: _Found) -> Counter[Value]:
    """How often each value is in the file in which two copies of a row differ. The title of a memory is in its versions
    too, an id in an index: what is there once more was written. Small numbers are everywhere, and say nothing."""
    pairs = [list(copies) for of_table in read.copies.values() for copies in of_table.values() if len(copies) > 1]
    columns = [set(values) for copies in pairs for values in zip(*copies, strict=True)]
    differing = {value for values in columns if len(values) > 1 for value in values}
    distinctive = {value for value in differing if value is not None and not (isinstance(value, int) and value < 1_000)}
    counted: Counter[Value] = Counter()
    for number in range(1, pages.count + 1) if distinctive else ():
        for raw in pages.rows(number):
            if isinstance(raw, RawRow):
                counted.update(value for value in raw.values if value in distinctive)
    return counted


_Parents = Callable[[Row], list[tuple[str, Value]]]


def _parents(into: apsw.Connection, shape: RowShape) -> _Parents:
    """What a row refers to: a table, and the key or the hash that it is named by there."""
    places = [(str(parent), shape.columns.index(column)) for parent, column in _references(into, shape.table)]
    places += [("texts", at) for at, column in enumerate(shape.columns) if column == "text_hash"]
    return lambda row: [(parent, row[at]) for parent, at in places]


def _references(into: apsw.Connection, table: str) -> list[tuple[str, str]]:
    return [(row[2], row[3]) for row in _pragma(into, f"foreign_key_list({table})")]


def _is_there(into: apsw.Connection, parent: str, value: Value) -> bool:
    """Tables are filled in an order in which what is referred to comes first."""
    column = "hash" if parent == "texts" else "key"
    return into.execute(f"select 1 from {parent} where {column} = ?", (value,)).fetchone() is not None  # noqa: S608


def _keys_in_use(into: apsw.Connection, shape: RowShape, rows: _Found) -> set[Row]:
    """The keys by which rows of other tables name rows of this one."""
    used: set[Row] = set()
    for table in TABLES:
        for parent, column in _references(into, table):
            if parent == shape.table:
                at = rows.columns[table].index(column)
                used |= {(copy[at],) for copies in rows.copies[table].values() for copy in copies}
    return used


def _project_names(rows: _Found, shapes: Mapping[str, RowShape]) -> Iterator[str]:
    """A project whose row is lost gets another, so that what belongs to it can be reached."""
    projects = rows.copies["projects"]
    places = {table: shape.columns.index("project") for table, shape in shapes.items() if "project" in shape.columns}
    used = {copy[at] for table, at in places.items() for copies in rows.copies[table].values() for copy in copies}
    for key in sorted(value for value in used if isinstance(value, int) and (value,) not in projects):
        name = _DEFAULT_PROJECT if _is_default(rows, key) else f"recovered-{key}"
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


def _files_without_texts(into: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Versions of files whose texts were not read, by the hashes of those. Nobody can read such a version: it goes."""
    query = _TEXTLESS.format(columns="uri, version, text_hash", table="document_versions")
    rows: list[tuple[Any, ...]] = into.execute(query).fetchall()
    for title, number, digest in rows:
        yield digest.hex(), f"the text of version {number} of {title}"
    into.execute(f"delete from document_versions where {_NO_TEXT.format(table='document_versions')}")  # noqa: S608


def _memories_without_texts(into: apsw.Connection) -> Iterator[str]:
    for title, number in into.execute(_TEXTLESS.format(columns="title, number", table="memory_versions")).fetchall():
        yield f"the text of version {number} of the memory {title}"
