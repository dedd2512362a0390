"""Nearest chunks from pgvector: the same as comparing every vector, with and without an index, filtered or not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
import samples
from numpy.typing import NDArray

from octavo.model.embedding_profile import EmbeddingProfile, Tuning
from octavo.model.ids import ChunkKey
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import VectorRow
from octavo.vectors.exact_vector_search import ExactIndex
from octavo_postgres.hnsw import describe_index, ensure_index, expected_index
from octavo_postgres.pgvector_search import PgvectorIndex, index_name, tuning_of
from octavo_postgres.sql_dialect import vector_literal
from octavo_postgres.store import PostgresStore

PROFILE = EmbeddingProfile("test-16", "test", "1", 16, 128)
CHUNKS = 400


@pytest.fixture
def notes(store: PostgresStore) -> Collection:
    """Four hundred chunks in two hundred documents, some in two windows, each with a vector."""
    made = samples.ensure(store)
    with store.transaction():
        for number in range(CHUNKS // 2):
            sample = samples.prepared(made, f"{number}.md", f"one {number}", f"two {number}", windows=1 + number % 2)
            samples.put(store, made, sample)
        random = np.random.default_rng(7)
        pending = store.embeddings.pending(made.project_id, PROFILE)
        vectors = random.normal(size=(len(pending), PROFILE.dimensions))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = [VectorRow(key, one.astype("<f2").tobytes()) for key, one in zip(pending, vectors, strict=True)]
        store.embeddings.put(made.project_id, PROFILE, rows)
    return made


def asked(seed: int) -> NDArray[np.float32]:
    vector = np.random.default_rng(seed).normal(size=PROFILE.dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def index_of(store: PostgresStore, notes: Collection) -> PgvectorIndex:
    return PgvectorIndex(store.database, store.keys, notes.project_id, PROFILE)


def same(found: tuple[object, ...], wanted: tuple[object, ...]) -> bool:
    return [one.key for one in found] == [one.key for one in wanted] and np.allclose(  # type: ignore[attr-defined]
        [one.score for one in found],  # type: ignore[attr-defined]
        [one.score for one in wanted],  # type: ignore[attr-defined]
        atol=1e-5,
    )


@pytest.mark.parametrize("indexed", [False, True])
def test_the_nearest_are_those_of_comparing_every_vector(
    store: PostgresStore, notes: Collection, indexed: bool
) -> None:
    exact, index = ExactIndex(store, notes.project_id, PROFILE), index_of(store, notes)
    if indexed:
        assert ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=100)
    for seed in range(5):
        vector = asked(seed)
        assert same(index.search(vector, 10), exact.search(vector, 10))
        assert same(index.search(vector, 5, np.arange(1, 40)), exact.search(vector, 5, np.arange(1, 40)))
        assert index.search(vector, 5, np.zeros(0, dtype=np.int64)) == ()
        keys = [ChunkKey(key) for key in (3, 7, 999_999)]
        assert index.score(vector, keys) == pytest.approx(dict(exact.score(vector, keys)), abs=1e-5)
    assert index.vectors_of([ChunkKey(4)])[ChunkKey(4)] == pytest.approx(exact.vectors_of([ChunkKey(4)])[ChunkKey(4)])


def test_fast_vectors_stand_in_for_those_that_are_not_computed_yet(store: PostgresStore, notes: Collection) -> None:
    fast, project = EmbeddingProfile("fast-16", "test", "fast", 16, 128), notes.project_id
    with store.transaction():
        rows = [(key, asked(int(key))) for key in store.embeddings.pending(project, fast)[::3]]
        store.embeddings.put(project, fast, [VectorRow(key, one.astype("<f2").tobytes()) for key, one in rows])
        store.embeddings.remove(project, PROFILE, [key for key, _ in rows])
    exact = ExactIndex(store, project, PROFILE, fast)
    index = store.vector_index(project, PROFILE, fast)
    every = np.arange(1, CHUNKS + 1)
    keys = [ChunkKey(key) for key in every.tolist()]
    for seed in range(5):
        vector = asked(seed)
        assert same(index.search(vector, 10), exact.search(vector, 10))
        assert same(index.search(vector, 5, every[::5]), exact.search(vector, 5, every[::5]))
        assert index.score(vector, keys) == pytest.approx(dict(exact.score(vector, keys)), abs=1e-5)
    assert 0 < index.fast_among(keys) == exact.fast_among(keys) < CHUNKS
    with store.transaction():
        store.embeddings.remove(project, fast, [key for key, _ in rows])
    assert index.fast_among(keys) == 0


def test_filters_that_let_little_through_cost_no_answers(
    store: PostgresStore, notes: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_postgres.pgvector_search.FEW_ADMITTED", 0)
    ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=100)
    exact, index = ExactIndex(store, notes.project_id, PROFILE), index_of(store, notes)
    for seed in range(3):
        for admitted in (np.arange(1, 12), np.arange(1, 300, 7)):
            assert same(index.search(asked(seed), 10, admitted), exact.search(asked(seed), 10, admitted))


def test_stage_a_uses_the_index_of_its_profile(store: PostgresStore, notes: Collection) -> None:
    index = index_of(store, notes)
    key = store.keys.profile(notes.project_id, PROFILE.canonical())
    assert not any("hnsw" in line for line in index.plan(asked(1), 40))
    ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=100)
    with store.reading():
        store.database.set_local("planner_prefers_indexes", {})  # so few vectors are scanned faster than looked up
        plan = index.plan(asked(1), 40)
    assert f"Index Scan using {index_name(key)} on vectors" in plan[1], plan


def test_with_enough_vectors_the_planner_takes_the_index_by_itself(store: PostgresStore, notes: Collection) -> None:
    """A search is planned as it is asked: two stages, the first by the index, the second by keys."""
    project, key = store.keys.project(notes.project_id), store.keys.profile(notes.project_id, PROFILE.canonical())
    with psycopg.connect(store.database.url.secret) as connection:
        connection.execute(
            "insert into inputs (key, project, hash) select g, %s, decode(md5(g::text), 'hex')"
            " from generate_series(10000, 30000) g",
            (project,),
        )
        connection.execute(
            "insert into vectors (project, profile, input, data) select %s, %s, g,"
            " (select array_agg(sin(g * i)) from generate_series(1, 16) i)::real[]::halfvec"
            " from generate_series(10000, 30000) g",
            (project, key),
        )
    store.maintain(notes.project_id, PROFILE)  # as a run of indexing does: statistics, then the index
    for candidates in (40, 400, 800):
        plan = index_of(store, notes).plan(asked(1), candidates)
        assert f"Index Scan using {index_name(key)} on vectors" in plan[1], plan
    with store.reading():
        where = {
            "project": project,
            "profile": key,
            "profiles": [key],
            "dimensions": PROFILE.dimensions,
            "vector": vector_literal(asked(1)),
        }
        listed = list(range(10_000, 10_400))
        query = b"explain " + store.database.queries["windows_of_inputs"]
        rows = store.database.with_connection(
            lambda connection: psycopg.ClientCursor(connection).execute(query, where | {"listed": listed}).fetchall()
        )
    assert not any("Seq Scan on vectors" in row[0] for row in rows), rows


def test_four_times_as_many_candidates_as_wanted_are_looked_at_and_eight_times_with_filters(
    store: PostgresStore, notes: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_postgres.pgvector_search.FEW_ADMITTED", 0)
    wanted: list[int] = []
    stage_a = PgvectorIndex.stage_a

    def noted(self: PgvectorIndex, vector: Any, where: Any, candidates: int, *rest: Any) -> list[int]:
        wanted.append(candidates)
        return stage_a(self, vector, where, candidates, *rest)

    monkeypatch.setattr(PgvectorIndex, "stage_a", noted)
    index_of(store, notes).search(asked(1), 10)
    index_of(store, notes).search(asked(1), 10, np.arange(1, CHUNKS))
    assert wanted == [40, 80]


def test_how_far_an_index_looks_is_set_for_the_search_alone(store: PostgresStore, notes: Collection) -> None:
    index = index_of(store, notes)
    with store.reading():
        index.search(asked(1), 10)
        set_to = store.database.query(
            "select current_setting('hnsw.ef_search'), current_setting('hnsw.iterative_scan')", {}
        )
        assert set_to == [("100", "relaxed_order")]
        index.search(asked(1), 90)
        assert store.database.query("select current_setting('hnsw.ef_search')", {}) == [("360",)]
        index.search(asked(1), 101)  # beyond ef_search_max: one larger scan rather than two
        assert store.database.query("select current_setting('hnsw.ef_search')", {}) == [("404",)]
    with store.reading():
        assert store.database.query("select current_setting('hnsw.ef_search')", {}) == [("40",)]


def test_below_the_threshold_there_is_no_index(store: PostgresStore, notes: Collection) -> None:
    assert not ensure_index(store.database, store.keys, notes.project_id, PROFILE)
    assert describe_index(store.database, store.keys.profile(notes.project_id, PROFILE.canonical())) is None


def test_an_index_is_made_once_and_anew_when_its_profile_says_otherwise(
    store: PostgresStore, notes: Collection
) -> None:
    def settle() -> bool:
        return ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=100)

    assert (settle(), settle()) == (True, False)
    project = store.keys.project(notes.project_id)
    options = {"hnsw": {"m": 8, "ef_construction": 32}, "query": {"ef_search_min": 50, "ef_search_max": 90}}
    with store.transaction():
        body = json.dumps({"provider": "hashing", "options": options})
        where = {"project": project, "name": "tuned", "settings": body, "state": "active", "now": 0.0}
        store.database.run("named_profile_put", where)
    assert tuning_of(store.database, project) == Tuning(8, 32, 50, 2.0, 90)
    assert (settle(), settle()) == (True, False)
    key = store.keys.profile(notes.project_id, PROFILE.canonical())
    assert describe_index(store.database, key) == expected_index(key, 16, Tuning(m=8, ef_construction=32))


EXPRESSION, CONDITION, SETTINGS = "(data::halfvec(16))", "profile = {key}", "with (m = 16, ef_construction = 64)"


@pytest.mark.parametrize(
    "definition",
    [
        f"using hnsw ({EXPRESSION} halfvec_l2_ops) {SETTINGS} where {CONDITION}",
        f"using hnsw ((subvector(data, 1, 15)::halfvec(15)) halfvec_ip_ops) {SETTINGS} where {CONDITION}",
        f"using hnsw ({EXPRESSION} halfvec_ip_ops) {SETTINGS} where {CONDITION} and input > 0",
        f"using hnsw ({EXPRESSION} halfvec_ip_ops) with (m = 8, ef_construction = 64) where {CONDITION}",
        f"using hnsw ({EXPRESSION} halfvec_ip_ops) where {CONDITION}",
        f"using btree (input) where {CONDITION}",
    ],
    ids=["operators", "dimensions", "predicate", "parameters", "no parameters", "method"],
)
def test_an_index_that_is_another_than_its_profile_needs_is_built_again(
    store: PostgresStore, notes: Collection, definition: str
) -> None:
    key = store.keys.profile(notes.project_id, PROFILE.canonical())
    expected = expected_index(key, 16, Tuning())
    with psycopg.connect(store.database.url.secret) as connection:
        connection.execute(f"create index {index_name(key)} on vectors {definition.format(key=key)}".encode())
    assert describe_index(store.database, key) not in (None, expected)
    assert ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=100)
    assert describe_index(store.database, key) == expected
    with psycopg.connect(store.database.url.secret) as connection:
        listed = connection.execute("select count(*) from pg_class where relname like 'vectors_hnsw%'").fetchone()
    assert listed == (1,)


def test_how_far_an_index_looks_follows_what_is_wanted_within_limits() -> None:
    tuning = Tuning(ef_search_min=40, ef_search_factor=2, ef_search_max=400)
    assert [tuning.ef_search(wanted) for wanted in (1, 20, 100, 1000)] == [40, 40, 200, 400]


def test_another_projects_vectors_are_never_near(store: PostgresStore, notes: Collection) -> None:
    other = samples.ensure(store, project="other")
    with store.transaction():
        samples.put(store, other, samples.prepared(other, "a.md", "words"))
        rows = [
            VectorRow(key, asked(1).astype("<f2").tobytes())
            for key in store.embeddings.pending(other.project_id, PROFILE)
        ]
        store.embeddings.put(other.project_id, PROFILE, rows)
    mine = index_of(store, notes).search(asked(1), CHUNKS)
    theirs = index_of(store, other).search(asked(1), CHUNKS)
    assert len(theirs) == 1
    assert {one.key for one in mine}.isdisjoint({one.key for one in theirs})
