"""What holds of any text that is read as code or configuration, however broken, and of the chunks it is cut into."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

sys.path.append(str(Path(__file__).parents[1] / "unit" / "chunking"))

from chunk_samples import WordCounter, assert_sound

from octavo.chunking.code_chunker import CodeChunker
from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import ChunkSizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.code.treesitter import ascii_bytes
from octavo.parsing.registry import code_parser

URIS = """
    a.py a.js a.ts a.tsx a.go a.rs a.java a.c a.cpp a.cs a.rb a.php a.kt a.swift a.scala a.sh a.sql a.html a.css a.lua
    a.ex a.tf Makefile a.el a.json a.yaml a.toml a.ini a.xml
""".split()  # noqa: SIM905 - a list of so many words is easier to read as words

_fragments = st.sampled_from(
    (
        "def f(a, b):",
        "    return a + b",
        "class A(B):",
        '    """Says what."""',
        '"""',
        "# A remark.",
        "@decorated(1)",
        "import os, sys",
        "from . import x",
        "function g(x) { return x; }",
        "export const h = async (x) => {",
        "  await x;",
        "};",
        "}",
        "class C extends D {",
        "  method(a) { /* inside */ }",
        "/** Documented. */",
        "// A line.",
        "/*",
        "*/",
        "func (q *Queue) Put(x int) error {",
        "impl<T> Shape for Square<T> {",
        "fn area(&self) -> f64 { 1.0 }",
        "#[derive(Debug)]",
        "#include <stdio.h>",
        "#define X(a) (a)",
        "namespace n {",
        "template <class T> T max(T a, T b) { return a; }",
        "module M",
        "  def run; end",
        "end",
        "<?php",
        "<section id='s'>",
        "<h2>Title</h2>",
        "</section>",
        ".a > b { color: red; }",
        "CREATE TABLE t (id INT);",
        '{"key": {"inner": [1, 2, {"x": null}]},',
        '  "other": "value"',
        "key: value",
        "list:",
        "  - item: 1",
        "text: |",
        "[table.name]",
        "x = 1",
        "",
        "",
        "   ",
        "\tif x:",
        "名前 = '漢字 😀'",
        "x = [" + "1, " * 60 + "]",
        "y" * 300,
        "((((((((",
        "]]}}",
        "\0\x0b\x0c",
    )
)
_lines = st.lists(_fragments | st.text(max_size=12), max_size=40).map("\n".join)
_any_text = _lines | st.text(max_size=200)


@st.composite
def chunk_sizes(draw: st.DrawFn) -> ChunkSizes:
    small, lower, upper, hard = sorted(draw(st.lists(st.integers(4, 90), min_size=4, max_size=4)))
    return ChunkSizes(target_min=lower, target_max=upper, hard_max=hard, min_preferred=small, overlap=0)


class Spelling(WordCounter):
    """Calls any character two tokens, as a tokenizer of bytes may."""

    def count(self, text: str) -> int:
        return 2 * sum(map(len, text.split()))


def parsed(uri: str, text: str) -> Document:
    parser = code_parser(uri)
    assert parser is not None
    return parser.parse(Source(DocumentId("doc_1"), uri, normalise(text), 0.0))


def assert_outlined(document: Document) -> None:
    """Sections nest and are in order, each with its own id and anchor; blocks cover all that is not blank."""
    text = document.text
    assert [section.span.start for section in document.sections] == sorted(
        section.span.start for section in document.sections
    )
    above: list[int] = []
    for section in document.sections:
        while above and section.span.start >= above[-1]:
            above.pop()
        assert not above or section.span.end <= above[-1]
        above.append(section.span.end)
        assert section.level == 0 or (section.path and section.anchor)
    assert len({section.id for section in document.sections}) == len(document.sections)
    assert len({section.anchor for section in document.sections}) == len(document.sections)
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(text)
        assert not text[end : block.start].strip()
        assert block.start == 0 or text[block.start - 1] == "\n"
        end = block.end
    assert not text[end:].strip()
    for link in document.links:
        assert link.target
        assert link.span.of(text) == link.target


@given(st.sampled_from(URIS), _any_text)
@settings(max_examples=examples(400))
def test_any_text_is_outlined_in_order_and_covered(uri: str, text: str) -> None:
    document = parsed(uri, text)

    assert_outlined(document)
    assert document == parsed(uri, text)


@given(st.sampled_from(URIS), _any_text, chunk_sizes(), st.sampled_from((WordCounter(), Spelling())))
@settings(max_examples=examples(300))
def test_chunks_of_any_text_are_exact_slices_in_order_within_the_hard_maximum(
    uri: str, text: str, sizes: ChunkSizes, counter: WordCounter
) -> None:
    document = parsed(uri, text)

    chunks = CodeChunker(sizes, counter).chunk(document)

    assert_sound(document, chunks, sizes, counter)
    sections = {section.id: section for section in document.sections}
    longest = max([sizes.hard_max, *(counter.count(character) for character in set(document.text))])
    for chunk in chunks:
        assert chunk.tokens <= longest
        owner = sections[chunk.section_id].span
        assert owner.start <= chunk.span.start < owner.end
    assert chunks == CodeChunker(sizes, counter).chunk(document)


@given(st.text())
def test_every_character_is_one_byte_of_what_a_grammar_sees(text: str) -> None:
    source = ascii_bytes(text)

    assert len(source) == len(text)
    assert [at for at, byte in enumerate(source) if byte == 10] == [at for at, char in enumerate(text) if char == "\n"]


@given(st.lists(st.sampled_from(("alpha", "beta", "gamma", "Delta", "n0")), min_size=1, max_size=12))
def test_every_function_written_is_found_where_it_is(names: Sequence[str]) -> None:
    text = "".join(f"def {name}(x):\n    return {number}\n\n\n" for number, name in enumerate(names))

    document = parsed("m.py", text)

    assert [section.title for section in document.sections[1:]] == list(names)
    assert [section.span.of(document.text).split("return ")[1].strip() for section in document.sections[1:]] == [
        str(number) for number in range(len(names))
    ]
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.CODE] * len(names)


@given(
    st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), st.integers() | st.booleans(), max_size=8)
)
def test_every_top_level_key_is_a_section_in_each_format(data: dict[str, int]) -> None:
    formats = {
        "a.json": "{\n" + ",\n".join(f'  "{key}": {value!r}' for key, value in data.items()) + "\n}\n",
        "a.yaml": "".join(f"{key}: {value}\n" for key, value in data.items()),
        "a.toml": "".join(f"[{key}]\nvalue = {value}\n" for key, value in data.items()),
    }
    for uri, text in formats.items():
        document = parsed(uri, text)
        assert [section.title for section in document.sections[1:]] == list(data)
