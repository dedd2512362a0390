"""A server for the session and a library for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgres_server import Server, own_server

from recto.model.location import DatabaseUrl
from recto.stores.postgres.store import PostgresStore


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
    opened = PostgresStore(url)
    yield opened
    opened.close()


@pytest.fixture
def stoppable() -> Iterator[Server]:
    """A server of the test's own, which it may stop and start."""
    with own_server() as server:
        yield server
