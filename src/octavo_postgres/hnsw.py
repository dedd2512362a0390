"""HNSW indexes: one per embedding profile with enough vectors, built, inspected, and rebuilt when settings change.

An index is built outside any transaction, on a connection of its own. Several servers that want the same one take an
advisory lock in turn: the second finds it built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import psycopg
from psycopg import sql

from octavo.dataclass import dataclass
from octavo.model.ids import ProjectId
from octavo.model.recipe import EmbeddingProfile
from octavo.stores.shared.database import first, value
from octavo.stores.shared.projects import KeyCache, profile_body
from octavo_postgres.connections import Connection
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.dialect import queries
from octavo_postgres.errors import translated
from octavo_postgres.vectors import Tuning, tuning_of

EXACT_BELOW = 20_000
"""Vectors. So many are compared one by one in a few hundredths of a second, and exactly."""

_WIDTH = re.compile(r"halfvec\((\d+)\)")
_SETTING = re.compile(r"\b(m|ef_construction)='?(\d+)'?")


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """An index as the catalogue describes it."""

    valid: bool
    dimensions: int
    m: int
    ef_construction: int

    def suits(self, dimensions: int, tuning: Tuning) -> bool:
        configured = (dimensions, tuning.m, tuning.ef_construction)
        return self.valid and (self.dimensions, self.m, self.ef_construction) == configured


def index_name(profile: int) -> str:
    return f"vectors_hnsw_{profile}"


def describe_index(database: PostgresDatabase, profile: int) -> IndexDescription | None:
    row = first(database, "hnsw_described", {"name": index_name(profile)})
    if row is None:
        return None
    width, settings = _WIDTH.search(row[1]), dict(_SETTING.findall(row[1]))
    defaults = Tuning()
    return IndexDescription(
        valid=bool(row[0]),
        dimensions=int(width[1]) if width else 0,
        m=int(settings.get("m", defaults.m)),
        ef_construction=int(settings.get("ef_construction", defaults.ef_construction)),
    )


def ensure_index(
    database: PostgresDatabase,
    keys: KeyCache,
    project: ProjectId,
    profile: EmbeddingProfile,
    exact_below: int = EXACT_BELOW,
) -> bool:
    """Builds the profile's index if it is missing, invalid or has other settings; True if it was built."""
    with database.reading():
        owner = keys.project(project)
        key = keys.profile(project, profile_body(profile))
        where: dict[str, Any] = {"project": owner, "profile": key}
        if not key or int(value(database, "vectors_count", where)) < exact_below:
            return False
        tuning = tuning_of(database, owner)
        description = describe_index(database, key)
    if description is not None and description.suits(profile.dimensions, tuning):
        return False
    with exclusive_connection(database, key) as connection:
        _build(connection, database, key, profile.dimensions, tuning)
    return True


@contextmanager
def exclusive_connection(database: PostgresDatabase, number: int) -> Iterator[Connection]:
    """A connection to build an index on, under a lock identified by `number`."""
    with translated(database.url), ExitStack() as stack:
        lock = stack.enter_context(closing(database.connections.connect(autocommit=False)))
        psycopg.ClientCursor(lock).execute(queries()["index_lock"], {"number": number})
        yield stack.enter_context(closing(database.connections.connect()))


def _build(connection: Connection, database: PostgresDatabase, key: int, dimensions: int, tuning: Tuning) -> None:
    description = describe_index(database, key)
    if description is not None and description.suits(dimensions, tuning):
        return  # another process was faster
    name, cursor = sql.Identifier(index_name(key)), psycopg.ClientCursor(connection)
    cursor.execute(_text("hnsw_drop").format(name=name))
    settings = {"m": tuning.m, "ef_construction": tuning.ef_construction}
    cursor.execute(_text("hnsw_make").format(name=name), {"profile": key, "dimensions": dimensions} | settings)


def _text(name: str) -> sql.SQL:
    return sql.SQL(queries()[name].decode())
