"""Context smoothing and the balance of words and meaning, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import samples
from search_vectors import Meaning

from octavo.model.document import Kind
from octavo.model.query import Query
from octavo.model.score_rounding import rounded
from octavo.model.search_result import Candidate, Ranking, ScoredChunk
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.neighbor_score_smoothing import ContextSmoothing
from octavo.retrieval.stages.query_weighted_fusion import Balance, BalancedFusion
from octavo.stores.sqlite.store import SqliteStore


def _search(*paragraphs: str, turns: Sequence[str] = ()) -> tuple[Search, list[Candidate]]:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        keys = list(samples.put(store, within, samples.prepared(within, "long.md", *paragraphs))) if paragraphs else []
        for turn, said in enumerate(turns):
            place = {"sequence": "talk", "position": turn}
            keys += samples.put(store, within, samples.prepared(within, f"{turn}.md", said, metadata=place))
    library = SearchedLibrary(store, within.project_id, Meaning(_nothing, _nothing), lambda: 0.0)
    known = store.documents.candidates(within.project_id, keys)
    return Search(Query("x"), library), [known[key] for key in keys]


def _nothing() -> None:
    raise AssertionError("smoothing asks for no model")


def _scored(candidates: list[Candidate], *scores: float) -> tuple[Candidate, ...]:
    return in_order([one._replace(score=score) for one, score in zip(candidates, scores, strict=True)])


def _scores(candidates: tuple[Candidate, ...]) -> list[float]:
    return [round(one.score, 6) for one in sorted(candidates, key=lambda one: one.key)]


def test_a_chunk_of_a_long_document_gains_from_the_chunks_around_it() -> None:
    search, found = _search(*(f"paragraph {number}" for number in range(6)))
    smoothed = ContextSmoothing().refine(search, _scored(found, 1.0, 2.0, 0.5, -3.0, 0.0, -0.5))  # 0.0 on average
    assert _scores(smoothed) == pytest.approx([1.45, 2.3, 1.0, -2.7, 0.05, -0.5])
    assert smoothed[0].steps[-1].detail == "+0.300 from neighbours"


def test_a_neighbour_below_the_average_adds_nothing() -> None:
    search, found = _search(*(f"paragraph {number}" for number in range(6)))
    smoothed = ContextSmoothing().refine(search, _scored(found, 10.0, 12.0, 10.5, 7.0, 10.0, 9.5))  # 59 / 6 on average
    average = 59 / 6
    assert _scores(smoothed)[5] == pytest.approx(9.5 + 0.2 * (10.0 - average), abs=1e-6)


def test_a_declaration_gains_nothing_from_the_one_beside_it() -> None:
    search, found = _search(*(f"paragraph {number}" for number in range(6)))
    code = [
        one._replace(kind=Kind.CODE, section=section) for one, section in zip(found, (1, 2, 2, 3, 4, 5), strict=True)
    ]
    smoothed = ContextSmoothing().refine(search, _scored(code, 1.0, 2.0, 0.5, -3.0, 0.0, -0.5))
    assert _scores(smoothed) == pytest.approx([1.0, 2.1, 0.9, -3.0, 0.0, -0.5])


def test_a_short_document_is_left_alone() -> None:
    search, found = _search("one", "two", "three")
    with pytest.raises(SkipStage):
        ContextSmoothing().refine(search, _scored(found, 1.0, 2.0, 3.0))


def test_a_turn_gains_from_the_turns_around_it_and_more_from_those_before_it() -> None:
    search, found = _search(turns=("one", "two", "three"))
    shares = ContextSmoothing(sequence=(0.5,), following=(0.25, 0.25), usual_length=0)
    smoothed = shares.refine(search, _scored(found, -3.0, 2.0, 1.0))
    assert _scores(smoothed) == pytest.approx([-3.0 + 0.25 * 2.0 + 0.25 * 1.0, 2.0 + 0.25 * 1.0, 1.0 + 0.5 * 2.0])


def test_an_answer_gains_more_from_the_question_before_it() -> None:
    search, found = _search(turns=("Where did you go?", "To Lisbon", "By train"))
    shares = ContextSmoothing(sequence=(0.25,), following=(), answer=0.5, usual_length=0)
    smoothed = shares.refine(search, _scored(found, 2.0, 1.0, -3.0))
    assert _scores(smoothed) == pytest.approx([2.0, 1.0 + 0.75 * 2.0, -3.0 + 0.25 * 1.0])


@pytest.mark.parametrize(("length", "share"), [(20, 0.25), (80, 0.5), (320, 1.0), (900, 1.25)])
def test_a_short_turn_gains_less_from_the_turns_around_it(length: int, share: float) -> None:
    search, found = _search(turns=("before", "y" * length))
    shares = ContextSmoothing(sequence=(0.5,), following=(), usual_length=80, longest=2.5)
    assert _scores(shares.refine(search, _scored(found, 2.0, -2.0))) == pytest.approx([2.0, -2.0 + share * 2.0])


def test_a_standout_word_match_gives_words_more_weight() -> None:
    flat, _ = Balance().weight([10.0] * 10, [0.65])
    standout, _ = Balance().weight([10.0] + [2.0] * 9, [0.65])
    assert standout > flat


def test_a_model_that_sees_nothing_close_gets_less_weight() -> None:
    close, _ = Balance().weight([10.0] + [6.0] * 9, [0.9])
    far, reason = Balance().weight([10.0] + [6.0] * 9, [0.3])
    assert far > close
    assert reason == "best word match 40% above the tenth, best cosine 0.30"


def test_words_count_more_for_what_is_part_of_a_series() -> None:
    alone, _ = Balance(series=3.0, standout=0.0, doubt=0.0).weight([28.0], [0.6])
    half, reason = Balance(series=3.0, standout=0.0, doubt=0.0).weight([28.0], [0.6], share=0.5)
    assert half == pytest.approx(2.5 * alone)
    assert "50% in a series" in reason


def test_the_words_of_a_pasted_text_are_held_back() -> None:
    question, _ = Balance().weight([10.0], [0.6], words=15)
    pasted, reason = Balance().weight([10.0], [0.6], words=60)
    assert pasted == pytest.approx(question / 2)
    assert "60 words" in reason


def test_a_strong_match_counts_for_more_a_weak_one_not_for_nothing() -> None:
    usual, strong, weak, weaker = (
        Balance(usual_match=20.0).weight([best], [0.6])[0] for best in (20.0, 80.0, 5.0, 1.0)
    )
    assert strong == pytest.approx(2 * usual)
    assert 0.5 * usual < weak == weaker < usual
    assert Balance(usual_match=20.0).weight([1.0], [0.6], small=True)[0] == usual
    assert Balance().weight([80.0], [0.6], share=1.0) == Balance().weight([20.0], [0.6], share=1.0)
    near, far = (Balance().weight([20.0], [cosine], share=1.0)[0] for cosine in (0.9, 0.3))
    assert near == far


def test_nothing_found_gives_a_weight_all_the_same() -> None:
    for lexical, cosines in (([], []), ([0.0], [-1.0]), ([1e9, 0.0], [1.0])):
        weight, _ = Balance().weight(lexical, cosines)
        assert 0.0 < weight < 20.0


def _fused(
    lexical: dict[int, float], dense: dict[int, float], fast: float = 0.0, beyond: float = 0.0
) -> tuple[Search, tuple[Candidate, ...]]:
    search, found = _search(turns=[f"turn {number}" for number in range(max([*lexical, *dense], default=0) + 1)])
    search.vector = np.zeros(3, np.float32)
    library = replace(
        search.library,
        meaning=search.library.meaning.instead(vectors=lambda: _Cosines({found[at].key: 0.1 for at in lexical})),
    )
    search = Search(Query("x"), library)
    search.vector = np.zeros(3, np.float32)
    words, meaning = (
        tuple(ScoredChunk(found[at].key, score) for at, score in channel.items()) for channel in (lexical, dense)
    )
    rankings = {"lexical": Ranking("lexical", words, beyond=beyond), "dense": Ranking("dense", meaning, fast=fast)}
    balance = Balance(base=0.01, standout=0.0, doubt=0.0, series=0.0, fast=0.5, usual_match=20.0)
    return search, BalancedFusion(balance).fuse(search, rankings)


class _Cosines:
    def __init__(self, known: dict[int, float]) -> None:
        self._known = known

    def score(self, vector: object, keys: list[int]) -> dict[int, float]:
        return {key: self._known[key] for key in keys}


def test_a_score_is_the_cosine_and_what_words_add() -> None:
    search, fused = _fused({0: 20.0, 1: 10.0}, {1: 0.7, 2: 0.6})
    assert _scores(fused) == pytest.approx([0.1 + 0.2, 0.7 + 0.1, 0.6])
    assert search.notes["weights"] == {"dense": 1.0, "lexical": 0.01}


@pytest.mark.parametrize(("fast", "weight"), [(1.0, 0.015), (0.5, 0.0125)])
def test_beside_fast_vectors_words_count_for_more(fast: float, weight: float) -> None:
    search, _ = _fused({0: 20.0, 1: 10.0}, {1: 0.7, 2: 0.6}, fast)
    assert search.notes["weights"] == {"dense": 1.0, "lexical": weight}
    assert f"{fast:.0%} fast vectors" in str(search.notes["balance"])


def test_a_chunk_beyond_what_words_found_scores_nearly_as_much_as_the_last_of_them() -> None:
    _, fused = _fused({0: 20.0, 1: 10.0}, {1: 0.7, 2: 0.6}, beyond=10.0)
    assert _scores(fused) == pytest.approx([0.1 + 0.2, 0.7 + 0.1, 0.6 + 0.08])


def test_words_that_agree_with_fast_vectors_count_for_more() -> None:
    balance = Balance(fast=0.5, agreement=2.0)
    usual, same, none = (balance.beside_fast(1.0, agreement) for agreement in (0.3, 1.0, 0.0))
    assert none == usual == 1.5 < same
    assert balance.beside_fast(0.0, 1.0) == 1.0


@pytest.mark.parametrize(("lexical", "dense"), [({0: 20.0}, {}), ({}, {0: 0.7}), ({}, {})])
def test_a_channel_that_is_alone_decides_alone(lexical: dict[int, float], dense: dict[int, float]) -> None:
    _, fused = _fused(lexical, dense)
    assert [one.score for one in fused] == [rounded(score) for score in (*lexical.values(), *dense.values())]
