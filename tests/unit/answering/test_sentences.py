"""Sentences of a passage: whole ones, with their exact places."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.answering.sentences import sentences


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
        ("> [!warning] Mind the step\n> It is high\n> and wet.\n", ["It is high and wet."]),
        ("ドームは閉じます。湿度が高い。", ["ドームは閉じます。", "湿度が高い。"]),
        ("", []),
        ("***\n\n---\n", []),
    ],
)
def test_a_text_is_cut_into_its_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


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
