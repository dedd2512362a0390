"""What must not change a score or hide an answer: a small round of the campaign, with the bundled encoder."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from octavo.engine import library_search
from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.model.query import Filters, Query
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import RetrievalProfile

ROOT = Path(__file__).parents[2]
VAULT = ROOT / "examples" / "vault"


def _campaign() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_properties", ROOT / "benchmarks" / "score_properties.py")
    assert spec is not None and spec.loader is not None
    campaign = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(campaign)
    return campaign


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with _campaign().library(VAULT) as engine:
        yield engine


def test_a_hit_has_the_same_score_with_another_limit_filter_or_floor(engine: Engine) -> None:
    assert list(_campaign().changed_scores(engine, pairs=40, seed=3)) == []


def test_who_narrows_a_search_asks_the_whole_library_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Query] = []

    def counted(profile: RetrievalProfile, query: Query, library: SearchedLibrary) -> object:
        asked.append(query)
        return run(profile, query, library)

    monkeypatch.setattr(library_search, "run", counted)
    query, narrow = Query("how do I collimate the telescope at night"), Filters(path_prefix="equipment/")
    alone = engine.search(replace(query, filters=narrow)).hits
    assert [each.filters.empty for each in asked] == [False, True]
    engine.search(query, PROFILES["hybrid_rrf"])  # another profile's candidates say nothing of this one's
    everywhere = {hit.chunk_id: hit.score for hit in engine.search(replace(query, limit=20)).hits}
    asked.clear()
    again = engine.search(replace(query, filters=narrow)).hits
    assert [each.filters.empty for each in asked] == [False]
    assert [(hit.chunk_id, hit.score) for hit in again] == [(hit.chunk_id, hit.score) for hit in alone] != []
    assert all(everywhere.get(hit.chunk_id, hit.score) == hit.score for hit in again)


def test_words_around_a_question_hide_no_answer(engine: Engine) -> None:
    assert list(_campaign().hidden_answers(engine, asked=40, seed=3)) == []


def test_a_document_about_something_else_changes_no_order_and_no_score_by_much() -> None:
    campaign = _campaign()
    assert list(campaign.moved_by_strangers(VAULT, pairs=12, seed=3, strangers=campaign.STRANGERS[:1])) == []


def test_a_least_score_is_the_score_that_hits_show(engine: Engine) -> None:
    every = engine.search(Query("how do I clean the mirror")).hits
    least = every[1].score
    some = engine.search(Query("how do I clean the mirror", min_score=least)).hits
    assert [(hit.chunk_id, hit.score) for hit in some] == [
        (hit.chunk_id, hit.score) for hit in every if hit.score >= least
    ]


def test_hits_of_one_document_are_in_the_order_of_their_scores_and_the_first_counts_the_others(engine: Engine) -> None:
    hits = engine.search(Query("how do I collimate the telescope")).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    first, *others = [hit for hit in hits if hit.citation.uri == "equipment/Collimation.md"]
    assert first.more == len(others) > 0 and all(hit.more == 0 for hit in others)


@pytest.mark.parametrize("name", ["hybrid", "hybrid_rrf", "weighted", "lexical_only", "dense_only", "code"])
def test_every_profile_has_scores(engine: Engine, name: str) -> None:
    result = engine.search(Query("how do I clean the mirror"), PROFILES[name])
    assert result.calibrated and 0.0 < result.hits[0].score <= 1.0


def test_an_operator_that_counts_for_nothing_is_named(engine: Engine) -> None:
    result = engine.search(Query("mirror AND (dome OR"))
    assert result.degraded == ("operators: OR at character 18 has nothing after it, so it counts for nothing",)
