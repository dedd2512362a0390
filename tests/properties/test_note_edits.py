"""What holds of every edit of every text; on headings, markdown-it is the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_runs import examples
from markdown_it import MarkdownIt

from octavo.errors import OctavoError
from octavo.note_editing.heading_checks import violations, without_jumps
from octavo.note_editing.note_heading_outline import ROOT, NoteOutline
from octavo.note_editing.section_edits import append, insert, replace
from octavo.note_editing.section_relocation_text import move

REFERENCE = MarkdownIt("commonmark", {"maxNesting": 1000})
REFERENCE.core.ruler.disable(["inline"])

ENDINGS = ("\n", "\n", "\n", "\r\n")
LINES = (
    *(
        "",
        "",
        "",
        " ",
        "\t",
        "text",
        "more text  ",
        "# A",
        "# B",
        "## A",
        "## B",
        "### C",
        "#### D",
        "###### F",
        "  ## G ##",
    ),
    *(
        "A",
        "===",
        "---",
        "B  ",
        "> quote",
        "> # no",
        "- item",
        "- item two",
        "  - nested",
        "  text",
        "1. one",
        "2. two",
    ),
    *(
        "```",
        "~~~",
        "````js",
        "# no #",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<script>",
        "</script>",
        "    # code",
        "\t# code",
    ),
    *(
        "[a]: /url",
        "| a | b |",
        "|---|---|",
        "* * *",
        "`code` **bold**",
        "## `code`",
        "#",
        "\u2028",
        "a\rb",
        "...",
    ),
)
TEXTS = st.builds(
    lambda bom, lines, last: bom + "".join(line + end for line, end in lines) + last,
    st.sampled_from(["", "", "\ufeff", "---\na: 1\n---\n", "---\r\n# x\r\n...\r\n"]),
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDINGS)), max_size=25),
    st.sampled_from(["", "text", "# Z"]),
)
CONTENTS = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
NUMBERS = st.integers(0, 1000)


def reference(text: str, start: int) -> list[tuple[int, int, str]]:
    """Level, offset and text of the headings outside containers."""
    lines = (
        text[start:].replace("\r\n", " \n").replace("\r", "\x01").replace("\ufeff", "\x02").replace("\u2028", "\x03")
    )
    tokens = REFERENCE.parse(lines)
    starts = [start, *accumulate((len(line) + 1 for line in lines.split("\n")), initial=start)][1:]
    found = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            content = tokens[number + 1].content
            joined = " ".join(line.strip(" \t") for line in content.split("\n")).strip(" \t")
            found.append(
                (
                    int(token.tag[1]),
                    starts[token.map[0]],
                    joined.replace("\x01", "\r").replace("\x02", "\ufeff").replace("\x03", "\u2028"),
                )
            )
    return found


def tree(document: NoteOutline) -> list[tuple[int, tuple[str, ...]]]:
    return [(heading.level, document.path(number)) for number, heading in enumerate(document.headings)]


def is_subsequence(part: Sequence[object], whole: Sequence[object]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in part)


@settings(deadline=None, max_examples=examples(300))
@given(TEXTS)
@example("\ufeff---\r\n---\r\n# A")
def test_the_outline_has_the_headings_of_commonmark(text: str) -> None:
    found = NoteOutline(text)
    assert [(heading.level, heading.start, heading.text) for heading in found.headings] == reference(text, found.start)


@settings(deadline=None, max_examples=examples(300))
@given(
    TEXTS,
    CONTENTS,
    NUMBERS,
    st.sampled_from(["replace", "append", "insert first", "insert last"]),
    st.none() | st.integers(1, 6),
)
def test_an_edit_changes_nothing_outside_its_place_and_keeps_every_other_section(
    text: str, content: str, choice: int, kind: str, level: int | None
) -> None:
    document = NoteOutline(text)
    number = choice % (len(document.headings) + 1) - 1
    path = document.path(number) if number != ROOT else ()
    try:
        if kind == "replace":
            edit = replace(document, path, content)
        elif kind == "append":
            edit = append(document, path, content)
        else:
            edit = insert(document, path, "New", content, level, kind.split()[1])
    except OctavoError:
        return
    new = edit.text
    after = NoteOutline(new)
    assert [(heading.level, heading.start, heading.text) for heading in after.headings] == reference(new, after.start)
    assert is_subsequence(tree(document), tree(after))
    if kind.startswith("insert"):
        place = document.section_end(number)
        if kind.endswith("first") and document.children(number):
            place = document.headings[document.children(number)[0]].start
        begin = place
    else:
        begin, place = document.headings[number].end, document.body_end(number)
    kept = text[:begin].rstrip(" \t\r\n") if kind.startswith("insert") else text[:begin]
    if kind == "append":
        kept = text[:place].rstrip(" \t\r\n")
    assert new.startswith(kept)
    assert new.endswith(text[place:])
    assert text[place:] or re.search(r"[^\n]\r?\n\Z", new)
    assert new[edit.start : edit.end].rstrip(" \t\r\n") == new[edit.start :][: edit.end - edit.start].rstrip(" \t\r\n")


@settings(deadline=None, max_examples=examples(300))
@given(TEXTS, NUMBERS, NUMBERS)
def test_a_move_keeps_the_text_of_every_section_and_the_tree_around_it(text: str, first: int, second: int) -> None:
    document = NoteOutline(text)
    if not document.headings:
        return
    source = first % len(document.headings)
    target = second % (len(document.headings) + 1) - 1
    try:
        new = move(document, document.path(source), document.path(target)).text
    except OctavoError:
        return
    after = NoteOutline(new)
    assert [(heading.level, heading.start, heading.text) for heading in after.headings] == reference(new, after.start)
    inside = range(source, document.after(source))
    others = [tree(document)[number] for number in range(len(document.headings)) if number not in inside]
    assert is_subsequence(others, tree(after))
    moved = (*document.path(target), document.headings[source].text)
    assert tree(after).count((document.level(target) + 1, moved)) == 1 or new == text
    assert sorted(line.strip() for line in _bodies(document)) == sorted(line.strip() for line in _bodies(after))


def _bodies(document: NoteOutline) -> list[str]:
    """The text right below each heading, without its blank ends."""
    numbers = range(len(document.headings))
    return [document.text[document.headings[number].end : document.body_end(number)] for number in numbers]


@settings(deadline=None, max_examples=examples(300))
@given(TEXTS)
def test_fixing_closes_every_jump_and_keeps_every_parent(text: str) -> None:
    document = NoteOutline(text)
    fixed = NoteOutline(without_jumps(document))
    assert fixed.parents == document.parents
    assert [heading.text for heading in fixed.headings] == [heading.text for heading in document.headings]
    assert not [one for one in violations(fixed) if one.rule == "heading-jump"]
    jumps = [one for one in violations(document) if one.rule == "heading-jump"]
    assert bool(jumps) or fixed.text == text
    assert re.sub(r"#+", "#", fixed.text) == re.sub(r"#+", "#", text)


@settings(deadline=None, max_examples=examples(200))
@given(
    TEXTS, st.sampled_from(["one", "> two", "    three", "`four`\nfive"]), st.sampled_from(["six", "seven\n"]), NUMBERS
)
def test_appending_one_after_the_other_is_appending_both(text: str, one: str, two: str, choice: int) -> None:
    document = NoteOutline(text)
    if not document.headings:
        return
    path = document.path(choice % len(document.headings))
    try:
        once = append(document, path, one).text
    except OctavoError:
        return
    assert append(NoteOutline(once), path, two).text == append(document, path, f"{one}\n\n{two}").text
