"""Blocks: where the chunker may cut. Each case is a text and the kinds of its blocks with what they hold."""

from __future__ import annotations

import pytest

from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.block_scanner import scan
from octavo.parsing.markdown.parser import MarkdownParser


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, text[block.start : block.end]) for block in scan(text).blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\n\n", []),
        ("a\nb\n\n\nc\n", [("paragraph", "a\nb\n"), ("paragraph", "c\n")]),
        ("a\n# b\nc\n", [("paragraph", "a\n"), ("heading", "# b\n"), ("paragraph", "c\n")]),
        ("a\nb\n===\nc\n", [("heading", "a\nb\n===\n"), ("paragraph", "c\n")]),
        ("***\na\n", [("rule", "***\n"), ("paragraph", "a\n")]),
        ("    a\n\n    b\n\nc\n", [("code", "    a\n\n    b\n"), ("paragraph", "c\n")]),
        ("```\na\n\n```\nb\n", [("fence", "```\na\n\n```\n"), ("paragraph", "b\n")]),
        ("````\n```\n````\n", [("fence", "````\n```\n````\n")]),
        ("~~~\n```\n~~~\n", [("fence", "~~~\n```\n~~~\n")]),
        ("```\nnever closed\n", [("fence", "```\nnever closed\n")]),
        ("``` a`b\n", [("paragraph", "``` a`b\n")]),
        ("- a\n- b\n", [("item", "- a\n"), ("item", "- b\n")]),
        ("- a\n  - b\n\n  c\n- d\n", [("item", "- a\n  - b\n\n  c\n"), ("item", "- d\n")]),
        ("- a\nlazy\n\nb\n", [("item", "- a\nlazy\n"), ("paragraph", "b\n")]),
        ("1. a\n\n   ```\n   b\n   ```\n", [("item", "1. a\n\n   ```\n   b\n   ```\n")]),
        ("- ```\n  a\nb\n", [("item", "- ```\n  a\n"), ("paragraph", "b\n")]),
        ("-\n\n  a\n", [("item", "-\n"), ("paragraph", "  a\n")]),
        ("> a\nlazy\n\nb\n", [("quote", "> a\nlazy\n"), ("paragraph", "b\n")]),
        ("> a\n>\n> b\n>\n", [("quote", "> a\n>\n> b\n>\n")]),
        ("> ```\na\n", [("quote", "> ```\n"), ("paragraph", "a\n")]),
        ("<div>\na\n\nb\n", [("html", "<div>\na\n"), ("paragraph", "b\n")]),
        ("<!-- a\n\nb -->\nc\n", [("html", "<!-- a\n\nb -->\n"), ("paragraph", "c\n")]),
        ("a\n<b>\n", [("paragraph", "a\n<b>\n")]),
        ("[a]: b\n[c]:\n  d\n'e'\ntext\n", [("paragraph", "[a]: b\n[c]:\n  d\n'e'\n"), ("paragraph", "text\n")]),
        ("[a]: b\n===\n", [("paragraph", "[a]: b\n"), ("paragraph", "===\n")]),
        ("a|b\n-|-\nc|d\n\ne\n", [("table", "a|b\n-|-\nc|d\n"), ("paragraph", "e\n")]),
        ("x\n| a | b |\n|:-:|--:|\n", [("paragraph", "x\n"), ("table", "| a | b |\n|:-:|--:|\n")]),
        ("| a \\| b |\n|---|\n", [("table", "| a \\| b |\n|---|\n")]),
        ("| a | b |\n|---|\n", [("paragraph", "| a | b |\n|---|\n")]),
        ("a | b\n", [("paragraph", "a | b\n")]),
        ("no newline", [("paragraph", "no newline")]),
        ("# no newline", [("heading", "# no newline")]),
        ("```\nno newline", [("fence", "```\nno newline")]),
    ],
)
def test_a_text_falls_into_these_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(text) == expected
    assert [(b.kind.value, text[b.start : b.end]) for b in scan(text, plain=False).blocks] == expected


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("", None),
        ("js", "js"),
        (" Python extra", "python"),
        ("{r, echo=FALSE}", "r"),
        ("{.rust .x}", "rust"),
        ("{}", None),
    ],
)
def test_a_fence_names_its_language(info: str, language: str | None) -> None:
    assert [block.language for block in scan(f"```{info}\nx\n```\n").blocks] == [language]
    assert [block.language for block in scan(f"~~~{info}\nx\n~~~\n").blocks] == [language]


def test_fences_are_found_at_any_depth_with_their_lines() -> None:
    text = "> - ```js\n>   a\n>   ```\n\n1. ~~~\n   b\n"
    assert [(text[fence.start : fence.end], fence.info) for fence in scan(text).fences] == [
        ("> - ```js\n>   a\n>   ```\n", "js"),
        ("1. ~~~\n   b\n", ""),
    ]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# a", (1, "a")),
        ("   ###### a", (6, "a")),
        ("#", (1, "")),
        ("#\ta\t#\t", (1, "a")),
        ("# a # b ##", (1, "a # b")),
        ("# a#", (1, "a#")),
        ("## ##", (2, "")),
        ("# a \\#", (1, "a \\#")),
        ("#a", None),
        ("####### a", None),
        ("    # a", None),
        ("\t# a", None),
        ("\\# a", None),
    ],
)
def test_hashes_make_a_heading_only_as_commonmark_says(line: str, heading: tuple[int, str] | None) -> None:
    assert [(x.level, x.content) for x in scan(line + "\n").headings] == ([heading] if heading else [])


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("a\n=\n", [(1, "a")]),
        ("a\n   ---  \n", [(2, "a")]),
        ("a\n    ---\n", []),
        ("a\n\n---\n", []),
        ("a\n- - -\n", []),
        ("- a\n---\n", []),
        ("> a\n---\n", []),
        ("> a\n===\n", []),
        ("a\n= =\n", []),
        ("# a\n---\n", [(1, "a")]),
        ("a | b\n---\n", [(2, "a | b")]),
        ("```\na\n===\n```\n", []),
        ("[a]: b\nc\n===\n", [(1, "c")]),
    ],
)
def test_an_underline_makes_a_heading_only_of_a_paragraph(text: str, headings: list[tuple[int, str]]) -> None:
    assert [(x.level, x.content) for x in scan(text).headings] == headings


def test_a_callout_stays_a_quote_and_is_listed_with_its_type_and_title() -> None:
    text = "> [!NOTE] Read *this*\n> body\n\n> plain\n\n> [!tip|wide]-\n> x\n"
    document = MarkdownParser().parse(Source(DocumentId("doc"), "a.md", text, 0.0))
    assert [block.kind.value for block in document.blocks] == ["quote", "quote", "quote"]
    assert document.metadata["callouts"] == [
        {"type": "note", "title": "Read this", "start": 0},
        {"type": "tip", "title": "", "start": text.index("> [!tip")},
    ]


def test_a_block_reference_names_its_block_or_alone_the_one_before() -> None:
    text = "Para ^one\n\n- item\n  more ^two\n\n> quote\n\n^three\n\n`x ^no`\n\n```\ncode ^four\n```\n2^five\n"
    document = MarkdownParser().parse(Source(DocumentId("doc"), "a.md", text, 0.0))
    assert {name: text[start:end] for name, (start, end) in document.metadata["block_refs"].items()} == {
        "one": "Para ^one\n",
        "two": "- item\n  more ^two\n",
        "three": "> quote\n",
    }
