"""The vault in examples/ as a library that is opened from Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cli_calls import Location
from library_places import Databases
from python_calls import VAULT

import octavo
from octavo.operations.operation_lookup import OPERATIONS


@pytest.fixture(scope="session")
def made(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Location:
    """Indexed once, with what the operations' examples speak of."""
    path = databases.empty()
    with octavo.open(path, create=True) as library:
        library.add(VAULT, name="observatory", writable=True)
        library.add(tmp_path_factory.mktemp("scratch"), name="scratch")
        library.index()
        library.remember(**OPERATIONS["remember"].example)
        library.remember("Perhaps paint the dome green.", title="A passing thought")
        library.sessions.start(**OPERATIONS["sessions_start"].example)
        library.canonical.upsert(**OPERATIONS["canonical_upsert"].example)
    return path


@pytest.fixture
def path(made: Location, databases: Databases) -> Iterator[Location]:
    """A copy that a test may change."""
    copied = databases.copy(made)
    yield copied
    databases.remove(copied)


@pytest.fixture
def library(path: Location) -> Iterator[octavo.Library]:
    with octavo.open(path) as library:
        yield library
