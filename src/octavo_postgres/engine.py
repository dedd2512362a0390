"""Fits `engine.wiring.stores.StoreEngine`. Importing this needs the driver, which is an extra."""

from __future__ import annotations

from octavo.config.schema import Config
from octavo.model.library_location import DatabaseUrl
from octavo.ports import Store
from octavo.stores.shared.transfer import TableTransfer
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.store import PostgresStore
from octavo_postgres.transfer import postgres_transfer


def open_store(url: DatabaseUrl, config: Config, *, create: bool) -> Store:
    settings = config.postgres
    return PostgresStore(url, create=create, lexical=settings.lexical, index_from=settings.index_from)


def open_tables(url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
    return postgres_transfer(url, read_only=read_only)


def upgrade_schema(url: DatabaseUrl) -> None:
    PostgresDatabase(url, create=False, upgrade=True).close()
