"""Headings are CommonMark's, outside quotes and lists, wherever a file's oddities put them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import NotFound
from octavo.note_editing.note_heading_outline import ROOT, NoteOutline, parents


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A #\n## B ##  \n### C#\n#### D \\#\n", [(1, "A"), (2, "B"), (3, "C#"), (4, "D \\#")]),
        ("   # A\n    # code\n\t# code\n", [(1, "A")]),
        ("# A\n\n    # code\n\n\t# code\n", [(1, "A")]),
        ("para\n    # continues\n", []),
        ("#\n## \n###\t\n", [(1, ""), (2, ""), (3, "")]),
        ("#A\n####### B\n\\# C\n", []),
        ("A\n=\nB\n---\n", [(1, "A"), (2, "B")]),
        ("A\nsecond line  \n   third\n===\n", [(1, "A second line third")]),
        ("A\n\n===\n", []),
        ("- A\n===\n", []),
        ("> A\n===\n", []),
        ("[a]: /x\n===\n", []),
        ("[a]: /x\nB\n===\n", [(1, "B")]),
        ("- item\n\n  # in\n\n# out\n", [(1, "out")]),
        ("- item\n# out\n", [(1, "out")]),
        ("1. item\n   # in\n\n   more\n# out\n", [(1, "out")]),
        ("> # in\nlazy\n# out\n", [(1, "out")]),
        ("```\n# no\n```\n# yes\n", [(1, "yes")]),
        ("````\n```\n# no\n````\n# yes\n", [(1, "yes")]),
        ("~~~ x\n# no\n```\n~~~~\n# yes\n", [(1, "yes")]),
        ("```\n# no\n", []),
        ("``` `\n# yes\n", [(1, "yes")]),
        ("<!--\n# no\n\n# no\n--> \n# yes\n", [(1, "yes")]),
        ("<script>\n# no\n\n# no\n</script>\n# yes\n", [(1, "yes")]),
        ("<pre>\n# no\n\n# no\n</pre>\n# yes\n", [(1, "yes")]),
        ("<?php\n\n# no\n?>\n# yes\n", [(1, "yes")]),
        ("<!DOCTYPE\n\n# no\n>\n# yes\n", [(1, "yes")]),
        ("<![CDATA[\n\n# no\n]]>\n# yes\n", [(1, "yes")]),
        ("<div>\n# no\n\n# yes\n</div>\n", [(1, "yes")]),
        ("<x-y>\n# no\n\n# yes\n", [(1, "yes")]),
        ("text <!--\n# yes\n-->\n", [(1, "yes")]),
        ("---\n# no\n---\n# yes\n", [(1, "yes")]),
        ("---\n# no\n...\n# yes\n", [(1, "yes")]),
        ("---\nnot: closed\n# yes\n", [(1, "yes")]),
        ("\n---\n# yes\n---\n", [(1, "yes")]),
        ("\ufeff---\n# no\n---\n# yes\n", [(1, "yes")]),
        ("\ufeff# yes\n", [(1, "yes")]),
        ("A\r\n===\r\n\r\n## B ##\r\n", [(1, "A"), (2, "B")]),
        ("---\r\n# no\r\n---\r\n# yes\r\n", [(1, "yes")]),
        ("# A\r# B\n", [(1, "A\r# B")]),
        ("# A", [(1, "A")]),
        ("A\n---", [(2, "A")]),
        ("# a\u00a0\n", [(1, "a\u00a0")]),
    ],
)
def test_headings_are_commonmarks(text: str, headings: list[tuple[int, str]]) -> None:
    assert [(heading.level, heading.text) for heading in NoteOutline(text).headings] == headings


def test_a_parent_is_the_nearest_earlier_heading_of_a_lower_level() -> None:
    found = NoteOutline("### X\n## Y\n# A\n### C\n#### D\n## B\n### E\n# Z\n")
    assert [found.path(number) for number in range(8)] == [
        ("X",),
        ("Y",),
        ("A",),
        ("A", "C"),
        ("A", "C", "D"),
        ("A", "B"),
        ("A", "B", "E"),
        ("Z",),
    ]


def test_a_section_reaches_to_the_next_heading_of_its_level_and_its_body_to_the_next_of_any() -> None:
    text = "# A\na\n## B\nb\n# C\n"
    found = NoteOutline(text)
    assert text[found.headings[0].start : found.section_end(0)] == "# A\na\n## B\nb\n"
    assert text[found.headings[0].start : found.body_end(0)] == "# A\na\n"
    assert found.section_end(2) == len(text)


@given(st.lists(st.integers(1, 6), max_size=30))
def test_parents_of_any_levels_are_the_nearest_lower_ones_before_them(levels: list[int]) -> None:
    def nearest(number: int) -> int:
        return next((other for other in reversed(range(number)) if levels[other] < levels[number]), ROOT)

    assert parents(levels) == [nearest(number) for number in range(len(levels))]


@given(st.text("aZ9 ,.()'/-*_", min_size=1, max_size=20))
def test_a_heading_is_named_by_its_text_and_by_what_outlines_show(text: str) -> None:
    for heading in NoteOutline(f"# {text}\n").headings:
        assert heading.named(heading.text) and heading.named(heading.shown)


def test_a_section_is_found_by_its_own_title_where_no_other_has_it() -> None:
    outline = NoteOutline("# Boiler\n\n## Maintenance\n\n## Parts\n\n# Pump\n\n## Parts\n")
    assert outline.path(outline.find(["Maintenance"])) == ("Boiler", "Maintenance")
    with pytest.raises(NotFound, match="there is no section Parts"):
        outline.find(["Parts"])
