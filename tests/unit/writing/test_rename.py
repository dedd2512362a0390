"""A heading gets another text, and nothing else changes."""

from __future__ import annotations

import pytest

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.note_editing.moves_and_renames import rename_heading
from octavo.note_editing.note_heading_outline import NoteOutline


@pytest.mark.parametrize(
    ("text", "path", "heading", "expected"),
    [
        ("# A\n\nx\n", ["A"], "B", "# B\n\nx\n"),
        ("#   A ##\r\n\r\nx\r\n", ["A"], "B", "# B\r\n\r\nx\r\n"),
        ("A\n===\nx\n", ["A"], "B c", "B c\n===\nx\n"),
        ("A\nb\n---\nx\n", ["A b"], "B", "B\n---\nx\n"),
        ("A\n---\nx", ["A"], "- item", "## - item\nx"),
        ("\ufeff# A", ["A"], "B", "\ufeff# B"),
        ("# A {#a .wide}\nx", ["A"], "B", "# B {#a .wide}\nx"),
        ("# A {#a}\nx", ["A {#a}"], "B {#b}", "# B {#b}\nx"),
        ("# A\n## B\n# C\n## B\n", ["C", "B"], "D #", "# A\n## B\n# C\n## D # #\n"),
    ],
)
def test_a_heading_keeps_its_kind_and_everything_else_its_bytes(
    text: str, path: list[str], heading: str, expected: str
) -> None:
    assert rename_heading(NoteOutline(text), path, heading).text == expected


def test_a_heading_that_is_taken_not_there_or_none_is_refused() -> None:
    document = NoteOutline("# A\n\n## B\n\n## C\n")
    with pytest.raises(Conflict):
        rename_heading(document, ["A", "B"], "C")
    with pytest.raises(NotFound):
        rename_heading(document, ["Z"], "C")
    for heading in ("", "# X", "a\nb"):
        with pytest.raises(InvalidArgument):
            rename_heading(document, ["A"], heading)
    with pytest.raises(InvalidArgument):
        rename_heading(document, [], "X")
