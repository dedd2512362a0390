"""Measures of a ranking, against numbers worked out by hand and against those of trec_eval."""

from __future__ import annotations

import doctest
import json
from math import log2
from pathlib import Path
from struct import pack, unpack

import pytest

from octavo.algorithms.ranking import ranking_metrics
from octavo.algorithms.ranking.ranking_metrics import average_precision, ndcg_at, recall_at, reciprocal_rank_at

TREC_EVAL = Path(__file__).parents[2] / "golden" / "measures" / "trec_eval.json"
RELEVANCE = {"a": 3, "b": 2, "c": 1, "d": 0}


def test_the_worked_examples_hold() -> None:
    assert doctest.testmod(ranking_metrics).failed == 0


def test_the_ideal_order_has_an_ndcg_of_one() -> None:
    assert ndcg_at(["a", "b", "c", "x"], RELEVANCE, 10) == 1.0


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    ideal = 3 + 2 / log2(3) + 1 / 2
    assert ndcg_at(["x", "a", "d", "c"], RELEVANCE, 10) == pytest.approx((3 / log2(3) + 1 / log2(5)) / ideal)


def test_ndcg_looks_at_the_first_k_of_both_orders() -> None:
    assert ndcg_at(["b", "a"], RELEVANCE, 1) == pytest.approx(2 / 3)


def test_recall_counts_only_what_has_a_grade() -> None:
    assert recall_at(["a", "d", "x", "c"], RELEVANCE, 3) == pytest.approx(1 / 3)
    assert recall_at(["a", "d", "x", "c"], RELEVANCE, 4) == pytest.approx(2 / 3)


def test_the_reciprocal_rank_is_that_of_the_first_relevant_item() -> None:
    assert reciprocal_rank_at(["x", "d", "c", "a"], RELEVANCE, 10) == pytest.approx(1 / 3)
    assert reciprocal_rank_at(["x", "d", "c", "a"], RELEVANCE, 2) == 0.0


def test_an_item_repeated_counts_once() -> None:
    assert ndcg_at(["a", "a", "b", "c"], RELEVANCE, 10) == 1.0
    assert recall_at(["a", "a", "b"], RELEVANCE, 2) == pytest.approx(2 / 3)


def test_average_precision_is_the_mean_precision_at_the_ranks_of_relevant_items() -> None:
    assert average_precision(["x", "a", "d", "c"], RELEVANCE) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert average_precision(["c", "b", "a"], RELEVANCE) == 1.0


def test_a_negative_grade_is_no_worse_than_none() -> None:
    graded = {"a": 1, "b": -2}
    assert ndcg_at(["b", "a"], graded, 10) == ndcg_at(["x", "a"], {"a": 1}, 10)
    assert recall_at(["b", "a"], graded, 10) == average_precision(["a"], graded) == 1.0


def single(score: float) -> float:
    return float(unpack("f", pack("f", score))[0])


@pytest.mark.parametrize("case", json.loads(TREC_EVAL.read_text("utf-8"))["cases"], ids=lambda case: case["name"])
def test_the_values_are_those_of_trec_eval(case: dict[str, dict[str, float]]) -> None:
    # trec_eval keeps scores in single precision and breaks ties by id, the later one first.
    judged, scores = case["judged"], case["scores"]
    ranked = sorted(scores, key=lambda document: (single(scores[document]), document), reverse=True)
    assert case["values"] == pytest.approx(
        {
            "ndcg_cut_10": ndcg_at(ranked, judged, 10),
            "recall_10": recall_at(ranked, judged, 10),
            "recall_100": recall_at(ranked, judged, 100),
            "recip_rank": reciprocal_rank_at(ranked, judged, len(ranked)),
            "map": average_precision(ranked, judged),
        },
        rel=1e-14,
        abs=0,
    )


@pytest.mark.parametrize("measure", [ndcg_at, recall_at, reciprocal_rank_at])
def test_nothing_relevant_or_nothing_found_scores_zero(measure: object) -> None:
    assert callable(measure)
    assert measure(["a"], {}, 10) == 0.0
    assert measure([], RELEVANCE, 10) == 0.0
