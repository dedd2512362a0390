"""A library as plain rows of plain tables, the same on every engine: what one writes, another reads.

Numbers, texts and bytes are all there is: a truth value is 0 or 1, a vector is little-endian float16. The lexical index
is no table but a stream of analysed rows, because every engine keeps it in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from recto.model.index import LexicalRow
from recto.stores.shared.database import Row
from recto.stores.shared.embeddings import POSTPONED
from recto.stores.shared.queries import parse_queries


class Table(NamedTuple):
    name: str
    key: tuple[str, ...] = ("key",)


TABLES = (
    Table("projects"),
    Table("collections"),
    Table("recipes", ("project", "id")),
    Table("texts"),
    Table("documents"),
    Table("document_versions", ("project", "document", "version")),
    Table("document_tags", ("project", "document", "tag")),
    Table("sections", ("project", "document", "ordinal")),
    Table("chunks"),
    Table("inputs"),
    Table("chunk_inputs", ("chunk", "window")),
    Table("embedding_profiles"),
    Table("vectors"),
    Table("ledger", ("project", "collection", "uri")),
    Table("checks", ("project", "collection")),
    Table("memory_items"),
    Table("memory_versions", ("project", "item", "number")),
    Table("memory_commits"),
    Table("memory_sessions", ("project", "id")),
    Table("memory_links", ("project", "item", "ordinal")),
    Table("memory_files", ("project", "folder", "path")),
    Table("project_places", ("project", "kind", "place")),
    Table("named_profiles", ("project", "name")),
    Table("jobs"),
    Table("rerank_scores", ("project", "model", "question", "passage")),
    Table("commits", ("project", "collection", "repository", "hash")),
    Table("commit_paths"),
    Table("commit_files", ("project", "path", "document")),
    # Names before references: a name that comes makes the references that ask for it stale.
    Table("graph_names"),
    Table("graph_references"),
    Table("graph_links"),
    Table("graph_thematic_links"),
    Table("graph_communities", ("document",)),
    Table("graph_runs", ("project", "kind")),
)
"""Every table that is carried, each after those it points at."""

COUNTERS = ("generation", "chunk_key", "document_key", "input_key", POSTPONED)
"""What `library` counts on every engine."""

NOT_CARRIED = frozenset(("library", "leases", "chunk_changes", "embedded_upto", "chunk_hits"))
"""What belongs to one database: its own counters, who is at work there now, what its snapshots have missed, what it
has found out about its vectors."""


class Spoken(Protocol):
    """A dialect's database, which also runs statements made for one table."""

    def ask(self, statement: str, parameters: dict[str, Any]) -> list[Row]: ...

    def tell(self, statement: str, rows: Sequence[dict[str, Any]], table: str) -> None: ...

    def columns(self, table: str) -> tuple[str, ...]: ...

    def counter(self, name: str) -> int | None: ...

    def set_counter(self, name: str, value: int | None) -> None: ...

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...

    def backup(self, target: Path) -> None: ...

    def close(self) -> None: ...


class Words(Protocol):
    """A dialect's lexical index, taken out and put in row by row, chunks ascending."""

    def take_out(self) -> Iterator[tuple[int, LexicalRow]]: ...

    def put_in(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        """(project, chunk, row) each."""
        ...

    def last_chunk(self) -> int: ...


class TableTransfer:
    """Fits `migration.transfer.Library`."""

    tables = TABLES
    counters = COUNTERS

    def __init__(self, name: str, database: Spoken, words: Words, settle: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.words = words
        self.settle = settle
        self.finished: Callable[[], object] = lambda: None
        self._database = database
        self.transaction = database.transaction
        self.reading = database.reading
        self.columns = database.columns
        self.counter = database.counter
        self.set_counter = database.set_counter

    def page(self, table: Table, columns: Sequence[str], after: Row | None, size: int) -> list[Row]:
        beyond = "1 = 1" if after is None else f"({_named(table.key)}) > ({_given(table.key)})"
        statement = _said("page", table, columns, beyond=beyond)
        at = dict(zip(table.key, after, strict=True)) if after is not None else {}
        return self._database.ask(statement, {**at, "page_size": size})

    def put(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        given = [dict(zip(columns, row, strict=True)) for row in rows]
        self._database.tell(_said("put", table, columns, parameters=_given(columns)), given, table.name)

    def last(self, table: Table) -> Row | None:
        """The key of the last row there is: where a copy that was interrupted goes on."""
        key = ", ".join(f'"{one}" desc' for one in table.key).removesuffix(" desc")
        found = self._database.ask(_said("last", table, table.key, key=key), {})
        return found[0] if found else None

    def count(self, table: Table) -> int:
        return int(self._database.ask(_said("count", table, ()), {})[0][0])

    def backup(self, target: Path) -> None:
        """The whole library in a file, as it is at one moment, while others go on using it."""
        self._database.backup(target)

    def close(self) -> None:
        self._database.close()


def _said(name: str, table: Table, columns: Sequence[str], **more: str) -> str:
    # Names come from the list above and from the database's own catalogue, never from what is stored.
    return _statements()[name].format(
        **{"table": table.name, "columns": _named(columns), "key": _named(table.key), **more}
    )


@cache
def _statements() -> dict[str, str]:
    return parse_queries(files(__package__).joinpath("transfer.sql").read_text("utf-8"))


def _named(columns: Sequence[str]) -> str:
    return ", ".join(f'"{one}"' for one in columns)


def _given(columns: Sequence[str]) -> str:
    return ", ".join(f":{one}" for one in columns)
