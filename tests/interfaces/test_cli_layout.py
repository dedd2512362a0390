"""Text made harmless, measured and wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.interfaces.presenting.excerpt_selection_and_wrapping import wrapped
from octavo.operations.styled_answer_lines import Part, cells, columns, count, duration, size, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("with spaces and ünïcödé", "with spaces and ünïcödé"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines", "two\\nlines"),
        ("\u009b2J", "\\x9b2J"),
        ("gnp.\u202egpj", "gnp.\\u202egpj"),
        ("half \ud83d", "half \\ud83d"),
        ("👩‍🌾", "👩‍🌾"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_a_terminal_obeys_survives(text: str) -> None:
    shown = visible(text)
    assert not any(ord(one) < 32 or 127 <= ord(one) < 160 or 0xD800 <= ord(one) < 0xE000 for one in shown)
    assert visible(shown) == shown


def test_line_ends_survive_where_they_are_wanted() -> None:
    assert visible("a\nb\x07", keep="\n") == "a\nb\\x07"


def test_wide_characters_take_two_cells_and_combining_ones_none() -> None:
    assert [cells(text) for text in ("abc", "東京", "e\u0301", "")] == [3, 4, 1, 0]


def lines_of(text: str, width: int) -> list[str]:
    return [" " * line.indent + text[line.start : line.end] for line in wrapped(text, width)]


def test_text_wraps_between_words_and_keeps_its_indentation() -> None:
    assert lines_of("one two three\n  four", 8) == ["one two", "three", "  four"]


def test_what_continues_a_list_item_hangs_below_its_text() -> None:
    assert lines_of("- one two three", 9) == ["- one two", "  three"]
    assert lines_of("10. one two", 8) == ["10. one", "    two"]


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert lines_of("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert lines_of("東京都庁", 5) == ["東京", "都庁"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n")), st.integers(2, 30))
def test_wrapping_loses_only_space_and_stays_within_the_width(text: str, width: int) -> None:
    lines = lines_of(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cells(line) <= width for line in lines)


def test_columns_line_up_by_cells() -> None:
    rows = [(Part("a"), Part("x")), (Part("東京"), Part("y"))]
    assert ["".join(part.text for part in line) for line in columns(rows)] == ["a     x", "東京  y"]


def test_figures_read_as_people_write_them() -> None:
    assert [count(1, "file"), count(1204, "file"), count(0, "match", "matches")] == [
        "1 file",
        "1,204 files",
        "0 matches",
    ]
    assert [size(0), size(999), size(1500), size(123_456_789)] == ["0 B", "999 B", "1.5 kB", "123 MB"]
    assert [duration(0.0123), duration(2.34), duration(250)] == ["12 ms", "2.3 s", "4 min 10 s"]
