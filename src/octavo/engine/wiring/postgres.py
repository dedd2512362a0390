"""Libraries in a PostgreSQL database. Importing this needs its driver, which is an extra."""

from __future__ import annotations

from octavo.config.schema import Config
from octavo.model.collection import Project
from octavo.model.location import DatabaseUrl
from octavo.ports import Embedder, Store, VectorIndex
from octavo.stores.postgres.database import PostgresDatabase
from octavo.stores.postgres.halfvec import little_endian
from octavo.stores.postgres.store import PostgresStore
from octavo.stores.postgres.transfer import postgres_transfer
from octavo.stores.postgres.vectors import PgvectorIndex
from octavo.stores.shared.database import fill_checksums
from octavo.stores.shared.transfer import TableTransfer


def open_postgres(url: DatabaseUrl, config: Config, *, create: bool) -> Store:
    return PostgresStore(url, create=create, lexical=config.postgres.lexical)


def pgvector_index(store: Store, project: Project, embedder: Embedder) -> VectorIndex:
    assert isinstance(store, PostgresStore)
    return PgvectorIndex(store.database, store.keys, project.id, embedder.profile)


def postgres_tables(url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
    return postgres_transfer(url, read_only=read_only)


def upgrade_postgres(url: DatabaseUrl) -> None:
    database = PostgresDatabase(url, create=False, upgrade=True)
    try:
        with database.transaction():
            fill_checksums(database, "vectors_without_checksum", "vector_checksum_put", little_endian)
    finally:
        database.close()
