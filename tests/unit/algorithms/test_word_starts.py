"""Which roots the words of a text begin with."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.queries.longest_word_root_matching import WordStarts

_LETTERS = "abß1_ -.日本é"


@given(
    st.text(_LETTERS, max_size=40),
    st.frozensets(st.text(_LETTERS, min_size=1, max_size=4).filter(str.isalnum), min_size=1),
)
def test_the_roots_are_those_that_an_alternation_at_the_start_of_words_finds(text: str, roots: frozenset[str]) -> None:
    longest_first = sorted(roots, key=lambda root: (-len(root), root))
    assert WordStarts(roots).findall(text) == re.findall(rf"(?<![^\W_])(?:{'|'.join(longest_first)})", text)
