"""A text with a part replaced is read like its copy, which is made only when it is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.writing.spacing import Spliced, line_endings

TEXTS = st.text("a\nü日\r", max_size=12)


@given(TEXTS, TEXTS, st.tuples(*[st.integers(0, 14)] * 4))
def test_parts_and_lines_are_those_of_the_whole_text(old: str, put: str, places: tuple[int, int, int, int]) -> None:
    start, end = sorted(min(place, len(old)) for place in places[:2])
    spliced = Spliced(old, start, end, put)
    whole = old[:start] + put + old[end:]
    begin, stop = sorted(min(place, len(whole)) for place in places[2:])
    assert (spliced.text, len(spliced)) == (whole, len(whole))
    assert spliced.part(begin, stop) == whole[begin:stop]
    assert spliced.lines_before(stop) == whole[:stop].count("\n")


def test_lines_are_counted_across_what_is_looked_at_together() -> None:
    text = "日\n" * 40_000
    assert line_endings(text, 70_001) == 35_000
    assert line_endings(text.encode(), 160_000) == 40_000
