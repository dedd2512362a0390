"""Intervals and significance: known answers, symmetry, and the same figures for the same seed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.errors import InvalidArgument
from octavo.evaluation.significance import bootstrap, compare, randomisation

SHARES = st.floats(0.0, 1.0, allow_nan=False)


def test_an_interval_holds_the_mean_and_is_the_same_for_the_same_seed() -> None:
    values = [number / 100 for number in range(100)]
    interval = bootstrap(values, seed=3)
    assert interval == bootstrap(values, seed=3)
    assert interval != bootstrap(values, seed=4)
    assert interval.low < interval.mean < interval.high
    # The standard error of this mean is 0.0289, and a normal interval has ±1.96 of it.
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.0289, rel=0.05)


def test_constant_values_have_no_width_and_no_values_have_no_interval() -> None:
    interval = bootstrap([0.5] * 20)
    assert (interval.mean, interval.low, interval.high) == (0.5, 0.5, 0.5)
    assert bootstrap([]).mean == 0.0


def test_the_randomisation_test_agrees_with_counting_every_assignment() -> None:
    moved = [0.5, 0.25, -0.125, 0.375, 0.0625, 0.3125, 0.4375, -0.1875]
    observed = abs(sum(moved))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, moved, strict=True))) for signs in product((1, -1), repeat=8)
    ]
    exact = sum(one >= observed for one in sums) / len(sums)
    assert randomisation([0.0] * 8, moved) == pytest.approx(exact, abs=0.01)


def test_no_difference_is_never_significant_and_a_steady_one_is() -> None:
    assert randomisation([0.3, 0.4], [0.3, 0.4]) == 1.0
    assert randomisation([], []) == 1.0
    assert randomisation([0.5] * 40, [0.6] * 40) < 0.001
    assert randomisation([0.5] * 40, [0.6 if number % 2 else 0.4 for number in range(40)]) == 1.0


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=30))
def test_the_test_has_no_side(pairs: list[tuple[float, float]]) -> None:
    before, after = [one for one, _ in pairs], [one for _, one in pairs]
    assert 0.0 < randomisation(before, after) <= 1.0
    assert randomisation(before, after) == randomisation(after, before)


def test_only_questions_of_both_runs_are_compared() -> None:
    before = {"ndcg@10": {"a": 0.2, "b": 0.4, "gone": 1.0}}
    after = {"ndcg@10": {"a": 0.4, "b": 0.6, "new": 0.0}, "map": {"a": 1.0}}
    (difference,) = compare(before, after)
    assert difference.measure == "ndcg@10"
    assert difference.questions == 2
    assert (difference.before, difference.after) == (pytest.approx(0.3), pytest.approx(0.5))
    assert difference.change == pytest.approx(0.2)
    assert difference.interval.mean == pytest.approx(0.2)
    assert not difference.significant


def test_runs_without_a_common_question_cannot_be_compared() -> None:
    with pytest.raises(InvalidArgument):
        compare({"map": {"a": 1.0}}, {"map": {"b": 1.0}})
