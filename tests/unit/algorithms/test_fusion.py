"""Fusion against numbers worked out by hand."""

from __future__ import annotations

import doctest
from math import sqrt

import pytest

from recto.algorithms import fusion
from recto.algorithms.fusion import Missing, min_max, over_best, reciprocal_rank, unchanged, weighted_sum, z_scores

DENSE = {1: 0.9, 2: 0.7, 3: 0.5}
LEXICAL = {2: 12.0, 4: 4.0}


def test_the_worked_examples_hold() -> None:
    assert doctest.testmod(fusion).failed == 0


def test_z_scores_have_mean_zero_and_deviation_one() -> None:
    assert z_scores([1.0, 2.0, 3.0, 4.0]) == pytest.approx([x / sqrt(1.25) for x in (-1.5, -0.5, 0.5, 1.5)])


@pytest.mark.parametrize("values", [[0.1] * 3, [0.1 + 0.2] * 7, [5.0], [0.0, 0.0]])
def test_equal_scores_say_nothing_as_z_scores_and_are_all_best_by_min_max(values: list[float]) -> None:
    assert z_scores(values) == [0.0] * len(values)
    assert min_max(values) == [1.0] * len(values)


def test_shares_of_the_best_need_a_positive_best() -> None:
    assert over_best([4.0, 1.0, -2.0]) == [1.0, 0.25, -0.5]
    assert over_best([0.0, -1.0]) == [0.0, 0.0]


@pytest.mark.parametrize("normaliser", [z_scores, min_max, over_best, unchanged])
def test_no_scores_normalise_to_no_scores(normaliser: fusion.Normaliser) -> None:
    assert normaliser([]) == []


def test_a_missing_score_counts_as_the_lowest_of_its_channel() -> None:
    # z of dense: ±sqrt(1.5) and 0; z of lexical: 1 and -1.
    high = sqrt(1.5)
    fused = weighted_sum({"dense": DENSE, "lexical": LEXICAL}, {"dense": 0.6, "lexical": 0.4}, z_scores)
    assert fused == pytest.approx({2: 0.6 * 0 + 0.4, 1: 0.6 * high - 0.4, 3: -0.6 * high - 0.4, 4: -0.6 * high - 0.4})
    assert list(fused) == [2, 1, 3, 4]


def test_a_missing_score_can_count_as_zero() -> None:
    weights = {"dense": 0.75, "lexical": 0.25}
    fused = weighted_sum({"dense": DENSE, "lexical": LEXICAL}, weights, over_best, Missing.ZERO)
    assert fused == pytest.approx({2: 0.75 * 7 / 9 + 0.25, 1: 0.75, 3: 0.75 * 5 / 9, 4: 0.25 / 3})


def test_a_channel_that_found_nothing_changes_no_order() -> None:
    assert weighted_sum({"dense": DENSE, "lexical": {}}, {"dense": 1.0, "lexical": 1.0}) == DENSE


def test_a_channel_without_a_weight_is_refused() -> None:
    with pytest.raises(KeyError, match="dense"):
        weighted_sum({"dense": DENSE}, {"lexical": 1.0})


def test_no_channels_fuse_to_nothing() -> None:
    assert weighted_sum({}, {}) == {}
    assert reciprocal_rank({}) == {}


def test_reciprocal_ranks_add_up_with_their_weights() -> None:
    fused = reciprocal_rank({"dense": [1, 2, 3], "lexical": [2, 4]}, {"dense": 0.7, "lexical": 0.3})
    assert fused == pytest.approx({2: 0.7 / 62 + 0.3 / 61, 1: 0.7 / 61, 3: 0.7 / 63, 4: 0.3 / 62})
    assert list(fused) == [2, 1, 3, 4]


def test_a_key_repeated_in_a_ranking_counts_once() -> None:
    assert reciprocal_rank({"dense": [7, 7, 8]}) == {7: 1 / 61, 8: 1 / 62}


def test_neither_the_order_of_channels_nor_of_keys_changes_the_bytes() -> None:
    a = {1: 0.1, 2: 0.7, 3: 0.2}
    b = {3: 0.3, 2: 0.1, 1: 0.6}
    c = {2: 0.2, 1: 0.3, 3: 0.5}
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    one = weighted_sum({"a": a, "b": b, "c": c}, weights, z_scores)
    other = weighted_sum(
        {"c": dict(reversed(c.items())), "a": dict(reversed(a.items())), "b": dict(reversed(b.items()))},
        weights,
        z_scores,
    )
    assert list(one.items()) == list(other.items())


def test_ties_are_broken_by_key() -> None:
    assert list(reciprocal_rank({"a": [9], "b": [3], "c": [5]})) == [3, 5, 9]
