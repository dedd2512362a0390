"""A property of the front matter: set, replaced, removed, and every other line as it was."""

from __future__ import annotations

import pytest

from octavo.errors import InvalidArgument
from octavo.note_editing.front_matter_property_edits import Value, set_property
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.parsing.markdown.front_matter_parsing import front_matter

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
    assert set_property(NoteOutline(NOTE), key, value).text == NOTE.replace(old, new)


def test_a_property_is_removed_with_all_its_lines() -> None:
    assert set_property(NoteOutline(NOTE), "tags", None, remove=True).text == NOTE.replace(
        "tags:\r\n  - a\r\n\r\n  - b\r\n", ""
    )
    assert set_property(NoteOutline(NOTE), "gone", None, remove=True).text == NOTE


def test_front_matter_is_made_where_there_is_none() -> None:
    assert set_property(NoteOutline("# H\n"), "a", "b").text == "---\na: b\n---\n# H\n"
    assert set_property(NoteOutline("\ufeff# H\r\n"), "a", "b").text == "\ufeff---\r\na: b\r\n---\r\n# H\r\n"
    assert set_property(NoteOutline("---\n---\n"), "a", "b").text == "---\na: b\n---\n"


def test_front_matter_that_cannot_be_read_and_names_that_are_none_are_refused() -> None:
    for text in ("---\na: [\n---\n", "---\n- a\n---\n"):
        with pytest.raises(InvalidArgument):
            set_property(NoteOutline(text), "b", "c")
    for key in ("", "a: b", " a", "a\nb", "#a"):
        with pytest.raises(InvalidArgument):
            set_property(NoteOutline(NOTE), key, "c")


@pytest.mark.parametrize(
    "value",
    [
        "a\0b",
        "\x1b[31m",
        "a\x7f",
        "a\x85b",
        "a\u2028b",
        "a\u2029b",
        "\ufeffa",
        "a\tb",
        "a\nb",
        "😀",
        "on",
        0.1 + 0.2,
        10**20,
        ("a\u2028", "b: c", 1),
    ],
)
def test_every_value_reads_as_it_was_given(value: Value) -> None:
    for text in ("# H\n", "---\nb: 1\n---\n# H\n"):
        found = front_matter(set_property(NoteOutline(text), "a", value).text)
        read = found.data["a"]
        assert found.warnings == ()
        assert (float(read) if isinstance(value, float) else int(read) if isinstance(value, int) else read) == (
            list(value) if isinstance(value, tuple) else value
        )


def test_of_a_property_that_is_written_twice_the_one_that_counts_is_set_and_both_are_removed() -> None:
    twice = NoteOutline("---\na: 1\nb: 2\n'a': 3\n---\n")
    assert set_property(twice, "a", 4).text == "---\na: 1\nb: 2\na: 4\n---\n"
    assert set_property(twice, "a", None, remove=True).text == "---\nb: 2\n---\n"
    with pytest.raises(InvalidArgument, match="would not read"):
        set_property(NoteOutline("---\n? a\n: 1\n---\n"), "a", None, remove=True)


@pytest.mark.parametrize("front", ["+++\na = 1\n+++\n", '{\n  "a": 1\n}\n', "\ufeff+++\r\na = 1\r\n+++\r\n"])
@pytest.mark.parametrize("remove", [True, False])
def test_front_matter_of_another_language_gets_no_second_one_above_it(front: str, remove: bool) -> None:
    with pytest.raises(InvalidArgument, match="only YAML"):
        set_property(NoteOutline(front + "# H\n"), "a", "b", remove=remove)


def test_a_name_that_is_a_word_of_yaml_is_quoted() -> None:
    assert set_property(NoteOutline("# H\n"), "true", "b").text == '---\n"true": b\n---\n# H\n'
