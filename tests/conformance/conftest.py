"""The stores that have to agree, each behind the same fixture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.model.collection import Collection
from recto.ports import Store
from recto.stores.postgres.store import PostgresStore
from recto.stores.sqlite.store import SqliteStore
from recto.testing import samples
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    opened: Store
    if request.param == "memory":
        opened = MemoryStore(clock=clock)
    elif request.param == "sqlite":
        opened = SqliteStore(tmp_path / "library.db", clock=clock)
    else:
        server = request.getfixturevalue("postgres")
        url = server.database()
        request.addfinalizer(lambda: server.drop(url))
        opened = PostgresStore(url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def notes(store: Store) -> Collection:
    """An empty collection in the project `sample`."""
    return samples.ensure(store)
