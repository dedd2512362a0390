"""Reranking within a deadline, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest
from stage_samples import asking, library, listed, note, uris

from octavo.errors import ProviderFailed
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import RetrievalProfile, SkipStage, in_order
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.retrieval.stages.reranking import Rerank, holding, passages
from octavo.retrieval.stages.score_and_rank_fusion import SingleChannel


@dataclass
class Counting:
    """Prefers long passages, and takes `seconds` of its own clock for each."""

    seconds: float = 0.01
    name: str = "counting@1"
    now: float = 0.0
    asked: list[list[str]] = field(default_factory=list)

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append(list(texts))
        self.now += self.seconds * len(texts)
        return [float(len(text)) for text in texts]

    def clock(self) -> float:
        return self.now


def equipped(model: Counting, count: int = 30) -> SearchedLibrary:
    held = library(*(note(f"{number:02}.md", "word " + "x" * number, title="t") for number in range(count)))
    measured = MeasuredReranker(model, model.clock)
    return replace(held, models=SimpleNamespace(reranker=measured, judges=lambda *_: (), query_writer=lambda: None))


def test_the_first_candidates_come_in_the_order_of_the_model_and_the_rest_stays_below() -> None:
    held = equipped(Counting())
    given = listed(held)
    refined = Rerank(most=5, deadline_ms=1000).refine(asking(held), given)
    assert uris(refined) == ["04.md", "03.md", "02.md", "01.md", "00.md", *uris(given[5:])]
    assert refined == in_order(list(refined))
    assert refined[0].steps[-1].detail == "11.000, from place 5"


def test_the_deadline_and_the_measured_cost_decide_how_many_are_scored() -> None:
    model = Counting(seconds=0.01)
    held = equipped(model)
    search = asking(held)
    Rerank(most=30, deadline_ms=105).refine(search, listed(held))
    assert model.now == pytest.approx(0.10)
    assert search.notes == {"model": "counting@1", "scored": 10, "known": 0, "no_time_for": 20}


def test_a_model_that_got_slower_is_asked_for_less_next_time() -> None:
    model = Counting(seconds=0.001)
    held = equipped(model)
    assert held.models is not None
    measured = held.models.reranker
    measured.score("q", ["a"] * 10)
    assert measured.pairs_within(0.1, otherwise=1) == 100
    model.seconds = 0.1
    measured.score("q", ["a"] * 10)
    assert measured.seconds_per_pair == pytest.approx(0.7 * 0.001 + 0.3 * 0.1)
    assert measured.pairs_within(-1.0, otherwise=1) == 0


def test_without_time_for_a_single_pair_the_order_stays() -> None:
    model = Counting(seconds=10.0)
    held = equipped(model)
    assert held.models is not None
    held.models.reranker.score("q", ["warm"])
    with pytest.raises(SkipStage, match="no time"):
        Rerank(deadline_ms=50).refine(asking(held), listed(held))


def test_what_was_scored_once_is_looked_up_afterwards() -> None:
    model = Counting()
    held = equipped(model, count=6)
    stage = Rerank(deadline_ms=1000)
    first = stage.refine(asking(held), listed(held))
    for write in held.run.later:
        write()
    asked = len(model.asked)
    search = asking(held)
    assert stage.refine(search, listed(held)) == first
    assert (len(model.asked), search.notes["known"]) == (asked, 6)
    stage.refine(asking(held, "another question"), listed(held))
    assert len(model.asked) > asked


def test_a_search_writes_nothing_until_it_is_answered() -> None:
    held = equipped(Counting(), count=3)
    generation = held.store.generation()
    profile = RetrievalProfile("reranked", (LexicalRecall(),), SingleChannel(), (Rerank(),))
    with held.store.reading():
        candidates, trace = run(profile, asking(held, "word").query, held)
    assert (uris(candidates)[0], trace[-1].failed) == ("02.md", None)
    assert len(held.run.later) == 1
    held.run.later[0]()
    assert held.store.generation() == generation


def test_a_share_of_what_the_candidates_had_may_stay() -> None:
    held = equipped(Counting(), count=4)
    given = listed(held, 1.0, 0.6, 0.3, 0.0)
    assert uris(Rerank(share=0.0, deadline_ms=1000).refine(asking(held), given)) == uris(given)
    assert uris(Rerank(share=1.0, deadline_ms=1000).refine(asking(held), given)) == uris(given[::-1])


def test_without_a_reranker_or_candidates_the_stage_is_skipped() -> None:
    held = library(note("a.md", "a"))
    with pytest.raises(SkipStage, match="no reranker is configured"):
        Rerank().refine(asking(held), listed(held))
    with pytest.raises(SkipStage, match="no candidates"):
        Rerank().refine(asking(equipped(Counting())), ())


class Broken(Counting):
    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        raise ProviderFailed("the model is away")


def test_a_reranker_that_fails_leaves_the_list_and_a_line_in_the_trace() -> None:
    held = equipped(Broken(), count=3)
    profile = RetrievalProfile("reranked", (LexicalRecall(),), SingleChannel(), (Rerank(),))
    query = asking(held, "word").query
    candidates, trace = run(profile, query, held)
    assert candidates == run(replace(profile, refine=()), query, held)[0]
    assert trace[-1].failed == "the model is away"


def test_without_a_deadline_a_slow_machine_scores_as_many_as_a_fast_one() -> None:
    orders = []
    for seconds in (0.001, 60.0):
        held = equipped(Counting(seconds=seconds))
        search = asking(held)
        orders.append(uris(Rerank(most=20).refine(search, listed(held))))
        assert search.notes["scored"] == 20
    assert orders[0] == orders[1]


def test_as_many_passages_are_read_as_hold_the_characters_together_and_always_the_first() -> None:
    model = Counting()
    held = equipped(model)
    lengths = [len(text) for text in passages(asking(held), listed(held))]
    Rerank(most=30, characters=sum(lengths[:7])).refine(asking(held), listed(held))
    assert sum(map(len, model.asked)) == 7
    assert holding(["long" * 100, "b"], 10) == ["long" * 100]
    assert holding(["x" * 5_000, "b"], 1_201) == ["x" * 5_000, "b"], "of a long passage only what a model reads counts"


def test_nothing_is_read_where_the_first_stands_far_above_the_second() -> None:
    model = Counting()
    held = equipped(model, 4)
    far = tuple(one.scored(score) for one, score in zip(listed(held), (9.0, 1.0, 1.0, 1.0), strict=True))
    near = tuple(one.scored(score) for one, score in zip(listed(held), (9.0, 8.9, 1.0, 1.0), strict=True))
    with pytest.raises(SkipStage, match="far above the second"):
        Rerank(settled=0.5).refine(asking(held), far)
    assert not model.asked
    Rerank(settled=0.5).refine(asking(held), near)
    assert model.asked


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_no_built_in_profile_bounds_a_cross_encoder_by_the_clock(name: str) -> None:
    reranking = [stage for stage in PROFILES[name].refine if isinstance(stage, Rerank)]
    assert all(stage.deadline_ms is None for stage in reranking)


def test_a_search_that_its_deadline_cut_short_is_not_repeatable_and_one_that_it_did_not_cut_is() -> None:
    for seconds, repeatable in ((0.01, False), (0.0001, None)):
        held = equipped(Counting(seconds=seconds))
        profile = RetrievalProfile("hasty", (LexicalRecall(),), SingleChannel(), (Rerank(most=30, deadline_ms=105),))
        _, trace = run(profile, asking(held, "word").query, held)
        assert [stage.repeatable for stage in trace] == [None, None, repeatable]
        assert bool(trace[-1].unread) is not repeatable
