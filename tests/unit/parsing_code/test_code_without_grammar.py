"""Code in languages that no grammar is there for, read by its look."""

from __future__ import annotations

from textwrap import dedent

import pytest

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.code.parser import CodeParser


def parsed(uri: str, text: str) -> Document:
    return CodeParser().parse(Source(DocumentId("doc_1"), uri, dedent(text).lstrip("\n"), 0.0))


def test_declarations_nest_by_indentation_and_end_with_what_closes_them() -> None:
    document = parsed(
        "stock.ex",
        """
        # What is in stock.
        defmodule Shop.Stock do
          # Counts one kind.
          def count(kind) do
            kind
          end

          defp none, do: 0
        end

        defmodule Other do
        end
        """,
    )

    assert {section.anchor: section.span.of(document.text) for section in document.sections[1:]} == {
        "Shop.Stock": document.text.split("defmodule Other")[0],
        "Shop.Stock.count": "  # Counts one kind.\n  def count(kind) do\n    kind\n  end\n\n",
        "Shop.Stock.none": "  defp none, do: 0\nend\n\n",
        "Other": "defmodule Other do\nend\n",
    }


@pytest.mark.parametrize(
    ("uri", "text", "names"),
    [
        ("a.dart", "class A {\n  void f() {}\n}\n\nmixin B {}\n", ["A", "B"]),
        ("a.jl", "module M\nfunction f(x)\n  x\nend\nend\n", ["M", "f"]),
        ("a.pl", "package P;\n\nsub run {\n  1;\n}\n", ["P", "run"]),
        ("a.proto", "message Tide {\n  int32 height = 1;\n}\n\nservice Tides {\n}\n", ["Tide", "Tides"]),
        ("main.tf", 'resource "server" "web" {\n}\n', ["server web"]),
        ("Makefile", "CC := cc\nall: x\n\t$(CC) x\n.PHONY: all\n", ["all"]),
        ("Dockerfile", "FROM debian AS build\nRUN make\n\nFROM scratch AS final\n", ["build", "final"]),
        ("a.el", "(defun run (x)\n  x)\n\n(defvar y 1)\n", ["run", "y"]),
        ("a.ps1", "function Get-Tide {\n}\n", ["Get-Tide"]),
        ("a.zig", "pub fn main() void {\n}\n", ["main"]),
    ],
)
def test_what_other_languages_declare_is_found_by_their_keywords(uri: str, text: str, names: list[str]) -> None:
    assert [section.title for section in parsed(uri, text).sections[1:]] == names


def test_a_sentence_that_begins_with_a_keyword_declares_nothing() -> None:
    document = parsed("a.r", "# not code\nclass of things is here\ntype a word\n")

    assert len(document.sections) == 1


def test_stretches_are_parted_by_blank_lines_and_long_ones_at_their_least_indentation() -> None:
    long = "".join(f"set value_{number} [list\n  one {number}\n  two {number}\n]\n" for number in range(12))
    document = parsed("a.tcl", f"puts a\nputs b\n\n{long}")

    stretches = [document.text[block.start : block.end] for block in document.blocks]
    assert stretches[0] == "puts a\nputs b\n\n"
    assert stretches[1:] == [f"set value_{number} [list\n  one {number}\n  two {number}\n]\n" for number in range(12)]


def test_comment_lines_are_told_from_code() -> None:
    document = parsed("a.jl", "# One.\n# Two.\nx = 1\n\n# Alone.\n")

    assert [(block.kind, document.text[block.start : block.end]) for block in document.blocks] == [
        (BlockKind.COMMENT, "# One.\n# Two.\n"),
        (BlockKind.CODE, "x = 1\n\n"),
        (BlockKind.COMMENT, "# Alone.\n"),
    ]
