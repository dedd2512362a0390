"""A library as plain rows of plain tables, the same on every engine: what one exports, another imports.

Values are numbers, texts and bytes only: a boolean is 0 or 1, a vector is little-endian float16. The lexical index is
not a table but a stream of analysed rows, because every engine stores it differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from octavo.model.prepared_document import LexicalRow
from octavo.sql_repositories.database_port import Row
from octavo.sql_repositories.embeddings import POSTPONED
from octavo.sql_repositories.named_sql_queries import parse_queries


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
    Table("clusterings", ("project",)),
    Table("input_clusters", ("project", "input")),
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
    Table("note_writes", ("project", "collection", "uri", "number")),
    Table("commit_paths"),
    Table("commit_files", ("project", "path", "document")),
    # Names before references: inserting a name makes the references to it stale.
    Table("graph_names"),
    Table("graph_references"),
    Table("graph_links"),
    Table("graph_thematic_links"),
    Table("graph_communities", ("document",)),
    Table("graph_runs", ("project", "kind")),
    Table("summaries"),
    Table("entities"),
    Table("entity_mentions", ("project", "document", "entity", "role")),
    Table("entity_readings", ("document",)),
    Table("section_links"),
    Table("query_log"),
    Table("query_log_hits", ("project", "query", "rank")),
    Table("access_tokens", ("name",)),
    Table("write_audit"),
)
"""Every transferred table, each after those it references."""

COUNTERS = ("generation", "chunk_key", "document_key", "input_key", POSTPONED)
"""The counters in `library` that every engine has."""

NOT_CARRIED = frozenset(
    ("library", "leases", "chunk_changes", "embedded_upto", "chunk_hits", "completions", "memory_texts")
)
"""Tables that belong to one database: its own counters, current leases, changes its snapshots have not seen, cached
facts about its vectors, second copies that it makes itself."""


class TransferDatabase(Protocol):
    """A dialect's database, which also runs statements generated for one table."""

    def query(self, statement: str, parameters: dict[str, Any]) -> list[Row]: ...

    def insert(self, statement: str, rows: Sequence[dict[str, Any]], table: str) -> None: ...

    def columns(self, table: str) -> tuple[str, ...]: ...

    def counter(self, name: str) -> int | None: ...

    def set_counter(self, name: str, value: int | None) -> None: ...

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...

    def backup(self, target: Path) -> None: ...

    def close(self) -> None: ...


class LexicalTransfer(Protocol):
    """A dialect's lexical index, exported and imported row by row, chunks ascending."""

    def export_rows(self) -> Iterator[tuple[int, LexicalRow]]: ...

    def import_rows(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        """(project, chunk, row) each."""

    def last_chunk(self) -> int: ...


class TableTransfer:
    """The rows of a library of any dialect. `set_sequences` is called in the last transaction of a copy, `finished`
    after it."""

    tables = TABLES
    counters = COUNTERS

    def __init__(
        self,
        name: str,
        database: TransferDatabase,
        lexical: LexicalTransfer,
        set_sequences: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.lexical = lexical
        self.set_sequences = set_sequences
        self.finished: Callable[[], object] = lambda: None
        self._database = database
        self.transaction = database.transaction
        self.reading = database.reading
        self.columns = database.columns
        self.counter = database.counter
        self.set_counter = database.set_counter

    def page(self, table: Table, columns: Sequence[str], after: Row | None, size: int) -> list[Row]:
        beyond = "1 = 1" if after is None else f"({_column_list(table.key)}) > ({_parameter_list(table.key)})"
        statement = _statement("page", table, columns, beyond=beyond)
        at = dict(zip(table.key, after, strict=True)) if after is not None else {}
        return self._database.query(statement, {**at, "page_size": size})

    def put(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        parameters = [dict(zip(columns, row, strict=True)) for row in rows]
        self._database.insert(
            _statement("put", table, columns, parameters=_parameter_list(columns)), parameters, table.name
        )

    def last(self, table: Table) -> Row | None:
        """The key of the last row: where an interrupted copy continues."""
        key = ", ".join(f'"{column}" desc' for column in table.key).removesuffix(" desc")
        rows = self._database.query(_statement("last", table, table.key, key=key), {})
        return rows[0] if rows else None

    def count(self, table: Table) -> int:
        return int(self._database.query(_statement("count", table, ()), {})[0][0])

    def backup(self, target: Path) -> None:
        """A consistent copy of the library in a file, while others continue to use it."""
        self._database.backup(target)

    def close(self) -> None:
        self._database.close()


def _statement(name: str, table: Table, columns: Sequence[str], **more: str) -> str:
    # Names come from the list above and from the database's own catalogue, never from stored data.
    return _statements()[name].format(
        **{"table": table.name, "columns": _column_list(columns), "key": _column_list(table.key), **more}
    )


@cache
def _statements() -> dict[str, str]:
    return parse_queries(files(__package__).joinpath("transfer.sql").read_text("utf-8"))


def _column_list(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _parameter_list(columns: Sequence[str]) -> str:
    return ", ".join(f":{column}" for column in columns)
