"""Two versions of Octavo on one library: the newer adds to the schema first, and takes away in a later release."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from test_deployment import asked, started

from octavo.engine.wiring import open_library
from octavo.errors import NewerLibrary
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.sql_repositories.named_sql_queries import load_migrations
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import PACKAGE
from octavo_postgres.store import PostgresStore

TOKEN = "a-token-of-the-team-that-is-long-enough"
KNOWN = load_migrations(PACKAGE)
EXPANDED = (
    KNOWN[-1][0] + 1,
    "-- expands: who reviewed a memory\nalter table memory_versions add column reviewer text;",
)
CONTRACTED = (KNOWN[-1][0] + 2, "-- nobody reads it any more\nalter table memory_versions drop column reviewer;")


@contextmanager
def newer_octavo(*migrations: tuple[int, str]) -> Iterator[None]:
    """Inside, this process is a later release, with further migrations."""
    with pytest.MonkeyPatch.context() as later:
        later.setattr(
            "octavo.sql_repositories.schema_compatibility.load_migrations", lambda package: [*KNOWN, *migrations]
        )
        yield


def upgrade(url: DatabaseUrl) -> None:
    PostgresDatabase(url, create=False, upgrade=True).close()


def test_servers_and_workers_of_two_versions_share_a_library_while_it_is_upgraded(
    url: DatabaseUrl, tmp_path: Path
) -> None:
    where = {**os.environ, "HOME": str(tmp_path), "OCTAVO_LIBRARY": url.secret, "OCTAVO_WORK_IN_SERVER": "false"}
    (tmp_path / "token").write_text(TOKEN, "utf-8")
    serve = ["serve", "--port", "0", "--no-watch", "--token-file", str(tmp_path / "token")]
    with ExitStack() as stack:
        server = started(stack, serve, where)
        assert server.stderr is not None
        address = next(word for line in server.stderr for word in line.split() if word.startswith("http://"))
        asked(address, TOKEN, "remember", text="The dome is locked at ten.")

        with newer_octavo(EXPANDED):
            upgrade(url)
            with open_library(url.secret) as newer:  # the first server of the new release
                remember(newer, RememberRequest(text="The comet is bright."))
                assert len(newer.search(Query("dome")).hits) == 1
        # The old server, opened before, reads what the new one wrote, and writes.
        assert "comet is bright" in str(asked(address, TOKEN, "recall", query="comet"))
        asked(address, TOKEN, "remember", text="The ladder is in the shed.")
        # An old worker that starts after the upgrade does what both queued.
        worker = [sys.executable, "-m", "octavo", "-q", "worker", "--once"]
        subprocess.run(worker, env=where, check=True, stdout=subprocess.DEVNULL, timeout=120)
        with newer_octavo(EXPANDED), open_library(url.secret) as newer:
            assert newer.freshness().pending == 0
            assert len(newer.search(Query("ladder")).hits) == 1
            assert newer.store.check() == ()


def test_after_a_contraction_every_older_version_is_refused(url: DatabaseUrl) -> None:
    with newer_octavo(EXPANDED, CONTRACTED):
        upgrade(url)
    for known in ((), (EXPANDED,)):
        with newer_octavo(*known), pytest.raises(NewerLibrary, match="was written by a newer Octavo"):
            PostgresStore(url, create=False)


def test_a_migration_that_only_adds_says_so_and_has_no_statement_that_takes_away() -> None:
    for _, script in KNOWN:
        if script.startswith("-- expands"):
            assert not {"drop", "rename", "delete", "truncate"} & set(script.lower().split())
