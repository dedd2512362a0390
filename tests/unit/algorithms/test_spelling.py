"""Words like another, by index and by trying all."""

from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from recto.algorithms import spelling
from recto.algorithms.spelling import Vocabulary, nearest_spelling, similar_by_trying_all

WORDS = st.text("abcé日\U0001f600", max_size=6)


@given(st.lists(WORDS, max_size=12), WORDS, st.integers(0, 12))
def test_the_index_finds_what_trying_all_finds(words: list[str], word: str, limit: int) -> None:
    assert Vocabulary(words).similar(word, limit) == similar_by_trying_all(words, word, limit)


def test_the_fewest_edits_win_and_too_many_are_none() -> None:
    assert doctest.testmod(spelling).failed == 0
    assert nearest_spelling("abcd", ["abdc", "abcx"], 1) == "abdc"
    assert nearest_spelling("abcd", ["wxyz"], 2) is None
    assert nearest_spelling("abcd", [], 2) is None
