"""Input made to hurt: huge lines, deep nesting, nonsense, grammars that fail. Each costs a bounded time and no more."""

from __future__ import annotations

import json
import random
import string
import time

import pytest

from octavo.chunking.code_chunker import CodeChunker
from octavo.embedding.bundled_embedder import bundled_counter
from octavo.model.document import Document, Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import default_sizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.code import treesitter
from octavo.parsing.code.treesitter_node_roles import GRAMMARS
from octavo.parsing.registry import code_parser

ENOUGH = 120.0
"""Seconds of processor: far above what any of this takes on a slow machine, far below what quadratic work would."""

URIS = {
    "python": "a.py",
    "javascript": "a.js",
    "typescript": "a.ts",
    "tsx": "a.tsx",
    "go": "a.go",
    "rust": "a.rs",
    "java": "a.java",
    "c": "a.c",
    "cpp": "a.cpp",
    "csharp": "a.cs",
    "ruby": "a.rb",
    "php": "a.php",
    "kotlin": "a.kt",
    "swift": "a.swift",
    "scala": "a.scala",
    "shell": "a.sh",
    "sql": "a.sql",
    "html": "a.html",
    "css": "a.css",
    "lua": "a.lua",
}


def indexed(uri: str, text: str) -> Document:
    """Parsed and cut, within the time that is enough."""
    began = time.process_time()
    parser = code_parser(uri)
    assert parser is not None
    document = parser.parse(Source(DocumentId("doc_1"), uri, normalise(text), 0.0))
    sizes = default_sizes(256)
    chunks = CodeChunker(sizes, bundled_counter()).chunk(document)
    assert time.process_time() - began < ENOUGH
    assert all(chunk.tokens <= sizes.hard_max for chunk in chunks)
    assert sum(len("".join(chunk.text.split())) for chunk in chunks) == len("".join(document.text.split()))
    return document


def test_every_grammar_is_tried() -> None:
    assert set(URIS) == set(GRAMMARS)


@pytest.mark.parametrize("uri", sorted(URIS.values()))
def test_ten_thousand_brackets_do_no_harm(uri: str) -> None:
    for brackets in ("(" * 10_000 + ")" * 10_000, "([{<" * 2_500, "class A {\n" * 1_000):
        indexed(uri, f"x = {brackets}\n")


@pytest.mark.parametrize("uri", sorted(URIS.values()))
def test_noise_does_no_harm(uri: str) -> None:
    noise = random.Random(7)
    indexed(uri, "".join(noise.choices(string.printable + "\0é漢", k=30_000)))
    words = [*"()[]{}<>;:,.=\"'`#/\\@$\n", "if", "class", "def", "function", "<?php ", "\n\n", "x", "1", "=>", "${"]
    indexed(uri, " ".join(noise.choices(words, k=8_000)))


@pytest.mark.parametrize(("uri", "unit"), [("a.py", "x = 1; "), ("a.json", '"a": [1, 2], '), ("a.js", "a")])
def test_five_megabytes_on_one_line_are_cut_in_time(uri: str, unit: str) -> None:
    indexed(uri, unit * (5_000_000 // len(unit)))


@pytest.mark.parametrize("uri", ["a.json", "a.yaml", "a.toml", "a.xml", "a.hs"])
@pytest.mark.parametrize("unit", ['"a": {"b": ', '\\"', "'''", "/*", "- a: "])
def test_a_quarter_of_a_megabyte_on_one_line_is_looked_through_in_time(uri: str, unit: str) -> None:
    indexed(uri, unit * (250_000 // len(unit)))


def test_one_line_of_a_million_keys_is_read_in_time() -> None:
    indexed("a.json", json.dumps({f"key{number}": [number, {"x": None}] for number in range(25_000)}))


@pytest.mark.parametrize("opening", ['"""', "'''", "/*", "<!--", "`", "x = (", "<<<EOT", "use a::{", "{"])
@pytest.mark.parametrize("uri", ["a.py", "a.js", "a.rs", "a.php", "a.html", "a.json", "a.toml", "a.hs"])
def test_something_opened_and_never_closed_is_read_in_time(uri: str, opening: str) -> None:
    indexed(uri, f"{opening}\n" + "def f(a):\n    return [a, 'b']\n\n" * 500)
    indexed(uri, f"{opening}\n" * 1_000)


@pytest.mark.parametrize(
    ("uri", "unit"),
    [
        ("a.h", "class a\n"),
        ("a.h", "\n\n \t"),
        ("a.js", "import   "),
        ("a.rb", "require\t\t"),
        ("a.lua", "require\n"),
        ("a.hs", "import qualified "),
        ("a.html", "<h1 <"),
        ("a.html", "<script src "),
        ("a.cpp", "template <class a<"),
        ("a.go", "func (q *Q[["),
    ],
)
def test_what_makes_a_pattern_try_again_and_again_is_read_in_time(uri: str, unit: str) -> None:
    indexed(uri, unit * (200_000 // len(unit)))
    indexed(uri, "\n".join([unit * 100] * 300))
    indexed(uri, unit.strip() + " " * 200_000 + "\n" + "x" * 200_000)


def test_a_text_that_is_too_long_for_a_grammar_is_still_outlined() -> None:
    text = "def first():\n    return 1\n\n\n" + "x = [1, 2, 3]\n" * 80_000
    document = indexed("a.py", text)

    assert document.warnings == ("read without its syntax: longer than 1,000,000 characters",)
    assert [section.title for section in document.sections] == ["", "first"]


def test_a_line_that_is_too_long_for_a_grammar_is_said() -> None:
    document = indexed("a.py", "x = '" + "a" * 30_000 + "'\n\ndef f():\n    pass\n")

    assert document.warnings == ("read without its syntax: a line longer than 20,000 characters",)
    assert document.sections[1].title == "f"


def test_recovery_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treesitter, "PARSE_SECONDS", 0.05)
    monkeypatch.setattr(treesitter, "SLICE_SECONDS", 0.01)
    treesitter.syntax_for.cache_clear()
    try:
        document = indexed("a.py", "a?b:" * 4_900)
        after = indexed("b.py", "def f():\n    pass\n")
    finally:
        treesitter.syntax_for.cache_clear()

    assert document.warnings == ("read without its syntax: no syntax tree within 0.05 seconds of work",)
    assert after.sections[1].title == "f"


def test_a_parser_that_is_interrupted_again_and_again_makes_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"def f(a):\n    return [a, (1 if a else 2)]\n\n" * 4_000
    whole = treesitter.Syntax(GRAMMARS["python"]).tree(source)
    monkeypatch.setattr(treesitter, "SLICE_SECONDS", 0.001)
    in_slices = treesitter.Syntax(GRAMMARS["python"]).tree(source)

    assert str(in_slices.root_node) == str(whole.root_node)


def test_more_lines_than_source_has_are_cut_without_a_tree() -> None:
    document = indexed("a.py", "*x*y\n" * 40_000 + "def f():\n    pass\n")

    assert document.warnings == ("read without its syntax: more than 25,000 lines",)


def test_a_grammar_that_cannot_be_loaded_costs_only_the_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        GRAMMARS,  # type: ignore[arg-type]
        "go",
        treesitter.Grammar("tree_sitter_missing"),
    )
    treesitter.syntax_for.cache_clear()
    try:
        document = indexed("a.go", "package a\n\nfunc Run() {\n}\n")
    finally:
        treesitter.syntax_for.cache_clear()

    assert document.warnings[0].startswith("read without its syntax: the grammar of go cannot be loaded")
    assert "Run" in [section.title for section in document.sections]


def test_invalid_characters_and_surrogates_are_kept() -> None:
    text = "def f():\n    return '\ud800\ufffd\x01'\n"

    assert indexed("a.py", text).text == text


def test_ten_thousand_nested_declarations_nest_only_so_deep() -> None:
    document = indexed("a.py", "".join("  " * depth + f"class C{depth}:\n" for depth in range(400)))

    assert max(section.level for section in document.sections) < 100


@pytest.mark.parametrize("uri", ["a.py", "a.js", "a.json", "a.yaml", "a.toml", "a.ipynb", "a.ex"])
@pytest.mark.parametrize("text", ["", "\n", " ", "}", "\\", '"'])
def test_next_to_nothing_is_a_document_too(uri: str, text: str) -> None:
    parser = code_parser(uri)
    assert parser is not None

    document = parser.parse(Source(DocumentId("doc_1"), uri, normalise(text), 0.0))

    assert document.sections[0].level == 0
    assert "".join(document.text[block.start : block.end] for block in document.blocks).strip() == text.strip()
