"""Planner statistics, taken right after large writes: PostgreSQL's own ANALYZE may be a minute away."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from psycopg import sql

from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import queries


def analyze_tables(database: PostgresDatabase, tables: Iterable[str] | None = None) -> tuple[str, ...]:
    """Analyses the given tables, or those that have changed by a fifth since the last time; returns their names.

    Without statistics the planner assumes a freshly filled table is nearly empty, and chooses its joins accordingly.
    """
    names = [row[0] for row in database.rows("statistics_stale")] if tables is None else list(tables)
    if not names:
        return ()
    connection = database.connections.connect()
    try:
        for name in names:
            connection.execute(_statement().format(table=sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege:
        return ()  # without the privilege, queries are slower until the server does it
    finally:
        connection.close()
    return tuple(names)


def _statement() -> sql.SQL:
    return sql.SQL(queries()["statistics_take"].decode())
