"""Sentences of a passage: whole ones, with their exact places."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.answering.sentence_splitting import above, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It closes at 85 %. It opens by hand.", ["It closes at 85 %.", "It opens by hand."]),
        ("Dr. Osei saw it, e.g. in May. J. Smith did not.", ["Dr. Osei saw it, e.g. in May.", "J. Smith did not."]),
        ("Version 3.2 fixes it. Done", ["Version 3.2 fixes it.", "Done"]),
        ("# Title\n\nSome text\nover two lines.\n", ["Some text over two lines."]),
        ("Title\n=====\nText.\n", ["Text."]),
        ("- first item\n- second item. And more.\n1. third\n", ["first item", "second item.", "And more.", "third"]),
        ("Before.\n```py\nx = 1. Not this.\n```\nAfter.\n", ["Before.", "After."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", ["| a | b |", "| 1 | 2 |"]),
        ("- `ETag`\n  - : A version.\n", ["`ETag`", "A version."]),
        ("Almanac\n\n: A book of days.\n", ["Almanac", "A book of days."]),
        ("# Server\n#homelab #server/backup\nIt runs at night.\n", ["It runs at night."]),
        ("It is in\n#homelab\nand #3 of two.\n#3\nMore.\n", ["It is in", "and #3 of two.", "#3 More."]),
        ("> [!warning] Mind the step\n> It is high\n> and wet.\n", ["It is high and wet."]),
        ("ドームは閉じます。湿度が高い。", ["ドームは閉じます。", "湿度が高い。"]),
        ("", []),
        ("***\n\n---\n", []),
    ],
)
def test_a_text_is_cut_into_its_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "sentence", "expected"),
    [
        ("1. Open Settings\n   - Appearance\n     - Fonts\n", "Fonts", "Appearance"),
        ("1. Open Settings\n\n   It is at the left.\n\n   - Appearance\n", "Appearance", "Open Settings"),
        ("To wash it, you need:\n\n- a hose\n- a brush\n", "a brush", "To wash it, you need:"),
        ("It rains. Close:\n- the dome\n", "the dome", "Close:"),
        ("It rains.\n\n- the dome\n", "the dome", ""),
        ("You need:\n\n# Other\n- the dome\n", "the dome", ""),
        ("- first\n- second\n", "second", ""),
        ("| key | held by |\n|---|---|\n| 1 | Marit |\n", "| 1 |", "| key | held by |"),
        ("| key | held by |\n|---|---|\n", "| key", ""),
        ("Running text. And more.", "And", ""),
        ("---\naliases:\n- a dome\n---\nIt rains.\n", "It", ""),
    ],
)
def test_an_item_and_a_row_are_understood_by_what_stands_above_them(text: str, sentence: str, expected: str) -> None:
    assert above(text, text.index(sentence)) == expected


@given(st.text(alphabet="aB .:!?\n#>-|`1", max_size=200), st.integers(0, 200))
def test_what_stands_above_is_on_one_line(text: str, at: int) -> None:
    assert "\n" not in above(text, min(at, len(text)))


@given(st.text(alphabet="aB .!?\n#>-|`1。", max_size=200), st.integers(0, 1_000))
def test_spans_are_exact_in_order_and_do_not_overlap(text: str, offset: int) -> None:
    found = sentences(text, offset)
    last = offset
    for sentence in found:
        assert last <= sentence.span.start < sentence.span.end <= offset + len(text)
        last = sentence.span.end
        exact = text[sentence.span.start - offset : sentence.span.end - offset]
        assert exact == exact.strip()
        assert sentence.text.replace(" ", "") == "".join(re.sub(r"\n[ ]*(?:>[ ]?)+", "\n", exact).split())
