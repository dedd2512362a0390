"""A library behind a pooler in transaction mode: no two transactions need be on the same connection of the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import samples
from bouncer import PROGRAM, Bouncer, bounced, program
from pooler import Pooler, pooled

from octavo.engine.wiring import open_library
from octavo.errors import Busy
from octavo.model.job import JobKind
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo_postgres.store import PostgresStore

SETTINGS = {"embedding.provider": "hashing"}


@pytest.fixture(autouse=True)
def asks_for_plain_passwords(url: DatabaseUrl) -> None:
    """Which is all that the pooler of these tests can pass on."""
    with psycopg.connect(url.secret) as connection:
        if connection.execute("show is_superuser").fetchone() == ("on",):
            rules = connection.execute("select distinct auth_method from pg_hba_file_rules").fetchall()
            if {row[0] for row in rules} <= {"password", "trust"}:
                return
    pytest.skip("the server that OCTAVO_TEST_POSTGRES names wants passwords in another way")


@pytest.fixture(params=["of these tests", "pgbouncer"])
def pool(request: pytest.FixtureRequest, url: DatabaseUrl) -> Iterator[tuple[str, Pooler | Bouncer]]:
    """The library's URL through a pooler, and that pooler."""
    if request.param != "pgbouncer":
        with pooled(url.secret) as one:
            yield one
        return
    found = program()
    if found is None:
        pytest.skip(f"there is no pgbouncer on PATH, and {PROGRAM} names none")
    with bounced(url.secret, found) as other:
        yield other


def test_transactions_of_one_connection_are_on_several_of_the_servers(url: DatabaseUrl) -> None:
    """That the pooler is one: what is set for a session, or prepared in it, is missing from the next transaction."""
    with pooled(url.secret) as (through, _):
        with psycopg.connect(through, autocommit=True, prepare_threshold=None) as connection:
            found = {connection.execute("select pg_backend_pid()").fetchone() for _ in range(6)}
            assert len(found) == 3
            connection.execute("set work_mem = '1MB'")
            assert connection.execute("show work_mem").fetchone() != ("1MB",)
        with (
            psycopg.connect(through, autocommit=True, prepare_threshold=0) as connection,
            pytest.raises(psycopg.errors.InvalidSqlStatementName),
        ):
            connection.execute("select 1")


def test_indexing_searching_remembering_and_working_need_no_session(
    url: DatabaseUrl, pool: tuple[str, Pooler | Bouncer], tmp_path: Path
) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\nwords about moons {number}\n", "utf-8")
    through, pooler = pool
    with open_library(through, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", tmp_path)
        engine.index()
        (tmp_path / "3.md").write_text("# Comet\n\nnothing else\n", "utf-8")
        engine.index()
        assert len(engine.search(Query("moons")).hits) == 10
        assert engine.search(Query("comet -moons")).hits[0].citation.uri == "3.md"
        assert engine.search(Query("mooons")).hits
        assert engine.store.check() == ()
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "all", {})
            (job,) = engine.store.outbox.claim(engine.project.id, "w", lease_seconds=60, limit=1, max_attempts=3)
        with engine.store.transaction():
            assert engine.store.outbox.finish(job)
    assert pooler.transactions > 30
    with psycopg.connect(url.secret) as connection:
        assert connection.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone() == (0,)


def test_an_index_made_through_a_pooler_leaves_no_lock_behind(
    url: DatabaseUrl, pool: tuple[str, Pooler | Bouncer], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nmoon\n", "utf-8")
    with open_library(pool[0], create=True, settings={**SETTINGS, "postgres.index_from": 1}) as engine:
        engine.add_collection("notes", tmp_path)
        engine.index()
        with psycopg.connect(url.secret) as connection:
            made = "select count(*) from pg_indexes where indexname like 'vectors_hnsw_%'"
            assert connection.execute(made).fetchone() == (1,)
            assert connection.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone() == (0,)


def test_two_writers_behind_one_pooler_take_turns(pool: tuple[str, Pooler | Bouncer]) -> None:
    through = DatabaseUrl(pool[0])
    one, other = PostgresStore(through), PostgresStore(through, busy_timeout_ms=50)
    notes = samples.ensure(one)
    with one.transaction():
        samples.put(one, notes, samples.prepared(notes, "a.md", "first"))
        with pytest.raises(Busy), other.transaction():
            pass
    with other.transaction():
        samples.put(other, notes, samples.prepared(notes, "b.md", "second"))
    assert one.counts(notes.project_id).documents == 2
    one.close()
    other.close()
