"""Entry point of the PostgreSQL engine: opens stores, upgrades the schema, exports and imports a library as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter

from octavo.config.schema import Config
from octavo.errors import ConfigurationError
from octavo.model.library_location import DatabaseUrl
from octavo.model.prepared_document import LexicalRow
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.sql_repositories.store import Store
from octavo.sql_repositories.table_transfer import TABLES, Table, TableTransfer
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.posting_list_search import PostingsIndex
from octavo_postgres.posting_lists import forward_rows
from octavo_postgres.store import PostgresStore, analyze_tables


def postgres_transfer(url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
    """A source is only read; a target is created if it does not exist."""
    database = PostgresDatabase(url, create=not read_only)
    transfer = TableTransfer(str(url), database, PostingsTransfer(database))

    def set_sequences() -> None:
        for table in TABLES:
            if table.key == ("key",):
                highest = transfer.last(Table(table.name))
                database.run("sequences_set", {"table": table.name, "highest": highest[0] if highest else 0})

    transfer.set_sequences = set_sequences
    transfer.finished = lambda: analyze_tables(database, [table.name for table in TABLES])
    return transfer


class PostingsTransfer:
    """Fits `sql_repositories.table_transfer.LexicalTransfer`."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._index = PostingsIndex(database, KeyCache(database))

    def export_rows(self) -> Iterator[tuple[int, LexicalRow]]:
        """Chunks ascend within a project, but keys of projects interleave: hence the merge."""
        projects = [row[0] for row in self._database.rows("lexical_projects")]
        yield from merge(*(forward_rows(self._database, project) for project in projects), key=itemgetter(0))

    def import_rows(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        ordered = sorted(rows, key=itemgetter(0))
        for project, of_project in groupby(ordered, itemgetter(0)):
            self._index.put_rows(project, [(chunk, row) for _, chunk, row in of_project])

    def last_chunk(self) -> int:
        return int(value(self._database, "lexical_last"))


def open_store(url: DatabaseUrl, config: Config, *, create: bool) -> Store:
    settings = config.postgres
    for place in settings.reads:
        if not isinstance(place, DatabaseUrl):
            raise ConfigurationError(f"postgres.reads has {place}, which is no URL of a server")
    return PostgresStore(
        url,
        create=create,
        lexical=settings.lexical,
        index_from=settings.index_from,
        reads=[place for place in settings.reads if isinstance(place, DatabaseUrl)],
        reads_within=settings.reads_within_seconds,
    )


def open_tables(url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
    return postgres_transfer(url, read_only=read_only)


def upgrade_schema(url: DatabaseUrl) -> None:
    PostgresDatabase(url, create=False, upgrade=True).close()
