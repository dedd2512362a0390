"""When two scores are equal."""

from __future__ import annotations

import doctest
import random
from math import ulp

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.model import score_rounding
from octavo.model.ids import ChunkKey
from octavo.model.score_rounding import just_below, rounded
from octavo.model.search_result import ScoredChunk, best_first

finite = st.floats(-1e6, 1e6)


def test_the_worked_examples_hold() -> None:
    assert doctest.testmod(score_rounding).failed == 0


@given(finite)
def test_rounding_a_rounded_score_changes_nothing(score: float) -> None:
    assert rounded(rounded(score)) == rounded(score)
    assert abs(rounded(score) - score) <= max(abs(score) * 2.0**-24, 2.0**-41)


@given(finite, finite)
def test_rounding_never_turns_an_order_round(one: float, other: float) -> None:
    assert rounded(min(one, other)) <= rounded(max(one, other))


@given(st.lists(finite, max_size=20))
def test_an_array_is_rounded_as_its_numbers_are(several: list[float]) -> None:
    assert rounded(np.array(several, dtype=np.float64)).tolist() == [rounded(score) for score in several]


@given(finite)
def test_what_is_just_below_stands_after_and_is_hardly_less(score: float) -> None:
    below = just_below(score)
    assert below == rounded(below) < rounded(score)
    assert rounded(score) - below <= max(abs(score) * 1e-6, 1e-11)


def test_a_few_last_bits_more_or_less_are_the_same_score() -> None:
    draw = random.Random(1)
    for _ in range(20_000):
        score = draw.choice((1e-6, 1.0, 40.0)) * draw.random()
        assert rounded(score + draw.randint(-8, 8) * ulp(score)) == rounded(score)


def test_what_should_cancel_out_is_zero() -> None:
    draw = random.Random(2)
    for _ in range(1_000):
        terms = [draw.uniform(-3, 3) for _ in range(10)]
        total = 0.0
        for term in (*terms, *(-term for term in draw.sample(terms, len(terms)))):
            total += term
        assert rounded(total) == 0.0


def test_chunks_whose_scores_differ_in_the_last_bits_come_by_their_keys() -> None:
    first, second, third = ChunkKey(1), ChunkKey(2), ChunkKey(3)
    noisy = [(third, 0.3), (second, 0.1 + 0.2), (first, 0.25), (ChunkKey(4), 0.5)]
    assert best_first(noisy, 3) == (
        ScoredChunk(ChunkKey(4), 0.5),
        ScoredChunk(second, rounded(0.3)),
        ScoredChunk(third, rounded(0.3)),
    )
