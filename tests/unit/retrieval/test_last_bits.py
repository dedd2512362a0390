"""The same library and the same question have the same answer whatever a processor does to the last bits."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import samples
from search_vectors import Meaning
from stage_samples import PROFILE, LetterEmbedder

from octavo.algorithms.ranking.vector_nearest_neighbors import nearest
from octavo.ingest.chunk_embedding import embed_pending
from octavo.model.query import Filters, Query, Terms
from octavo.observability.progress import NoProgress
from octavo.retrieval.hit_presentation import present
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.stores.sqlite.fts5_index import Fts5Index
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex

WORDS = ("pump", "winter", "boiler", "valve", "switch")
QUESTIONS = ("winter pump", "valve", "boiler switch pump valve", "where is the switch of the winter boiler")


@dataclass
class OtherProcessor:
    """A database whose engine rounds otherwise: ranks differ in their last bits, and their order with them."""

    database: Any
    seed: int

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        if not name.startswith("lexical_top") or parameters is None:
            return list(self.database.rows(name, parameters))
        draw, limit = random.Random(self.seed), parameters["limit"]
        every = self.database.rows(name, {**parameters, "limit": -1})
        noisy = [(key, rank * (1.0 + draw.randint(-4, 4) * 2.0**-52)) for key, rank in every]
        noisy.sort(key=lambda row: (row[1], row[0]))
        return noisy if limit < 0 else noisy[:limit]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.database, name)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """Two hundred notes that say the same few words in every order: many scores are equal but for rounding."""
    made = SqliteStore(Path(tmp_path_factory.mktemp("library")) / "library.db")
    within = samples.ensure(made)
    draw = random.Random(7)
    with made.transaction():
        for number in range(200):
            texts = [" ".join(draw.sample(WORDS, draw.randint(1, 5))) for _ in range(2)]
            samples.put(made, within, samples.prepared(within, f"{number % 9}/{number}.md", *texts))
    embed_pending(made, within.project_id, LetterEmbedder(), NoProgress())
    yield made
    made.close()


def elsewhere(store: SqliteStore, seed: int) -> SqliteStore:
    """The same store with an engine that rounds otherwise."""
    other = copy.copy(store)
    other.lexical = Fts5Index(OtherProcessor(store.database, seed), store.keys)
    return other


def printed(store: SqliteStore, question: str, profile: str) -> str:
    project = samples.collection().project_id
    index = ExactIndex(store, project, PROFILE)
    library = SearchedLibrary(store, project, Meaning(LetterEmbedder, lambda: index), lambda: samples.MODIFIED)
    query = replace(Query(question, limit=20), terms=samples.terms(question))
    hits = present(run(PROFILES[profile], query, library)[0], query, library)
    assert hits
    return json.dumps([asdict(hit) for hit in hits], indent=1)


@pytest.mark.parametrize("profile", ["lexical_only", "hybrid", "hybrid_rrf"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_last_bits_of_ranks_change_no_byte_of_an_answer(store: SqliteStore, question: str, profile: str) -> None:
    expected = printed(store, question, profile)
    assert [printed(elsewhere(store, seed), question, profile) for seed in range(3)] == [expected] * 3


@pytest.mark.parametrize("limit", [1, 7, 40, 150, 400])
def test_the_last_bits_of_ranks_change_nothing_at_the_cut(store: SqliteStore, limit: int) -> None:
    project = samples.collection().project_id
    for words in (("pump",), ("pump", "valve"), WORDS):
        expected = store.lexical.search(project, Terms("", words=words), Filters(), limit)
        for seed in range(3):
            index = elsewhere(store, seed).lexical
            assert index.search(project, Terms("", words=words), Filters(), limit) == expected


def test_words_in_any_order_have_the_same_scores(store: SqliteStore) -> None:
    project = samples.collection().project_id
    answers = {
        store.lexical.search(project, Terms("", words=words), Filters(path_prefix="3/"), 50)
        for words in permutations(WORDS)
    }
    assert len(answers) == 1


def test_dimensions_in_any_order_have_the_same_cosines() -> None:
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(500, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = rows.astype(np.float16).astype(np.float32)
    chunks, vector = np.arange(500) // 2, vectors[7]
    expected = nearest(chunks, vectors, vector, 50)
    for _ in range(5):
        order = draw.permutation(384)
        found = nearest(chunks, np.ascontiguousarray(vectors[:, order]), vector[order], 50)
        assert [one.tolist() for one in found] == [one.tolist() for one in expected]
