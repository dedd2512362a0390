"""One HNSW index for each embedding profile with enough vectors: made, looked at, made anew when it is not as wanted.

An index is made beside the library's work, in no transaction, from a connection of its own. Several servers that want
the same one take turns: who comes second finds it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from recto.model.ids import ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.stores.postgres.connections import Connection
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.dialect import queries
from recto.stores.postgres.trouble import translated
from recto.stores.postgres.vectors import Tuning, tuning_of
from recto.stores.shared.database import first, value
from recto.stores.shared.embeddings import profile_body
from recto.stores.shared.projects import Keys

EXACT_BELOW = 20_000
"""Vectors. So many are compared one by one in a few hundredths of a second, and no index is as exact."""

_WIDTH = re.compile(r"halfvec\((\d+)\)")
_SETTING = re.compile(r"\b(m|ef_construction)='?(\d+)'?")


@dataclass(frozen=True, slots=True)
class Found:
    """An index as the catalogue describes it."""

    valid: bool
    dimensions: int
    m: int
    ef_construction: int

    def suits(self, dimensions: int, tuning: Tuning) -> bool:
        wanted = (dimensions, tuning.m, tuning.ef_construction)
        return self.valid and (self.dimensions, self.m, self.ef_construction) == wanted


def index_name(profile: int) -> str:
    return f"vectors_hnsw_{profile}"


def described(database: PostgresDatabase, profile: int) -> Found | None:
    row = first(database, "hnsw_described", {"name": index_name(profile)})
    if row is None:
        return None
    width, settings = _WIDTH.search(row[1]), dict(_SETTING.findall(row[1]))
    defaults = Tuning()
    return Found(
        valid=bool(row[0]),
        dimensions=int(width[1]) if width else 0,
        m=int(settings.get("m", defaults.m)),
        ef_construction=int(settings.get("ef_construction", defaults.ef_construction)),
    )


def settle_index(
    database: PostgresDatabase,
    keys: Keys,
    project: ProjectId,
    profile: EmbeddingProfile,
    exact_below: int = EXACT_BELOW,
) -> bool:
    """Makes the profile's index where it is missing, broken or made otherwise; True if that was done."""
    with database.reading():
        owner = keys.project(project)
        key = keys.profile(project, profile_body(profile))
        where: dict[str, Any] = {"project": owner, "profile": key}
        if not key or int(value(database, "vectors_count", where)) < exact_below:
            return False
        tuning = tuning_of(database, owner)
        found = described(database, key)
    if found is not None and found.suits(profile.dimensions, tuning):
        return False
    with alone(database, key) as connection:
        _make(connection, database, key, profile.dimensions, tuning)
    return True


@contextmanager
def alone(database: PostgresDatabase, number: int) -> Iterator[Connection]:
    """A connection to make an index on, while nobody else who asks with this number makes one."""
    with translated(database.url), ExitStack() as stack:
        lock = stack.enter_context(closing(database.connections.connect(autocommit=False)))
        psycopg.ClientCursor(lock).execute(queries()["index_lock"], {"number": number})
        yield stack.enter_context(closing(database.connections.connect()))


def _make(connection: Connection, database: PostgresDatabase, key: int, dimensions: int, tuning: Tuning) -> None:
    found = described(database, key)
    if found is not None and found.suits(dimensions, tuning):
        return  # somebody else was faster
    name, cursor = sql.Identifier(index_name(key)), psycopg.ClientCursor(connection)
    cursor.execute(_text("hnsw_drop").format(name=name))
    settings = {"m": tuning.m, "ef_construction": tuning.ef_construction}
    cursor.execute(_text("hnsw_make").format(name=name), {"profile": key, "dimensions": dimensions} | settings)


def _text(name: str) -> sql.SQL:
    return sql.SQL(queries()[name].decode())
