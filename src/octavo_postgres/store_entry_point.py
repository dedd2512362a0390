"""Entry point of the PostgreSQL engine: opens stores and tables, and upgrades the schema."""

from __future__ import annotations

from octavo.config.schema import Config
from octavo.errors import ConfigurationError
from octavo.model.library_location import DatabaseUrl
from octavo.sql_repositories.store import Store
from octavo.sql_repositories.table_transfer import TableTransfer
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.row_transfer import postgres_transfer
from octavo_postgres.store import PostgresStore


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
