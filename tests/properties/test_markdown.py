"""What holds of the Markdown parser for every text; on headings and fences, markdown-it is the reference."""

from __future__ import annotations

import json
import re
from itertools import accumulate

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.block_scanner import scan
from octavo.parsing.markdown.front_matter_parsing import load_yaml, plain_fields
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser

REFERENCE = MarkdownIt("commonmark", {"maxNesting": 1000})
REFERENCE.core.ruler.disable(["inline"])

PREFIXES = (
    *(
        "",
        " ",
        "  ",
        "   ",
        "    ",
        "\t",
        " \t",
        "> ",
        ">",
        ">\t",
        "   > ",
        "- ",
        "-",
        "* ",
        "+ ",
        "  - ",
        "-\t",
        "-   ",
    ),
    *("-    ", "-     ", "1. ", "2) ", "10. ", "1234567. "),
)
CONTENTS = (
    *("", "a", "a b", "a  ", "2 x", "\x0c", "\xa0", "x\\", "`a", "**b**", "\\# x", "    code", "\tcode", "[!n]"),
    *(
        "# h",
        "## h ##",
        "#",
        "#x",
        "####### x",
        "#\tx",
        "# #",
        "# x #y",
        "# x \\#",
        "===",
        "---",
        "=",
        "-",
        "== =",
        "-- -",
    ),
    *("```", "````", "```js", "``` `", "~~~", "~~~~ x", "- - -", "***", "* * *", "_ _ _", "***a", "+", "*", "1.", "1)"),
    *("[a]: b", "[a]: <b> 'c'", "[a]:", "[a", "]: b", '"t"', "'t", "'", "[a]: b 'x' y", "[b]: (c", "[]: x", "[a]: b c"),
    *(
        "[a\\]: b",
        "[[x]]",
        "[x](y)",
        "<div>",
        "</div>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "<!X",
        "<script>",
        "</script>",
        "<pre",
    ),
    *("<b>", "<b> x", "</b>", "<b c=d>", "| a | b |", "|---|---|", "a | b", "--- | ---"),
)
LINES = st.builds(
    lambda prefixes, content: "".join(prefixes) + content,
    st.lists(st.sampled_from(PREFIXES), max_size=3),
    st.sampled_from(CONTENTS),
)
NASTY = st.lists(LINES, min_size=1, max_size=12).map(lambda lines: normalise("\n".join(lines)))
SOUP = st.text("# \t\n`~>-+*=_[]():<!/a1.|\\\"'?xpre", max_size=80).map(normalise)
INLINE = st.lists(
    st.sampled_from(
        [
            *(
                "[",
                "]",
                "(",
                ")",
                "![",
                "[[",
                "]]",
                "|",
                "#",
                "^",
                "%%",
                "`",
                "``",
                "\\",
                "<",
                ">",
                "!",
                " ",
                "\n",
                "\n\n",
            ),
            *(
                "a",
                "b/c",
                "1",
                "é",
                "http://x.y/z#f",
                "<https://q>",
                "<b c>",
                "<!--",
                "-->",
                "#t/u",
                "[a](b)",
                "[[n#h|s]]",
            ),
            *("[r]: x y\n", "[r]", "- ", "> ", "*", "_", "\0", "😀", "[x](<y z> 't')", "[x](a%20b#c%20d)"),
        ]
    ),
    max_size=25,
).map("".join)
ANYTHING = st.text(st.characters(exclude_categories=()))

Found = tuple[list[tuple[int, int, int, str]], list[tuple[int, int, str]]]


def expected(text: str) -> Found:
    """Headings outside containers, and fences anywhere, as markdown-it places them."""
    tokens = REFERENCE.parse(text)
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    headings = [
        (int(token.tag[1]), starts[token.map[0]], starts[token.map[1]], tokens[number + 1].content.strip())
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    fences = [
        (starts[token.map[0]], starts[token.map[1]], token.info)
        for token in tokens
        if token.type == "fence" and token.map
    ]
    return headings, fences


def found(text: str) -> Found:
    structure = scan(text)
    headings = [(heading.level, heading.start, heading.end, heading.content.strip()) for heading in structure.headings]
    return headings, [(fence.start, fence.end, fence.info) for fence in structure.fences]


def parse(text: str) -> Document:
    return MarkdownParser().parse(Source(DocumentId("doc"), "folder/Name.md", text, 0.0))


@settings(deadline=None)
@given(NASTY | SOUP)
@example("> a\n    > ```\n")
@example("1234567. a\n     # b\nc\n===\n")
@example("-    >>?\n\t+\nx\n0. 1. ```\n")
@example(">>a\n    #\nx\n-\n")
@example(">>> \t~~~\n")
@example("[a\n===\n]: b\n")
@example("[a]: b\n    c\n===\n")
@example("- a\n  - b\n\n      ```\n      c\n\n  # d\n")
def test_headings_and_fences_are_those_of_commonmark(text: str) -> None:
    assert found(text) == expected(text)


@settings(deadline=None)
@given(NASTY | SOUP)
@example("- a\n" * 600)
@example("a\n" * 1200 + "b\n===\n")
@example("> a\n" * 600 + ">\n")
def test_blocks_matched_whole_are_those_read_line_by_line(text: str) -> None:
    whole, by_line = scan(text), scan(text, plain=False)
    assert whole == by_line


@settings(deadline=None)
@given(NASTY | SOUP | INLINE | ANYTHING)
def test_blocks_are_in_order_apart_and_cover_every_line_that_is_not_blank(text: str) -> None:
    pos = 0
    for block in parse(text).blocks:
        assert pos <= block.start < block.end <= len(text)
        assert not text[pos : block.start].strip(" \t\n")
        assert block.start == 0 or text[block.start - 1] == "\n"
        assert block.end == len(text) or text[block.end - 1] == "\n"
        pos = block.end
    assert not text[pos:].strip(" \t\n")


@settings(deadline=None)
@given(NASTY | SOUP | INLINE | ANYTHING)
def test_any_text_gives_a_document_that_json_can_carry(text: str) -> None:
    document = parse(text)
    assert document.text == text
    assert document.title
    json.dumps(document.metadata)
    PlaintextParser().parse(Source(DocumentId("doc"), "a.txt", text, 0.0))


@settings(deadline=None)
@given(NASTY | SOUP)
def test_sections_are_a_tree_over_the_whole_text(text: str) -> None:
    root, *sections = parse(text).sections
    assert (root.level, root.path, root.anchor, root.span.start) == (0, (), "", 0)
    assert root.span.end == (sections[0].span.start if sections else len(text))
    assert len({section.id for section in sections}) == len(sections)
    assert len({section.anchor for section in (root, *sections)}) == len(sections) + 1
    for number, section in enumerate(sections):
        later = sections[number + 1 :]
        assert section.span.end == next((x.span.start for x in later if x.level <= section.level), len(text))
        parents = [x for x in sections[:number] if x.span.end > section.span.start]
        assert section.path[:-1] == tuple(x.title for x in parents)


@settings(deadline=None)
@given(INLINE | NASTY)
def test_links_are_in_order_and_lie_where_they_are_written(text: str) -> None:
    document = parse(text)
    starts = [link.span.start for link in document.links]
    assert starts == sorted(starts)
    code = [block for block in document.blocks if block.kind in (BlockKind.FENCE, BlockKind.CODE, BlockKind.HTML)]
    for link in document.links:
        written = link.span.of(text)
        assert written.startswith(("[", "![", "<", "http"))
        assert not any(block.start <= link.span.start < block.end for block in code)
    for tag in document.tags:
        assert f"#{tag}" in text
        assert re.search(r"[^\d/_-]", tag)


WORDS = st.sampled_from(
    [
        *(
            "a",
            "key",
            "true",
            "null",
            "NULL",
            "~",
            "1",
            "0x1f",
            "yes",
            "x: y",
            "x:y",
            "a #b",
            "a#b",
            "#c",
            "- a",
            "-a",
            "'q'",
        ),
        *(
            '"d"',
            "'it''s'",
            '"a\\n"',
            "[a]",
            "{a}",
            "&a",
            "*a",
            "!t",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "é",
            "\u2028",
            "\x85",
            "\xa0",
        ),
        *(
            "a\tb",
            "\t",
            "  b",
            "<a>",
            "(b)",
            "/c",
            "_d",
            "a:",
            "a: ",
            "a ,b",
            "?",
            "? a",
            ":",
            ": a",
            "a\\b",
            "it's",
            "...",
            " ",
        ),
        *("", "\x01", "<<", "=", "."),
    ]
)
YAML_LINES = st.builds(
    lambda key, colon, words: key + colon + "".join(words),
    st.sampled_from(["key", "a-b", "_x", "title", "true", "k k", "1", "é"]),
    st.sampled_from([": ", ":", ":  ", " : "]),
    st.lists(WORDS, max_size=2),
) | st.builds(
    lambda indent, dash, words: indent + dash + "".join(words),
    st.sampled_from(["", " ", "  ", "    "]),
    st.sampled_from(["- ", "-", "-  "]),
    st.lists(WORDS, max_size=2),
)


@settings(deadline=None)
@given(st.lists(YAML_LINES, min_size=1, max_size=4).map(lambda lines: "\n".join(lines) + "\n"))
def test_plain_front_matter_means_what_yaml_says(raw: str) -> None:
    fields = plain_fields(raw)
    if fields is not None:
        assert fields == load_yaml(raw)
