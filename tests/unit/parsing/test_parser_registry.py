"""Which parser reads which file."""

from __future__ import annotations

import pytest

from octavo.model.document import Kind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser
from octavo.parsing.registry import (
    CODE_PARSER_VERSION,
    EXTENSIONS,
    PARSER_VERSION,
    UNNAMED,
    not_indexed_reason,
    parser_for,
)
from octavo.parsing.rst_asciidoc_org_latex_parser import MARKUP_VERSION, MarkupParser


@pytest.mark.parametrize("uri", ["a.md", "x/y/A.MD", "a.markdown", "a.mdown", "a.mkd", "a.mdx", "a.qmd", "a.b.md"])
def test_markdown_is_read_as_markdown(uri: str) -> None:
    assert isinstance(parser_for(uri), MarkdownParser)


@pytest.mark.parametrize("uri", ["a.txt", "a.text", "views.base", "README", "docs/LICENSE", "LICENSE-MIT", "UNLICENSE"])
def test_other_prose_is_read_as_plain_text(uri: str) -> None:
    assert isinstance(parser_for(uri), PlaintextParser)


@pytest.mark.parametrize("uri", ["a.rst", "a.rest", "A.ADOC", "a.asciidoc", "a.org", "a.tex", "a.latex"])
def test_other_markup_is_read_by_its_own_headings(uri: str) -> None:
    assert isinstance(parser_for(uri), MarkupParser)


@pytest.mark.parametrize("uri", ["a.log", "a.png", "run", ".md", "folder.md/file", "a."])
def test_other_files_have_no_parser(uri: str) -> None:
    assert parser_for(uri) is None


@pytest.mark.parametrize(
    ("uri", "version"),
    [
        ("src/a.py", "code-2"),
        ("a.rs", "code-2"),
        ("a.dart", "code-2"),
        ("Dockerfile", "code-2"),
        ("CMakeLists.txt", "code-2"),
        ("pyproject.toml", "config-1"),
        ("a.json", "config-1"),
        ("a.ipynb", "notebook-1"),
    ],
)
def test_code_configuration_and_notebooks_have_parsers_of_their_own(uri: str, version: str) -> None:
    parser = parser_for(uri)
    assert parser is not None
    assert parser.version == version


def test_a_script_without_an_ending_is_code_in_the_language_of_the_program_that_runs_it() -> None:
    script = UNNAMED.parse(
        Source(DocumentId("d"), "bin/run", "#!/usr/bin/env -S python3 -u\ndef go():\n    pass\n", 0.0)
    )
    assert (script.kind, script.language) == (Kind.CODE, "python")
    assert script.sections[-1].title == "go"
    assert UNNAMED.parse(Source(DocumentId("d"), "notes", "Just words.\n", 0.0)).kind is Kind.NOTE


@pytest.mark.parametrize(
    ("uri", "text", "reason"),
    [
        ("a.py", "# @generated\nx = 1\n", "generated: it says '@generated'"),
        ("vendor/lib.go", "package lib\n", "vendored: it is in a folder named vendor"),
        ("Cargo.lock", "", "a lock file"),
        ("blob", "what is this", "neither its name nor its first line says what it is"),
        ("vendor/notes.md", "# Vendors\n", None),
        ("bin/run", "#!/bin/sh\n", None),
        ("LICENSE", "Do what you like. DO NOT EDIT\n", None),
        ("UNLICENSE", "This is free and unencumbered software.\n", None),
        ("a.py", "x = 1\n", None),
    ],
)
def test_what_no_person_wrote_is_unwanted_with_a_reason(uri: str, text: str, reason: str | None) -> None:
    assert not_indexed_reason(uri, text) == reason


def test_the_recorded_version_names_every_parser() -> None:
    assert MarkdownParser.version in PARSER_VERSION
    assert PlaintextParser.version in PARSER_VERSION
    assert MARKUP_VERSION in PARSER_VERSION
    assert CODE_PARSER_VERSION in PARSER_VERSION
    assert all(extension.startswith(".") for extension in EXTENSIONS if extension)


@pytest.mark.parametrize("uri", ["a.md", "a.txt"])
def test_a_document_is_a_note_unless_its_source_says_otherwise(uri: str) -> None:
    parser = parser_for(uri)
    assert parser is not None
    assert parser.parse(Source(DocumentId("d"), uri, "", 0.0)).kind is Kind.NOTE
    assert parser.parse(Source(DocumentId("d"), uri, "", 0.0, kind=Kind.DOC)).kind is Kind.DOC
