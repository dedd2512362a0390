"""How properties are tested (no deadline on a busy machine, and the same examples on every run of a shared one), and
the PostgreSQL server of the session."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from postgres_server import Server, running

settings.register_profile("recto", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "recto")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Started by the first test of this process that asks for it; one for each process where tests run in several."""
    with running() as server:
        yield server
