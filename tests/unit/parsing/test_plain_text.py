"""Plain text: paragraphs, one section, a title from the first line that says something."""

from __future__ import annotations

import pytest

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.plaintext import PlaintextParser


def parse(text: str) -> Document:
    return PlaintextParser().parse(Source(DocumentId("doc"), "folder/name.txt", text, 0.0, tags=("t",)))


def test_paragraphs_lie_between_blank_lines() -> None:
    text = "\none\ntwo\n\n \t\nthree\n"
    document = parse(text)
    assert [(block.kind, text[block.start : block.end]) for block in document.blocks] == [
        (BlockKind.PARAGRAPH, "\none\ntwo\n"),
        (BlockKind.PARAGRAPH, "three\n"),
    ]


def test_there_is_one_section_over_everything_and_no_link_or_tag_is_read() -> None:
    document = parse("# not a heading\n\n[[not a link]] #nottag\n")
    assert [(section.level, section.path, section.span.start, section.span.end) for section in document.sections] == [
        (0, (), 0, len(document.text))
    ]
    assert (document.links, document.tags) == ((), ("t",))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("First line\nsecond\n", "First line"),
        ("=====\nTitle\n=====\n", "Title"),
        ("= Ascii Doc\n", "Ascii Doc"),
        ("#+TITLE: Org\n", "Org"),
        ("", "name"),
        ("***\n---\n", "name"),
        ("x" * 200 + "\n", "name"),
    ],
)
def test_the_title_is_the_first_line_with_a_word_or_the_name_of_the_file(text: str, title: str) -> None:
    assert parse(text).title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (".. currentmodule:: flask\n\nBlog Blueprint\n==============\n", "Blog Blueprint"),
        (":orphan:\n\n.. _async:\n\nUsing async\n===========\n", "Using async"),
        (".. meta::\n   :description: How to\n\n   more\n\nDeploying\n---------\n", "Deploying"),
        ("..\n   a remark\n\nAfter it\n", "After it"),
        ("... and so on\n", "... and so on"),
        (":-) a smile\n", ":-) a smile"),
        (".. toctree::\n   :maxdepth: 2\n", "page"),
    ],
)
def test_what_is_told_to_the_maker_of_pages_is_no_title(text: str, title: str) -> None:
    assert PlaintextParser().parse(Source(DocumentId("d"), "docs/page.rst", text, 0.0)).title == title
