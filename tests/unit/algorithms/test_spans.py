"""Merging spans."""

from __future__ import annotations

import doctest
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.algorithms import spans
from recto.algorithms.spans import merge_spans
from recto.model.text import Span

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda pair: Span(pair[0], sum(pair))))


def test_the_worked_example_holds() -> None:
    assert doctest.testmod(spans).failed == 0


@pytest.mark.parametrize(
    ("given_spans", "gap", "merged"),
    [
        ([], 0, []),
        ([Span(3, 5)], 0, [Span(3, 5)]),
        ([Span(0, 5), Span(5, 9)], 0, [Span(0, 9)]),
        ([Span(0, 5), Span(6, 9)], 0, [Span(0, 5), Span(6, 9)]),
        ([Span(0, 5), Span(6, 9)], 1, [Span(0, 9)]),
        ([Span(0, 20), Span(3, 5), Span(18, 22)], 0, [Span(0, 22)]),
    ],
)
def test_spans_that_touch_or_nearly_touch_become_one(given_spans: list[Span], gap: int, merged: list[Span]) -> None:
    assert merge_spans(given_spans, gap) == merged


@given(SPANS, st.integers(0, 5))
def test_merged_spans_are_in_order_and_further_apart_than_the_gap(given_spans: list[Span], gap: int) -> None:
    merged = merge_spans(given_spans, gap)
    assert all(after.start - before.end > gap for before, after in pairwise(merged))
    assert merge_spans(merged, gap) == merged


@given(SPANS, st.integers(0, 5))
def test_merging_loses_no_character(given_spans: list[Span], gap: int) -> None:
    covered = {i for span in merge_spans(given_spans, gap) for i in range(span.start, span.end)}
    assert covered >= {i for span in given_spans for i in range(span.start, span.end)}
