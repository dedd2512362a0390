"""Which parser reads which file."""

from __future__ import annotations

import pytest

from recto.model.document import Kind, Source
from recto.model.ids import DocumentId
from recto.parsing.markdown import MarkdownParser
from recto.parsing.plaintext import PlaintextParser
from recto.parsing.registry import EXTENSIONS, PARSER_VERSION, parser_for


@pytest.mark.parametrize("uri", ["a.md", "x/y/A.MD", "a.markdown", "a.mdown", "a.mkd", "a.mdx", "a.qmd", "a.b.md"])
def test_markdown_is_read_as_markdown(uri: str) -> None:
    assert isinstance(parser_for(uri), MarkdownParser)


@pytest.mark.parametrize("uri", ["a.txt", "a.text", "a.rst", "a.adoc", "a.org"])
def test_other_prose_is_read_as_plain_text(uri: str) -> None:
    assert isinstance(parser_for(uri), PlaintextParser)


@pytest.mark.parametrize("uri", ["a.log", "a.png", "README", ".md", "folder.md/file", "a."])
def test_other_files_have_no_parser(uri: str) -> None:
    assert parser_for(uri) is None


def test_the_recorded_version_names_every_parser() -> None:
    assert MarkdownParser.version in PARSER_VERSION
    assert PlaintextParser.version in PARSER_VERSION
    assert all(extension.startswith(".") for extension in EXTENSIONS)


@pytest.mark.parametrize("uri", ["a.md", "a.txt"])
def test_a_document_is_a_note_unless_its_source_says_otherwise(uri: str) -> None:
    parser = parser_for(uri)
    assert parser is not None
    assert parser.parse(Source(DocumentId("d"), uri, "", 0.0)).kind is Kind.NOTE
    assert parser.parse(Source(DocumentId("d"), uri, "", 0.0, kind=Kind.DOC)).kind is Kind.DOC
