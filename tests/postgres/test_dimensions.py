"""Vectors of any length, from a service in OpenAI's shape: set, filled, activated and searched, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import samples
from embedding_services import Service, served

from octavo.config.schema import Jobs
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.library_location import DatabaseUrl
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import VectorRow
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set
from octavo.operations.embedding_profiles.requests import ProfilesSetRequest
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest, RememberRequest
from octavo.vectors.exact_vector_search import ExactIndex
from octavo_postgres.hnsw import describe_index, ensure_index
from octavo_postgres.pgvector_search import PgvectorIndex, index_name
from octavo_postgres.store import PostgresStore

SETTINGS = {"embedding.provider": "hashing", "postgres.index_from": 10}
FAST = Jobs(retry_seconds=0.001, max_retry_seconds=0.001, max_attempts=3)
LONG = EmbeddingProfile("long", "test", "1", 4_096, 128)


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as running:
        yield running


@pytest.fixture(params=["file", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url: DatabaseUrl | None = request.getfixturevalue("url") if request.param == "postgresql" else None
    return str(tmp_path / "library.db") if url is None else url.secret


@pytest.mark.parametrize("dimensions", [64, 1_024, 2_000, 3_072, 4_000, 4_001, 4_096])
def test_vectors_of_any_length_are_filled_activated_and_searched(place: str, service: Service, dimensions: int) -> None:
    service.dimensions = dimensions
    texts = [f"The boiler number {number} stands in cellar {number * 7}." for number in range(12)]
    with open_library(place, create=True, settings=SETTINGS) as engine:
        for text in texts:
            remember(engine, RememberRequest(text=text))
        request = ProfilesSetRequest("remote", "openai", "a-model", url=service.url, retries=0, activate=True)
        assert profiles_set(engine, request, by_person=True).profile.dimensions == dimensions
        done = work(engine, FAST)
        assert (done.failed, done.dead) == (0, 0)
        assert recall(engine, RecallRequest(texts[5])).memories[0].text == texts[5]
        assert engine.embedder.profile.dimensions == dimensions
        nearest = engine.vectors.search(engine.embedder.embed_query(texts[5]), 3)
        assert len(nearest) == 3 and nearest[0].score == pytest.approx(1.0, abs=1e-3)


def test_what_cannot_be_kept_is_refused_by_name(url: DatabaseUrl, service: Service) -> None:
    service.dimensions = 16_001
    request = ProfilesSetRequest("remote", "openai", "a-model", url=service.url)
    with (
        open_library(url.secret, create=True, settings=SETTINGS) as engine,
        pytest.raises(InvalidArgument, match="remote has 16,001 dimensions, and this library holds up to 16,000"),
    ):
        profiles_set(engine, request, by_person=True)


def fill(store: PostgresStore, count: int = 60) -> Collection:
    notes = samples.ensure(store)
    with store.transaction():
        for number in range(count):
            samples.put(store, notes, samples.prepared(notes, f"{number}.md", f"text {number}"))
        pending = store.embeddings.pending(notes.project_id, LONG)
        vectors = np.random.default_rng(3).normal(size=(len(pending), LONG.dimensions))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = [VectorRow(key, row.astype("<f2").tobytes()) for key, row in zip(pending, vectors, strict=True)]
        store.embeddings.put(notes.project_id, LONG, rows)
    return notes


def test_long_vectors_are_found_by_an_index_of_their_beginning_and_compared_whole(store: PostgresStore) -> None:
    notes = fill(store)
    exact = ExactIndex(store, notes.project_id, LONG)
    index = PgvectorIndex(store.database, store.keys, notes.project_id, LONG)
    assert ensure_index(store.database, store.keys, notes.project_id, LONG, exact_below=50)
    assert not ensure_index(store.database, store.keys, notes.project_id, LONG, exact_below=50)
    ((key,),) = store.database.query("select key from embedding_profiles", {})
    described = describe_index(store.database, key)
    assert described is not None and described.expression == "((subvector(data, 1, 4000))::halfvec(4000))"
    for seed in range(5):
        vector = np.random.default_rng(seed).normal(size=LONG.dimensions).astype(np.float32)
        vector /= np.linalg.norm(vector)
        hits, expected = index.search(vector, 10), exact.search(vector, 10)
        assert [hit.key for hit in hits] == [hit.key for hit in expected]
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-5)
    with store.reading():
        store.database.set_local("planner_prefers_indexes", {})
        plan = index.plan(vector, 40)
    assert f"Index Scan using {index_name(key)} on vectors" in plan[1], plan
