"""A large file is edited as its bytes, a character for each: the result is what its text would give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.errors import InvalidArgument, OctavoError
from octavo.writing.edit import Edit, append, append_to_end, insert, replace
from octavo.writing.files import File
from octavo.writing.move import move
from octavo.writing.outline import Outline, file_outline, outline
from octavo.writing.property import set_property
from octavo.writing.rename import rename_heading
from octavo.writing.validate import violations, without_jumps

LINES = (
    *(
        "# Ä",
        "## é *b* ##",
        "### 日本",
        "# A&eacute;",
        "Übers",
        "===",
        "---",
        "ünter\n---",
        "",
        "\u00a0",
        "\u0085",
        "text à",
    ),
    *(
        "```ß",
        "```",
        "- à",
        "  ```",
        "<div\u00a0>",
        "<b à>",
        "<!-- é",
        "-->",
        "[ä]: /ü",
        "> # ö",
        "| ä |",
        "title: é",
        "...",
        "\u2028",
    ),
)
TEXTS = st.sampled_from(["ä\n", "- à", "| é |", "## Ö\n\nü", "```\nà", "#### 日本\n\n\u00a0x", ""])


@st.composite
def documents(draw: st.DrawFn) -> str:
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.lists(st.sampled_from(LINES), max_size=14))
    return draw(st.sampled_from(["", "\ufeff", "ï»¿"])) + ending.join(lines) + draw(st.sampled_from(["", ending]))


def as_bytes(text: str) -> Outline:
    return Outline(text.encode().decode("latin-1"), encoded=True)


def outcome(document: Outline, edit: Callable[[Outline], Edit]) -> tuple[object, ...]:
    try:
        made = edit(document)
    except OctavoError as error:
        return error.code, error.message, error.hint
    start, end = (made.text[:place].count("\n") for place in (made.start, made.end))
    return document.content(made.text), start, end


@settings(max_examples=300)
@given(documents(), TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_bytes_are_edited_as_their_text_is(text: str, content: str, first: int, second: int) -> None:
    read, raw = outline(text), as_bytes(text)
    assert [(heading.level, heading.text) for heading in raw.headings] == [
        (heading.level, heading.text) for heading in read.headings
    ]
    assert violations(raw) == violations(read)
    paths = [read.path(number) for number in range(len(read.headings))] or [("à",)]
    path, parent = paths[first % len(paths)], [(), *paths][second % (len(paths) + 1)]
    shown = (*path[:-1], outline(text).headings[first % len(paths)].shown) if read.headings else path
    edits: list[Callable[[Outline], Edit]] = [
        lambda document: append(document, shown, content),
        lambda document: append_to_end(document, content),
        lambda document: replace(document, path, content),
        lambda document: insert(document, parent, "Neü", content, None, "first"),
        lambda document: move(document, path, parent),
        lambda document: rename_heading(document, path, "Ñ"),
        lambda document: set_property(document, "name", "ö: à"),
        lambda document: Edit(without_jumps(document), 0, 0),
    ]
    for edit in edits:
        assert outcome(raw, edit) == outcome(read, edit)


def test_a_large_file_is_read_as_bytes_and_must_be_utf8() -> None:
    content = ("# Ä\n\n" + "日本語 text\n" * 40_000).encode()
    file = File(Path("large.md"), content, (0, 0, 0), 0o644)
    document = file_outline(file)
    assert document.encoded and document.path(0) == ("Ä",) and document.content(document.text) == content
    for place in (300_000, 65_536, len(content) - 1):
        broken = content[:place] + b"\xff" + content[place + 1 :]
        with pytest.raises(InvalidArgument) as read:
            _ = File(Path("large.md"), broken, (0, 0, 0), 0o644).text
        with pytest.raises(InvalidArgument) as looked_at:
            file_outline(File(Path("large.md"), broken, (0, 0, 0), 0o644))
        assert looked_at.value.message == read.value.message
