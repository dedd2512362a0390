"""Measures of a ranking against numbers worked out by hand."""

from __future__ import annotations

import doctest
from math import log2

import pytest

from recto.algorithms import metrics
from recto.algorithms.metrics import mrr_at, ndcg_at, recall_at

RELEVANCE = {"a": 3, "b": 2, "c": 1, "d": 0}


def test_the_worked_examples_hold() -> None:
    assert doctest.testmod(metrics).failed == 0


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
    assert mrr_at(["x", "d", "c", "a"], RELEVANCE, 10) == pytest.approx(1 / 3)
    assert mrr_at(["x", "d", "c", "a"], RELEVANCE, 2) == 0.0


def test_an_item_repeated_counts_once() -> None:
    assert ndcg_at(["a", "a", "b", "c"], RELEVANCE, 10) == 1.0
    assert recall_at(["a", "a", "b"], RELEVANCE, 2) == pytest.approx(2 / 3)


@pytest.mark.parametrize("measure", [ndcg_at, recall_at, mrr_at])
def test_nothing_relevant_or_nothing_found_scores_zero(measure: object) -> None:
    assert callable(measure)
    assert measure(["a"], {}, 10) == 0.0
    assert measure([], RELEVANCE, 10) == 0.0
