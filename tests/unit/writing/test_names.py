"""File names that every system can hold and every link can name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import InvalidArgument
from octavo.note_editing.new_and_daily_notes import safe_folder, safe_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Meeting with Ann", "Meeting with Ann"),
        ('A/B: what? <now> | "yes" *', "A B what now yes"),
        ("Ärger im Büro", "Ärger im Büro"),
        ("A\u0308rger", "Ärger"),
        ("C# and [[links]]^1", "C and links 1"),
        ("..hidden. .", "hidden"),
        ("ends with dots...", "ends with dots"),
        ("con", "con_"),
        ("Aux.txt", "Aux_.txt"),
        ("LPT1", "LPT1_"),
        ("console", "console"),
        ("a\tb\nc", "a b c"),
        ("x" * 400, "x" * 200),
        ("日" * 400, "日" * 66),
    ],
)
def test_a_title_becomes_a_name_that_is_safe_everywhere(title: str, name: str) -> None:
    assert safe_name(title) == name


@pytest.mark.parametrize("title", ["", "...", "///", "?*", " . "])
def test_a_title_without_anything_to_name_is_refused(title: str) -> None:
    with pytest.raises(InvalidArgument):
        safe_name(title)


def test_a_folder_is_made_of_safe_names_and_stays_inside() -> None:
    assert safe_folder("/a//b: c/./con/") == "a/b c/con_"
    assert safe_folder("") == ""
    with pytest.raises(InvalidArgument):
        safe_folder("a/../..")


@given(st.text(max_size=300))
def test_a_safe_name_is_its_own_safe_name(title: str) -> None:
    try:
        name = safe_name(title)
    except InvalidArgument:
        return
    assert safe_name(name) == name
    assert not set(name) & set('<>:"/\\|?*#^[]') and not name.startswith(".") and not name.endswith((".", " "))
    assert len(name.encode()) <= 201
