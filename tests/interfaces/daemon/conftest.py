"""Turns the shared server on, at an address of the tests' own, and ends it afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Vault
from daemon_calls import address, stop

from octavo.config.layered_config_loading import load
from octavo.interfaces.daemon import client
from octavo.interfaces.daemon.client import started
from octavo.interfaces.daemon.greeting_messages import ABOUT


def turn_on(monkeypatch: pytest.MonkeyPatch, runtime: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "true")
    monkeypatch.setenv("OCTAVO_DAEMON_IDLE_SECONDS", "60")
    monkeypatch.setenv("OCTAVO_WATCH_ENABLED", "false")
    # A busy machine is no reason for a test to work alone.
    for name in ("ASIDE_SECONDS", "CONNECT_SECONDS", "GREETING_SECONDS", "FIRST_SECONDS", "START_SECONDS"):
        monkeypatch.setattr(client, name, 60.0)


@pytest.fixture
def served(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """The indexed vault, whose clients start and find a server of this test's own."""
    runtime = Path(tempfile.mkdtemp(prefix="octavo-"))  # short, as the names of sockets must be
    turn_on(monkeypatch, runtime)
    at = address()
    yield vault
    stop(at)
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture(scope="module")
def runtime(indexed: Vault) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="octavo-"))
    yield folder
    with pytest.MonkeyPatch.context() as patch:
        turn_on(patch, folder)
        patch.setenv("OCTAVO_LIBRARY", str(indexed.library))
        stop(address())
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def lasting(vault: Vault, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """The same, with a server that the tests of a module share."""
    turn_on(monkeypatch, runtime)
    started(load().config, ABOUT).close()
    return vault
