"""Budgets, cursors and rerankers through the engine, over SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from workbench import Bench, exchange

from octavo.errors import ModelUnavailable, NotFound
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.stages.reranking import Rerank
from octavo.retrieval.stages.token_budget_cutoff import TokenBudget

NOTES = {f"{number}.md": f"# Note {number}\n\nThe moon and the water, {'again ' * number}.\n" for number in range(8)}
PAGED = replace(PROFILES["lexical_only"], refine=(TokenBudget(),))
RERANKED = replace(PROFILES["lexical_only"], refine=(Rerank(deadline_ms=60_000),))


@dataclass
class ByLength:
    name: str = "by-length@1"
    asked: list[str] = field(default_factory=list)

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked += texts
        return [float(len(text)) for text in texts]


def test_pages_of_a_search_give_every_hit_once(bench: Bench) -> None:
    bench.write(NOTES)
    bench.index()
    with bench.opened() as engine:
        everything = [hit.chunk_id for hit in engine.search(Query("moon water", limit=100), PAGED).hits]
        query, seen = Query("moon water", budget=40), list[str]()
        while True:
            result = engine.search(query, PAGED)
            seen += [hit.chunk_id for hit in result.hits]
            if result.cursor is None:
                break
            query = replace(query, cursor=result.cursor)
        assert seen == everything
        with pytest.raises(NotFound, match="does not belong"):
            engine.search(Query("another", cursor=query.cursor), PAGED)


def test_what_a_reranker_said_outlives_the_engine_and_moves_no_generation(bench: Bench) -> None:
    bench.write(NOTES)
    bench.index()
    answers, asked = [], []
    for _ in range(2):
        model = ByLength()
        with bench.opened() as engine:
            exchange(engine, reranker=lambda _, model=model: model)
            generation = engine.store.generation()
            answers.append([hit.citation.uri for hit in engine.search(Query("moon water"), RERANKED).hits])
            assert engine.store.generation() == generation
            assert isinstance(engine.reader.reranker, MeasuredReranker)
        asked.append(len(model.asked))
    assert answers[0] == answers[1] == [f"{number}.md" for number in reversed(range(8))]
    assert asked == [8, 0]


def test_a_reranker_whose_folder_is_missing_costs_only_its_stage(bench: Bench, tmp_path: Path) -> None:
    bench.write(NOTES)
    bench.index()
    with bench.opened(reranking={"model": tmp_path / "nowhere"}) as engine:
        result = engine.search(Query("moon water"), RERANKED)
        assert len(result.hits) == 8
        assert "cannot be read" in (result.trace[-1].failed or "")
        with pytest.raises(ModelUnavailable):
            _ = engine.reader.reranker


def test_without_a_configured_reranker_a_search_says_that_and_answers_all_the_same(bench: Bench) -> None:
    bench.write(NOTES)
    bench.index()
    with bench.opened() as engine:
        result = engine.search(Query("moon water"), RERANKED)
        with pytest.raises(ModelUnavailable, match="no reranker is configured") as caught:
            _ = engine.reader.reranker
    assert len(result.hits) == 8
    assert next(stage for stage in result.trace if stage.stage == "rerank").failed == "no reranker is configured"
    assert "reranking.model" in (caught.value.hint or "")


def test_a_reranker_is_asked_while_no_transaction_is_open_and_a_changed_library_is_searched_anew(bench: Bench) -> None:
    bench.write(NOTES)
    bench.index()
    with bench.opened() as engine:

        class Interrupted(ByLength):
            def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
                if not self.asked:
                    before = engine.store.generation()
                    (bench.folder / "3.md").unlink()
                    bench.write({"9.md": f"# Note 9\n\nThe moon and the water, {'again ' * 9}.\n"})
                    bench.index()
                    assert engine.store.generation() > before  # inside a transaction nothing would have changed
                return super().score(query, texts)

        model = Interrupted()
        exchange(engine, reranker=lambda _: model)
        result = engine.search(Query("moon water"), RERANKED)
    assert [hit.citation.uri for hit in result.hits] == [f"{number}.md" for number in (9, 7, 6, 5, 4, 2, 1, 0)]
    assert len(model.asked) == len(set(model.asked)) == 9


def test_a_library_that_never_rests_is_answered_from_all_the_same(bench: Bench) -> None:
    bench.write(NOTES)
    bench.index()
    with bench.opened() as engine:

        class Restless(ByLength):
            def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
                bench.write({f"{len(self.asked)}-new.md": f"# New\n\nmoon and water {len(self.asked)}\n"})
                bench.index()
                return super().score(query, texts)

        model = Restless()
        exchange(engine, reranker=lambda _: model)
        result = engine.search(Query("moon water", limit=50), RERANKED)
    assert len(result.hits) >= 8
    assert not [stage for stage in result.trace if stage.failed]
