"""A property of the front matter: set, replaced, removed, and every other line as it was."""

from __future__ import annotations

import pytest

from octavo.errors import InvalidArgument
from octavo.writing.outline import outline
from octavo.writing.property import Value, set_property

NOTE = (
    '\ufeff---\r\n# first\r\ntitle: "A"   # why\r\ntags:\r\n  - a\r\n\r\n  - b\r\n'
    "# last\r\ndate: 2024-01-01\r\n---\r\n# H\r\n"
)


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("title", "B: c", 'title: "A"   # why', 'title: "B: c"'),
        ("title", "plain words", 'title: "A"   # why', "title: plain words"),
        ("title", "yes", 'title: "A"   # why', 'title: "yes"'),
        ("title", "3", 'title: "A"   # why', 'title: "3"'),
        ("title", 3, 'title: "A"   # why', "title: 3"),
        ("title", True, 'title: "A"   # why', "title: true"),
        ("title", None, 'title: "A"   # why', "title:"),
        ("date", "2024-05-01", "date: 2024-01-01", "date: 2024-05-01"),
        ("tags", ("x", 1), "tags:\r\n  - a\r\n\r\n  - b", "tags:\r\n  - x\r\n  - 1"),
        ("tags", (), "tags:\r\n  - a\r\n\r\n  - b", "tags: []"),
        ("new", "text", "date: 2024-01-01", "date: 2024-01-01\r\nnew: text"),
    ],
)
def test_a_property_is_set_with_its_type_and_nothing_else_changes(key: str, value: Value, old: str, new: str) -> None:
    assert set_property(outline(NOTE), key, value).text == NOTE.replace(old, new)


def test_a_property_is_removed_with_all_its_lines() -> None:
    assert set_property(outline(NOTE), "tags", None, remove=True).text == NOTE.replace(
        "tags:\r\n  - a\r\n\r\n  - b\r\n", ""
    )
    assert set_property(outline(NOTE), "gone", None, remove=True).text == NOTE


def test_front_matter_is_made_where_there_is_none() -> None:
    assert set_property(outline("# H\n"), "a", "b").text == "---\na: b\n---\n# H\n"
    assert set_property(outline("\ufeff# H\r\n"), "a", "b").text == "\ufeff---\r\na: b\r\n---\r\n# H\r\n"
    assert set_property(outline("---\n---\n"), "a", "b").text == "---\na: b\n---\n"


def test_front_matter_that_cannot_be_read_and_names_that_are_none_are_refused() -> None:
    for text in ("---\na: [\n---\n", "---\n- a\n---\n"):
        with pytest.raises(InvalidArgument):
            set_property(outline(text), "b", "c")
    for key in ("", "a: b", " a", "a\nb", "#a"):
        with pytest.raises(InvalidArgument):
            set_property(outline(NOTE), key, "c")
