"""A library whose vectors are partitioned by project, as the documentation says: everything works as before."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest, RememberRequest
from octavo_postgres.pgvector_search import PgvectorIndex

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "partitions.md"
FAST = Jobs(retry_seconds=0.001, max_retry_seconds=0.001, max_attempts=3)


def statements(mark: str) -> str:
    return PAGE.read_text("utf-8").split(f"<!-- {mark} -->")[1].split("```postgresql\n")[1].split("```")[0]


def opened(url: DatabaseUrl, project: str) -> Engine:
    settings = {"embedding.provider": "hashing", "postgres.index_from": 10, "project": project}
    return open_library(url.secret, create=True, settings=settings)


def memorise(engine: Engine, first: int, last: int) -> None:
    for number in range(first, last):
        remember(engine, RememberRequest(text=f"The boiler number {number} stands in cellar {number * 7}."))
    done = work(engine, FAST)
    assert (done.failed, done.dead) == (0, 0)


def nearest(engine: Engine) -> list[tuple[int, float]]:
    vector = engine.embedder.embed_query("The boiler number 3 stands in cellar 21.")
    return [(hit.key, hit.score) for hit in engine.vectors.search(vector, 8)]


def told(url: DatabaseUrl, query: str) -> list[tuple[str, ...]]:
    with psycopg.connect(url.secret) as connection:
        return connection.execute(query.encode()).fetchall()


INDEXES = (
    "select t.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid"
    " where c.relname like 'vectors_hnsw%' and i.indisvalid order by 1"
)


def test_a_library_in_parts_answers_grows_and_is_indexed_as_before(url: DatabaseUrl) -> None:
    before = {}
    for project in ("mine", "theirs"):
        with opened(url, project) as engine:
            memorise(engine, 0, 12)
            before[project] = nearest(engine)
    assert told(url, INDEXES) == [("vectors",), ("vectors",)]
    with psycopg.connect(url.secret, autocommit=True) as owner:
        owner.execute(statements("partitions").encode())
    assert told(url, INDEXES) == []
    numbers = dict(told(url, "select name, key::text from projects"))
    for project, hits in before.items():
        with opened(url, project) as engine:
            assert nearest(engine) == hits
            memorise(engine, 12, 14)
            assert recall(engine, RecallRequest("boiler number 13")).memories
            assert engine.store.check() == ()
    assert told(url, INDEXES) == [(f"vectors_of_{numbers[project]}",) for project in ("mine", "theirs")]
    with opened(url, "later") as engine:  # in no part of its own
        memorise(engine, 0, 12)
        hits = nearest(engine)
    assert ("vectors_of_others",) in told(url, INDEXES)
    (number,) = told(url, "select key::text from projects where name = 'later'")[0]
    with psycopg.connect(url.secret, autocommit=True) as owner:
        owner.execute(statements("another").replace("NUMBER", number).encode())
    with opened(url, "later") as engine:
        assert nearest(engine) == hits
        memorise(engine, 12, 13)
    rows = told(
        url, "select tableoid::regclass::text, count(distinct project)::text from vectors group by 1 order by 1"
    )
    assert rows == [(f"vectors_of_{number}", "1") for number in sorted((*numbers.values(), number))]


def test_a_search_of_one_project_passes_the_parts_of_others_by(url: DatabaseUrl) -> None:
    for project in ("mine", "theirs"):
        with opened(url, project) as engine:
            memorise(engine, 0, 30)
    with psycopg.connect(url.secret, autocommit=True) as owner:
        owner.execute(statements("partitions").encode())
    ((theirs,),) = told(url, "select key::text from projects where name = 'theirs'")
    with opened(url, "mine") as engine:
        index = engine.vectors
        assert isinstance(index, PgvectorIndex)
        with engine.store.reading():
            # So few vectors are scanned faster than looked up.
            engine.store.database.set_local("planner_prefers_indexes", {})  # type: ignore[attr-defined]
            plan = index.plan(engine.embedder.embed_query("boiler"), 20)
    assert [line for line in plan if f"Index Scan using vectors_of_{theirs}_profile_idx" in line], plan
    assert not [line for line in plan if "Seq Scan" in line], plan


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
