"""Words like another, by index and by trying all."""

from __future__ import annotations

import doctest
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.queries import spelling_suggestions
from octavo.algorithms.queries.spelling_suggestions import Vocabulary, nearest_spelling
from octavo.algorithms.text.text_similarity import trigrams
from octavo.algorithms.text.word_shingles import jaccard

WORDS = st.text("abcé日\U0001f600", max_size=6)


def similar_by_trying_all(words: Iterable[str], word: str, limit: int) -> list[str]:
    """The answer by the definition."""
    mine = trigrams(word)
    scored = sorted((-jaccard(mine, trigrams(known)), known) for known in set(words))
    return [known for likeness, known in scored if likeness][:limit]


@given(st.lists(WORDS, max_size=12), WORDS, st.integers(0, 12))
def test_the_index_finds_what_trying_all_finds(words: list[str], word: str, limit: int) -> None:
    assert Vocabulary(words).similar(word, limit) == similar_by_trying_all(words, word, limit)


def test_the_fewest_edits_win_and_too_many_are_none() -> None:
    assert doctest.testmod(spelling_suggestions).failed == 0
    assert nearest_spelling("abcd", ["abdc", "abcx"], 1) == "abdc"
    assert nearest_spelling("abcd", ["wxyz"], 2) is None
    assert nearest_spelling("abcd", [], 2) is None
