"""Batches: every place once, sorted by length, within their limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.embedding.onnxruntime_loading import plan


@given(st.lists(st.integers(1, 300)), st.integers(1, 1000), st.integers(1, 8))
def test_every_place_is_in_one_batch_and_batches_keep_their_limits(
    lengths: list[int], max_tokens: int, max_texts: int
) -> None:
    batches = plan(lengths, max_tokens, max_texts)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * max(lengths[place] for place in batch)
        assert 1 <= len(batch) <= max_texts
        assert padded <= max_tokens or len(batch) == 1


@given(st.lists(st.integers(1, 300)))
def test_batches_run_from_the_longest_text_to_the_shortest(lengths: list[int]) -> None:
    order = [lengths[place] for batch in plan(lengths, 512, 8) for place in batch]
    assert order == sorted(lengths, reverse=True)


def test_equal_lengths_keep_the_order_they_came_in() -> None:
    assert plan([5, 7, 5, 5], 10, 8) == ((1,), (0, 2), (3,))
