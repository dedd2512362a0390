"""No text is too strange: every input is read in time that grows with its length, and raises nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser

REPEATED = (
    *(
        "[",
        "]",
        "[]",
        "(",
        "[a](",
        "![[a](b)",
        "[[a",
        "[[a]] ",
        "![[a|",
        '[a](b "',
        "[a](b (",
        "[a](<",
        "[`",
        "[`a` ",
        "[a][b] ",
    ),
    *(
        "`",
        "` ",
        "<",
        "<a ",
        "<a b='",
        "<!-- ",
        "<a@",
        "#",
        "# ",
        "#a ",
        "%%",
        "*",
        "* ",
        "_a ",
        "**a* ",
        "&a",
        "\\",
        "!",
        "^a ",
    ),
    *(
        "http://",
        "http://a)))",
        ":",
        "|",
        "x",
        "\0",
        "\t",
        " ",
        "😀",
        "- ",
        "+ ",
        "> ",
        ">",
        "1. ",
        "-",
        "=",
        "~",
        "  - ",
    ),
    *(
        "\n",
        " \n",
        "a\n",
        "#\n",
        "|-\n",
        "|a|b|\n|-|-|\n",
        ">\n",
        "- a\n",
        "-\n",
        "1. a\n",
        "-\ta\n",
        "- a\n \n",
        "~~~\n",
        "```\n",
    ),
    *(
        "```\na\n",
        "---\n",
        "[a]: b\n",
        "[a]: b\n'x\n",
        "[a\n",
        "[a]: b '\n",
        "<div>\n",
        "<!--\n",
        "<b>\n",
        "^a\n",
        "a\n=\n",
    ),
    *(
        "    a\n\n",
        "-     a\n",
        "> - a\n",
        "> [!a]\n",
        "a: b\n",
        "- a\n\n      b\n",
        "# *a **b _c\n",
        "- `a\n",
        "> `a\n",
        "``a` b\n",
    ),
)


def growing_ticks(size: int) -> str:
    length, parts = 1, []
    while size > 0:
        parts.append("`" * length + "a")
        size -= length + 1
        length += 1
    return "".join(parts)


def growing_list(size: int) -> str:
    depth, parts = 0, []
    while size > 0:
        parts.append("  " * depth + "- a\n")
        size -= 2 * depth + 4
        depth += 1
    return "".join(parts)


SHAPES: dict[str, Callable[[int], str]] = {
    **{repr(unit): lambda size, unit=unit: unit * (size // len(unit)) for unit in REPEATED},  # type: ignore[misc]
    "brackets in brackets": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "links in links": lambda size: "[" * (size // 5) + "](a)" * (size // 5),
    "ticks in runs of every length": growing_ticks,
    "a list ever deeper": growing_list,
    "quotes on one line, then blank lines": lambda size: "> " * (size // 4) + "a\n" + ">\n" * (size // 4),
    "items on one line, then blank lines": lambda size: "- " * (size // 4) + "a\n" + "\n" * (size // 2),
    "items on one line, then plain lines": lambda size: "- " * (size // 4) + "a\n" + "b\n" * (size // 4),
    "a label used before it is closed": lambda size: "[a]: b\n\n" + "[a " * (size // 3),
    "front matter without an end": lambda size: "---\n" + "# a \n" * (size // 5),
    "front matter of comments": lambda size: "---\n" + "#   \n" * (size // 5) + "x\n---\n",
    "a field that never ends": lambda size: "---\na: b" + " " * size + "\x01\n---\n",
    "table cells": lambda size: "a|b\n" + "|-" * (size // 2) + "\n",
}


def parse(text: str) -> Document:
    return MarkdownParser().parse(Source(DocumentId("doc"), "a.md", text, 0.0))


def seconds(text: str) -> float:
    start = time.process_time()
    parse(text)
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_eight_times_the_text_takes_nowhere_near_sixty_four_times_as_long(shape: str) -> None:
    make = SHAPES[shape]
    short, long = make(4_000), make(32_000)
    parse(short)
    ratios = []
    for _ in range(3):
        ratios.append(seconds(long) / max(seconds(short), 0.0005))
        if ratios[-1] < 24:
            return
    pytest.fail(f"8 times the text took {min(ratios):.0f} times as long")


@pytest.mark.parametrize("char", ["a", "[", "(", "`", "<", "#", "*", "\0", "é", "|", "^", "%", "\\", " "])
def test_a_line_of_a_million_characters_is_one_block(char: str) -> None:
    text = "x" + char * 1_000_000 + "\n"
    document = parse(text)
    assert [(block.kind, block.start, block.end) for block in document.blocks] == [(BlockKind.PARAGRAPH, 0, len(text))]


@pytest.mark.parametrize(("mark", "kind"), [("> ", BlockKind.QUOTE), ("- ", BlockKind.ITEM), ("1. ", BlockKind.ITEM)])
def test_ten_thousand_containers_in_each_other_are_one_block(mark: str, kind: BlockKind) -> None:
    text = mark * 10_000 + "```\n"
    assert [(block.kind, block.start, block.end) for block in parse(text).blocks] == [(kind, 0, len(text))]


def test_a_heading_as_long_as_a_file_has_a_short_title() -> None:
    document = parse("# " + "word " * 100_000 + "\n")
    assert len(document.sections[1].title) <= 1000


def test_plain_text_of_any_shape_is_read() -> None:
    for char in ("a", "\n", " ", "\0", "\n \n"):
        text = char * 300_000
        document = PlaintextParser().parse(Source(DocumentId("doc"), "a.txt", text, 0.0))
        assert document.text == text
