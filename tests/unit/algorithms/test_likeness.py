"""Shingles, MinHash, trigrams and edits against their definitions."""

from __future__ import annotations

import doctest
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.ranking import marginal_relevance
from octavo.algorithms.text import text_similarity
from octavo.algorithms.text.text_similarity import edits, jaccards, kept_first, minhash_jaccards
from octavo.algorithms.text.word_shingles import jaccard, shingles

WORDS = st.text("ab", max_size=5)


def test_the_worked_examples_hold() -> None:
    for module in (text_similarity, marginal_relevance):
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


@given(st.lists(st.text("ab ", max_size=12), max_size=6), st.integers(1, 3))
def test_all_similarities_at_once_are_those_of_each_pair(texts: list[str], size: int) -> None:
    sets = [shingles(text, size) for text in texts]
    found = jaccards(sets)
    for i, j in product(range(len(sets)), repeat=2):
        assert found[i][j] == pytest.approx(jaccard(sets[i], sets[j]), abs=1e-12)


def test_the_estimate_is_near_the_exact_answer_and_always_the_same() -> None:
    pytest.importorskip("rensa")
    base = [f"word{number}" for number in range(200)]
    sets = [*(shingles(" ".join(base[: 200 - cut])) for cut in (0, 10, 50, 150)), frozenset()]
    estimate = minhash_jaccards(sets, permutations=256)
    assert estimate == pytest.approx(jaccards(sets), abs=0.15)
    assert (estimate == minhash_jaccards(sets, permutations=256)).all()


def test_what_repeats_a_dropped_one_but_not_a_kept_one_stays() -> None:
    assert kept_first([[1, 1, 0], [1, 1, 1], [0, 1, 1]], 0.9) == [0, 0, 2]
