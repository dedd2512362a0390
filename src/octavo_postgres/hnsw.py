"""HNSW indexes: one per embedding profile with enough vectors, built, inspected, and rebuilt when settings change.

An index is built outside any transaction, on a connection of its own. Several servers that want the same one take an
advisory lock in turn: the second finds it built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import psycopg
from psycopg import sql

from octavo.config.schema import Postgres
from octavo.errors import StorageError
from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile, Tuning
from octavo.model.ids import ProjectId
from octavo.observability.logs import logger
from octavo.sql_repositories.database_port import first, value
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo_postgres.connections_and_errors import Connection, translated
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.pgvector_search import INDEXED_DIMENSIONS, index_name, tuning_of
from octavo_postgres.sql_dialect import queries

EXACT_BELOW = Postgres().index_from
"""Vectors. So many are compared one by one in a few hundredths of a second, and exactly."""

_OPERATORS = "halfvec_ip_ops"
_LONG = f"((subvector(data, 1, {INDEXED_DIMENSIONS}))::halfvec({INDEXED_DIMENSIONS}))"


class IndexDescription(Value):
    """An index as the catalogue describes it: `expression` and `predicate` as PostgreSQL prints them."""

    valid: bool
    method: str
    operators: str
    expression: str
    predicate: str
    settings: Mapping[str, int]


def expected_index(profile: int, dimensions: int, tuning: Tuning) -> IndexDescription:
    """What the index of a profile should be; one that differs in anything is built again."""
    return IndexDescription(
        valid=True,
        method="hnsw",
        operators=_OPERATORS,
        expression=_LONG if dimensions > INDEXED_DIMENSIONS else f"((data)::halfvec({dimensions}))",
        predicate=f"(profile = {profile})",
        settings={"m": tuning.m, "ef_construction": tuning.ef_construction},
    )


def describe_index(database: PostgresDatabase, profile: int) -> IndexDescription | None:
    row = first(database, "hnsw_described", {"name": index_name(profile)})
    if row is None:
        return None
    valid, method, operators, expression, predicate, settings = row
    values = {name: int(number) for name, number in (setting.split("=") for setting in settings or ())}
    return IndexDescription(bool(valid), method, operators, expression, predicate or "", values)


def ensure_index(
    database: PostgresDatabase,
    keys: KeyCache,
    project: ProjectId,
    profile: EmbeddingProfile,
    exact_below: int = EXACT_BELOW,
    options: Mapping[str, Any] | None = None,
) -> bool:
    """Builds the profile's index if it is missing, invalid or another than expected; True if it was built.

    `options` are those of a named profile; without them the active profile's count.
    """
    with database.reading():
        owner = keys.project(project)
        key = keys.profile(project, profile.canonical())
        where: dict[str, Any] = {"project": owner, "profile": key, "most": exact_below}
        if not key or int(value(database, "vectors_counted", where)) < exact_below:
            return False
        tuning = tuning_of(database, owner) if options is None else Tuning.of(options)
        table = str(value(database, "hnsw_table", {"project": owner}))
        expected = expected_index(key, profile.dimensions, tuning)
        if describe_index(database, key) == expected:
            return False
    try:
        with exclusive_connection(database, key) as connection:
            if describe_index(database, key) == expected:
                return False  # another process was faster
            _build(connection, table, key, profile.dimensions, expected.settings)
    except StorageError as error:
        if not isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege):
            raise
        logger("postgres").warning("%s has no index yet: a worker with the owner's role builds it", profile.name)
        return False
    return True


@contextmanager
def exclusive_connection(database: PostgresDatabase, number: int) -> Iterator[Connection]:
    """A connection to build an index on, under a lock identified by `number`."""
    with translated(database.url), ExitStack() as stack:
        lock = stack.enter_context(closing(database.connections.connect(autocommit=False)))
        psycopg.ClientCursor(lock).execute(queries()["index_lock"], {"number": number})
        yield stack.enter_context(closing(database.connections.connect()))


def _build(connection: Connection, table: str, key: int, dimensions: int, settings: Mapping[str, int]) -> None:
    """Searches use the index that is there until the new one takes its name."""
    name, new = sql.Identifier(index_name(key)), sql.Identifier(f"{index_name(key)}_new")
    cursor = psycopg.ClientCursor(connection)
    cursor.execute(_text("hnsw_drop").format(name=new))  # of a build that was broken off
    widths = {"dimensions": dimensions, "indexed": INDEXED_DIMENSIONS}
    make = _text("hnsw_make_long" if dimensions > INDEXED_DIMENSIONS else "hnsw_make")
    cursor.execute(make.format(name=new, table=sql.Identifier(table)), {"profile": key, **widths, **settings})
    cursor.execute(_text("hnsw_drop").format(name=name))
    cursor.execute(_text("hnsw_rename").format(name=new, new=name))


def _text(name: str) -> sql.SQL:
    return sql.SQL(queries()[name].decode())
