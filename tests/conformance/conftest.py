"""The stores that have to agree, each behind the same fixture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import samples
from executed_queries import record
from set_clock import SetClock

from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    opened: Store
    if request.param == "sqlite":
        opened = SqliteStore(tmp_path / "library.db", clock=clock)
    else:
        server = request.getfixturevalue("postgres")
        from octavo_postgres.store import PostgresStore

        url = server.database()
        request.addfinalizer(lambda: server.drop(url))
        opened = PostgresStore(url, clock=clock)
    record(opened, request.param)
    yield opened
    opened.close()


@pytest.fixture
def notes(store: Store) -> Collection:
    """An empty collection in the project `sample`."""
    return samples.ensure(store)
