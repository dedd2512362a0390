"""Indexes of vectors on PostgreSQL: tuned by the profile, built by jobs, looked up in the catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from embedding_services import Service, served

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument
from octavo.model.library_location import DatabaseUrl
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_activate, profiles_set
from octavo.operations.embedding_profiles.requests import ProfilesActivateRequest, ProfilesSetRequest
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest, RememberRequest

SETTINGS = {"embedding.provider": "hashing", "postgres.index_from": 10}
FAST = Jobs(retry_seconds=0.001, max_retry_seconds=0.001, max_attempts=3)


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as running:
        yield running


@pytest.fixture
def engine(url: DatabaseUrl) -> Iterator[Engine]:
    with open_library(url.secret, create=True, settings=SETTINGS) as opened:
        yield opened


def indexes(url: DatabaseUrl) -> dict[int, tuple[Any, ...]]:
    """Dimensions → validity, operators, predicate and parameters of the index, as pg_index has them."""
    with psycopg.connect(url.secret) as connection:
        rows = connection.execute(
            "select a.atttypmod, i.indisvalid, o.opcname, pg_get_expr(i.indpred, i.indrelid), c.reloptions"
            " from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam"
            " join pg_attribute a on a.attrelid = c.oid join pg_opclass o on o.oid = i.indclass[0]"
            " where m.amname = 'hnsw'"
        ).fetchall()
        profiles = connection.execute("select key, body from embedding_profiles").fetchall()
    widths = {f"(profile = {key})": json.loads(body)["dimensions"] for key, body in profiles}
    assert all(widths[row[3]] == row[0] for row in rows)
    return {row[0]: (row[1], row[2], *row[4]) for row in rows}


def index(m: int = 16, ef_construction: int = 64) -> tuple[Any, ...]:
    return (True, "halfvec_ip_ops", f"m={m}", f"ef_construction={ef_construction}")


def memorise(engine: Engine, first: int, last: int) -> None:
    for number in range(first, last):
        remember(engine, RememberRequest(text=f"The boiler number {number} stands in cellar {number * 7}."))


def tuned(service: Service, **tuning: Any) -> ProfilesSetRequest:
    return ProfilesSetRequest("remote", "openai", "a-model", url=service.url, retries=0, **tuning)


def test_memories_alone_get_an_index_once_there_are_enough(engine: Engine, url: DatabaseUrl) -> None:
    memorise(engine, 0, 9)
    work(engine, FAST)
    assert indexes(url) == {}
    memorise(engine, 9, 10)
    work(engine, FAST)
    assert indexes(url) == {64: index()}
    assert recall(engine, RecallRequest("boiler number 3")).memories


def test_a_remote_profile_is_indexed_as_it_says_before_it_answers(
    engine: Engine, url: DatabaseUrl, service: Service
) -> None:
    memorise(engine, 0, 12)
    work(engine, FAST)
    request = tuned(service, hnsw_m=8, hnsw_ef_construction=40, ef_search_min=50, ef_search_max=90, activate=True)
    shown = profiles_set(engine, request, by_person=True).profile
    assert (shown.hnsw, shown.query) == ({"m": 8, "ef_construction": 40}, {"ef_search_min": 50, "ef_search_max": 90})
    done = work(engine, FAST)
    assert (done.failed, done.dead) == (0, 0)
    assert indexes(url) == {64: index(), service.dimensions: index(8, 40)}
    assert recall(engine, RecallRequest("boiler")).memories
    assert engine.embedder.profile.name == "remote"


def test_another_tuning_builds_the_index_again_and_embeds_nothing_again(
    engine: Engine, url: DatabaseUrl, service: Service
) -> None:
    memorise(engine, 0, 12)
    profiles_set(engine, tuned(service, activate=True), by_person=True)
    work(engine, FAST)
    assert indexes(url)[service.dimensions] == index()
    engine.follow_active_profile()
    before = engine.embedder.profile
    texts = len(service.seen)
    profiles_set(engine, tuned(service, hnsw_m=40), by_person=True)
    assert len(service.seen) == texts + 1  # how many dimensions there are
    work(engine, FAST)
    assert len(service.seen) == texts + 1
    assert engine.embedder.profile == before
    assert indexes(url)[service.dimensions] == index(40, 80)


def test_a_profile_that_is_activated_again_gets_the_index_it_lacks(
    engine: Engine, url: DatabaseUrl, service: Service
) -> None:
    memorise(engine, 0, 12)
    profiles_set(engine, tuned(service, activate=True), by_person=True)
    work(engine, FAST)
    with psycopg.connect(url.secret) as connection:
        for (name,) in connection.execute("select indexname from pg_indexes where indexname like 'vectors_hnsw%'"):
            connection.execute(f"drop index {name}".encode())
    for name, dimensions in (("configured", 64), ("remote", service.dimensions)):
        profiles_activate(engine, ProfilesActivateRequest(name))
        assert dimensions not in indexes(url)
        work(engine, FAST)
        assert indexes(url)[dimensions] == index()


@pytest.mark.parametrize(
    ("tuning", "problem"),
    [
        ({"hnsw_m": 40, "hnsw_ef_construction": 79}, "at least twice"),
        ({"ef_search_min": 500}, "above query.ef_search_max"),
    ],
)
def test_what_no_index_can_be_built_with_is_refused(
    engine: Engine, service: Service, tuning: dict[str, int], problem: str
) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        profiles_set(engine, tuned(service, **tuning), by_person=True)
    assert service.seen == []
