"""What a file says of itself, found among licences, pragmas and comments on its parts."""

from __future__ import annotations

import pytest

from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.parsing.code.parser import LONGEST, summary
from octavo.parsing.registry import code_parser


def description(uri: str, text: str) -> str:
    parser = code_parser(uri)
    assert parser is not None
    return parser.parse(Source(DocumentId("doc_1"), uri, text, 0.0)).description


@pytest.mark.parametrize(
    ("uri", "text", "said"),
    [
        ("a.py", '#!/usr/bin/env python\n# Copyright 2020 X\n"""Does it.\n\nMore."""\n', "Does it."),
        ("a.py", "# -*- coding: utf-8 -*-\n# Does it,\n# and that.\nimport os\n", "Does it, and that."),
        ("a.go", "// Package a does it.\npackage a\n", "Package a does it."),
        ("a.rs", "//! Does `it`.\n//!\n//! At length.\n\nfn f() {}\n", "Does it."),
        ("a.js", "/* eslint-disable */\n/**\n * Does it.\n * @module a\n */\nlet x;\n", "Does it."),
        (
            "A.java",
            "/* Licensed to X */\npackage a;\n/** Does {@code it}.\n * @since 1 */\nclass A {}\n",
            "Does it.",
        ),
        ("a.cs", "/// <summary>Does it.</summary>\nclass A { }\n", "Does it."),
        ("a.sh", "#!/bin/sh\n# Does it.\nset -e\n", "Does it."),
        ("a.sql", "-- Does it.\n\nSELECT 1;\n", "Does it."),
        ("a.html", "<title>It &amp; more</title>\n<meta name=description content='Does it.'>\n", "It & more. Does it"),
        ("a.yaml", "# Does it.\na: 1\n", "Does it."),
        ("a.json", '{"description": "Does it.", "x": 1}\n', ""),
        ("a.json", '{\n  "description": "Does it.",\n  "x": 1\n}\n', "Does it."),
        ("a.toml", '[project]\ndescription = "Does it."\n', "Does it."),
    ],
)
def test_a_file_is_described_in_its_own_words(uri: str, text: str, said: str) -> None:
    assert description(uri, text) == said


def test_a_comment_on_one_of_several_declarations_does_not_describe_the_file() -> None:
    assert description("a.js", "/** Adds. */\nfunction add() {}\n\nfunction sub() {}\n") == ""


def test_a_long_description_ends_with_a_sentence() -> None:
    said = summary('"""' + "One sentence of some length here. " * 30 + '"""')

    assert len(said) <= LONGEST
    assert said.endswith("here.")


def test_rulers_and_marks_are_left_out() -> None:
    assert summary("# =====\n# Tides\n# =====\n") == "Tides"
    assert summary("/*\n * Tides,\n * twice.\n */") == "Tides, twice."
