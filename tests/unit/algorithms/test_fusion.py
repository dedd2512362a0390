"""Fusion against numbers worked out by hand."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from math import sqrt

import pytest

from octavo.algorithms.ranking import reciprocal_rank_fusion, score_normalisation
from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.algorithms.ranking.score_normalisation import min_max, z_scores


def test_the_worked_examples_hold() -> None:
    assert doctest.testmod(reciprocal_rank_fusion).failed == 0
    assert doctest.testmod(score_normalisation).failed == 0


def test_z_scores_have_mean_zero_and_deviation_one() -> None:
    assert z_scores([1.0, 2.0, 3.0, 4.0]) == pytest.approx([x / sqrt(1.25) for x in (-1.5, -0.5, 0.5, 1.5)])


@pytest.mark.parametrize("values", [[0.1] * 3, [0.1 + 0.2] * 7, [5.0], [0.0, 0.0]])
def test_equal_scores_say_nothing_as_z_scores_and_are_all_best_by_min_max(values: list[float]) -> None:
    assert z_scores(values) == [0.0] * len(values)
    assert min_max(values) == [1.0] * len(values)


@pytest.mark.parametrize("normaliser", [z_scores, min_max])
def test_no_scores_normalise_to_no_scores(normaliser: Callable[[list[float]], list[float]]) -> None:
    assert normaliser([]) == []


def test_no_rankings_fuse_to_nothing() -> None:
    assert reciprocal_rank({}) == {}


def test_reciprocal_ranks_add_up_with_their_weights() -> None:
    fused = reciprocal_rank({"dense": [1, 2, 3], "lexical": [2, 4]}, {"dense": 0.7, "lexical": 0.3})
    assert fused == pytest.approx({2: 0.7 / 62 + 0.3 / 61, 1: 0.7 / 61, 3: 0.7 / 63, 4: 0.3 / 62})
    assert list(fused) == [2, 1, 3, 4]


def test_a_key_repeated_in_a_ranking_counts_once() -> None:
    assert reciprocal_rank({"dense": [7, 7, 8]}) == {7: 1 / 61, 8: 1 / 62}


def test_the_order_of_channels_changes_no_byte() -> None:
    rankings = {"a": [1, 2, 3], "b": [3, 2, 1], "c": [2, 1, 3]}
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    one = reciprocal_rank(rankings, weights)
    other = reciprocal_rank(dict(reversed(rankings.items())), weights)
    assert list(one.items()) == list(other.items())


def test_ties_are_broken_by_key() -> None:
    assert list(reciprocal_rank({"a": [9], "b": [3], "c": [5]})) == [3, 5, 9]
