"""Statistics for the planner, taken as soon as much was written: the server's own round may be a minute away."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from psycopg import sql

from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.dialect import queries


def take_statistics(database: PostgresDatabase, tables: Iterable[str] | None = None) -> tuple[str, ...]:
    """Of the named tables, or of those that have changed by a fifth since; which these were.

    Without them the planner takes a table that was just filled for a nearly empty one, and joins accordingly.
    """
    names = [row[0] for row in database.rows("statistics_stale")] if tables is None else list(tables)
    if not names:
        return ()
    connection = database.connections.connect()
    try:
        for name in names:
            connection.execute(_statement().format(table=sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege:
        return ()  # a role that may not is served a little slower until the server does it
    finally:
        connection.close()
    return tuple(names)


def _statement() -> sql.SQL:
    return sql.SQL(queries()["statistics_take"].decode())
