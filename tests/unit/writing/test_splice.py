"""A text with a part replaced is read like its copy, which is made only when it is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.note_editing.spliced_text import Splice, Spliced

TEXTS = st.text("a\nü日\r", max_size=12)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.lists(st.integers(0, 14), min_size=6, max_size=6), st.data())
def test_parts_and_places_are_those_of_the_whole_text(
    old: str, puts: list[str], places: list[int], data: st.DataObject
) -> None:
    bounds = sorted(min(place, len(old)) for place in places)
    splices = tuple(Splice(bounds[2 * n], bounds[2 * n + 1], put) for n, put in enumerate(puts))
    spliced = Spliced(old, splices)
    whole, kept, done = "", {}, 0
    for start, end, put in splices:
        kept |= {place: len(whole) + place - done for place in range(done, start)}
        whole, done = whole + old[done:start] + put, end
    kept |= {place: len(whole) + place - done for place in range(done, len(old))}
    whole += old[done:]
    begin, stop = sorted(data.draw(st.integers(0, len(whole))) for _ in range(2))
    assert (spliced.text, len(spliced)) == (whole, len(whole))
    assert spliced.part(begin, stop) == whole[begin:stop]
    assert {place: spliced.place(place) for place in kept} == kept
    for (start, end, put), change in zip(splices, spliced.differences, strict=True):
        assert old.encode()[change.start : change.end].decode() == old[start:end]
        assert whole.encode()[change.new_start : change.new_end].decode() == put
