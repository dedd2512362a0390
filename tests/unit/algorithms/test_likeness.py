"""Shingles, MinHash, trigrams and edits against their definitions."""

from __future__ import annotations

import doctest
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.algorithms import diversity, likeness
from recto.algorithms.likeness import by_minhash, by_shingles, edits, kept_first, shingles

WORDS = st.text("ab", max_size=5)


def test_the_worked_examples_hold() -> None:
    for module in (likeness, diversity):
        assert doctest.testmod(module).failed == 0


def test_a_short_text_is_one_shingle_and_an_empty_one_none() -> None:
    assert shingles("Two words", 3) == {"two words"}
    assert shingles("… !", 3) == frozenset()


def slow_edits(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    costs = [
        slow_edits(one[1:], other) + 1,
        slow_edits(one, other[1:]) + 1,
        slow_edits(one[1:], other[1:]) + (one[0] != other[0]),
    ]
    if one[:2] == other[1::-1] and len(one) > 1 and len(other) > 1:
        costs.append(slow_edits(one[2:], other[2:]) + 1)
    return min(costs)


@given(WORDS, WORDS, st.integers(0, 4))
def test_edits_agree_with_trying_everything(one: str, other: str, most: int) -> None:
    expected = slow_edits(one, other)
    assert edits(one, other, most) == (expected if expected <= most else None)


def test_the_estimate_is_near_the_exact_answer_and_always_the_same() -> None:
    pytest.importorskip("rensa")
    base = [f"word{number}" for number in range(200)]
    texts = [" ".join(base[: 200 - cut]) for cut in (0, 10, 50, 150)]
    exact, estimate = by_shingles(texts), by_minhash(texts, permutations=256)
    for i, j in product(range(4), repeat=2):
        assert estimate(i, j) == pytest.approx(exact(i, j), abs=0.15)
        assert by_minhash(texts, permutations=256)(i, j) == estimate(i, j)


def test_what_repeats_a_dropped_one_but_not_a_kept_one_stays() -> None:
    near = {(0, 1), (1, 2)}
    assert kept_first(3, lambda i, j: 1.0 if (i, j) in near else 0.0, 0.9) == [0, 0, 2]
