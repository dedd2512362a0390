"""Backups of a library that is being written to: each is one moment of it, and whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from postgres_server import Server

import octavo as api
from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.model.memory import MemoryFilter


@contextmanager
def written_to(url: DatabaseUrl) -> Iterator[Callable[[], int]]:
    """While somebody remembers one thing after another; what is given waits for the next and counts them all."""
    written, stop, more = [0], threading.Event(), threading.Condition()

    def write() -> None:
        with api.open(url.secret) as library:
            while not stop.is_set():
                library.remember(f"Observation {written[0] + 1} of the night.")
                with more:
                    written[0] += 1
                    more.notify_all()

    def after_another() -> int:
        with more:
            before = written[0]
            assert more.wait_for(lambda: written[0] > before, timeout=60)
            return written[0]

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield after_another
    finally:
        stop.set()
        thread.join()


def octavo(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "octavo", *map(str, arguments)]
    environ = {**os.environ, "OCTAVO_DAEMON_ENABLED": "false"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=300)


def whole(library: object, least: int, most: int) -> None:
    """It passes a full check and has every memory up to some moment of the backup."""
    checked = octavo("db", "check", "--full", "--library", library, "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with open_library(str(library)) as engine:
        assert least <= len(engine.store.memories.named(engine.project.id, MemoryFilter())) <= most


def test_a_dump_of_a_library_in_use_is_one_moment_of_it(url: DatabaseUrl, postgres: Server, tmp_path: Path) -> None:
    if postgres.program is None:
        pytest.skip("the programs of the server that OCTAVO_TEST_POSTGRES names are not here")
    (programs,) = postgres.program.folder.glob(".pg0/installation/*/bin")
    environ = {**os.environ, "LD_LIBRARY_PATH": str(programs.parent / "lib")}
    saved, again = tmp_path / "octavo.dump", postgres.database(empty=True)

    def run(*command: str) -> None:
        subprocess.run([str(programs / command[0]), *command[1:]], env=environ, check=True)

    with written_to(url) as after_another:
        least = after_another()
        run("pg_dump", "--format=custom", f"--file={saved}", url.secret)
        most = after_another()
    run("pg_restore", f"--dbname={again.secret}", str(saved))
    whole(again.secret, least, most)
    postgres.drop(again)


def test_a_portable_copy_of_a_library_in_use_is_one_moment_of_it_and_goes_back(
    url: DatabaseUrl, postgres: Server, tmp_path: Path
) -> None:
    saved, again = tmp_path / "backup.db", postgres.database(empty=True)
    with written_to(url) as after_another:
        least = after_another()
        copied = octavo("db", "migrate", "--from", url.secret, "--to", saved, "--json")
        assert copied.returncode == 0, copied.stdout + copied.stderr
        most = after_another()
    whole(saved, least, most)
    back = octavo("db", "restore", saved, "--library", again.secret)
    assert back.returncode == 0, back.stdout + back.stderr
    whole(again.secret, least, most)
    counted = json.loads(octavo("status", "--library", again.secret, "--json").stdout)
    assert counted["documents"] >= least
    postgres.drop(again)
