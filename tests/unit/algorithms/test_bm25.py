"""MaxScore gives the best of BM25 exactly, and BM25 is what the formula says."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.algorithms.ranking.bm25 import K1, B, Lengths, Postings, best, idf


def test_a_worked_example() -> None:
    """Two rows of four tokens; the second holds the term three times in a field with boost 2: frequency 6."""
    lengths = Lengths.of(np.array([4, 4], dtype=np.int32), 4.0)
    postings = Postings(np.array([1], dtype=np.int32), np.array([12], dtype=np.uint16))
    rows, scores = best([(log(2.0), postings)], lengths, 10)
    assert rows.tolist() == [1]
    assert scores[0] == pytest.approx(log(2.0) * 6 * 2.2 / (6 + 1.2))


def test_a_term_that_most_rows_hold_still_counts_a_little() -> None:
    assert idf(10, 1) == pytest.approx(log(9.5 / 1.5))
    assert idf(10, 9) == 1e-6


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 12), st.sampled_from([None, 0.1, 0.6]))
def test_the_best_are_those_that_scoring_every_row_finds(
    seed: int, terms: int, limit: int, share: float | None
) -> None:
    chance = np.random.default_rng(seed)
    count = int(chance.integers(1, 400))
    tokens = chance.integers(1, 60, count).astype(np.int32)
    lengths = Lengths.of(tokens, float(tokens.mean()))
    asked = []
    for _ in range(terms):
        rows = np.flatnonzero(chance.random(count) < chance.choice([0.02, 0.2, 0.9])).astype(np.int32)
        asked.append((idf(count, len(rows)), Postings(rows, chance.integers(1, 30, len(rows)).astype(np.uint16))))
    admitted = None if share is None else chance.random(count) < share
    every = np.zeros(count)
    for weight, postings in asked:
        often = postings.halves / 2.0
        norm = K1 * (1.0 - B + B * tokens[postings.rows] / lengths.average)
        every[postings.rows] += weight * often * (K1 + 1.0) / (often + norm)
    if admitted is not None:
        every[~admitted] = 0.0
    rows, scores = best(asked, lengths, limit, admitted)
    wanted = np.sort(every[every > 0])[::-1][:limit]
    assert np.sort(scores)[::-1][:limit] == pytest.approx(wanted)
    assert scores == pytest.approx(every[rows])
