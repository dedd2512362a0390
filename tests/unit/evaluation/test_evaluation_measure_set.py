"""The measures of an evaluation, against examples worked by hand."""

from __future__ import annotations

from math import log2

import pytest

from octavo.evaluation.measured_query_run import RANKED, diversity, mean, percentile, score_rankings


def values(qrels: dict[str, int], ranking: list[str]) -> dict[str, float]:
    scores = score_rankings({"q": qrels}, {"q": ranking})
    return {name: scores[name]["q"] for name in RANKED}


def test_a_relevant_document_at_rank_two_of_one() -> None:
    assert values({"a": 1}, ["x", "a", "y"]) == pytest.approx(
        {"ndcg@10": 1 / log2(3), "recall@10": 1.0, "recall@100": 1.0, "mrr@10": 0.5, "map": 0.5}
    )


def test_two_of_three_relevant_documents_at_ranks_one_and_three() -> None:
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert values({"a": 1, "b": 1, "c": 1}, ["a", "x", "b"]) == pytest.approx(
        {
            "ndcg@10": (1 + 1 / log2(4)) / ideal,
            "recall@10": 2 / 3,
            "recall@100": 2 / 3,
            "mrr@10": 1.0,
            "map": (1 / 1 + 2 / 3) / 3,
        }
    )


def test_grades_are_gains_and_zero_is_not_relevant() -> None:
    assert values({"a": 2, "b": 1, "c": 0}, ["b", "c", "a"]) == pytest.approx(
        {
            "ndcg@10": (1 + 2 / log2(4)) / (2 + 1 / log2(3)),
            "recall@10": 1.0,
            "recall@100": 1.0,
            "mrr@10": 1.0,
            "map": (1 / 1 + 2 / 3) / 2,
        }
    )


def test_rank_eleven_counts_for_recall_at_100_and_map_only() -> None:
    ranking = [f"x{number:02}" for number in range(10)] + ["a"]
    assert values({"a": 1}, ranking) == pytest.approx(
        {"ndcg@10": 0.0, "recall@10": 0.0, "recall@100": 1.0, "mrr@10": 0.0, "map": 1 / 11}
    )


def test_a_question_without_a_ranking_counts_as_nothing_found() -> None:
    scores = score_rankings({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"], "unjudged": ["b"]})
    assert {name: scores[name] for name in RANKED} == {name: {"q": 1.0, "r": 0.0} for name in RANKED}
    assert score_rankings({"q": {"a": 1}}, {"q": []})["ndcg@10"] == {"q": 0.0}


def test_the_order_given_decides_not_the_names() -> None:
    for ranking in (["a", "b", "c"], ["c", "b", "a"]):
        assert values({"a": 1}, ranking)["mrr@10"] == 1 / (ranking.index("a") + 1)


def test_diversity_of_the_worked_example() -> None:
    assert diversity(["a b", "B, c", "d"]) == pytest.approx(1 - (1 / 3) / 3)


def test_diversity_is_zero_for_repetition_one_for_nothing_shared_and_unknown_for_one_hit() -> None:
    assert diversity(["the same", "The same!"]) == 0.0
    assert diversity(["one", "two", "three"]) == 1.0
    assert diversity(["alone"]) is None
    assert diversity([]) is None
    assert diversity(["...", "!"]) == 0.0


def test_diversity_looks_at_the_first_ten_only() -> None:
    assert diversity([*(f"w{number}" for number in range(10)), "w0", "w1"]) == 1.0


def test_percentiles_lie_between_neighbours_by_proportion() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert percentile([float(number) for number in range(101)], 0.95) == 95.0
    assert percentile([7.0], 0.95) == 7.0
    assert percentile([], 0.5) == 0.0
    assert mean([]) == 0.0
