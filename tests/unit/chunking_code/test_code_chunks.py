"""How code is cut: whole declarations where they fit, small ones together, long ones at their statements."""

from __future__ import annotations

from textwrap import dedent

from chunk_samples import WordCounter, assert_sound

from octavo.chunking.code_chunker import CodeChunker, MixedChunker, is_code, signature
from octavo.chunking.embedding_inputs import inputs
from octavo.chunking.section_chunker import SectionChunker
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import ChunkSizes
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.registry import code_parser

SIZES = ChunkSizes(target_min=20, target_max=36, hard_max=44, min_preferred=8, overlap=4)


def chunked(uri: str, text: str, sizes: ChunkSizes = SIZES) -> tuple[Chunk, ...]:
    parser = code_parser(uri)
    assert parser is not None
    document = parser.parse(Source(DocumentId("doc_1"), uri, dedent(text).lstrip("\n"), 0.0))
    counter = WordCounter()
    chunks = CodeChunker(sizes, counter).chunk(document)
    assert_sound(document, chunks, sizes, counter)
    return chunks


def body(name: str, statements: int) -> str:
    return "".join(f"    {name}_{number} = one + two * three\n" for number in range(statements))


def function(name: str, statements: int) -> str:
    return f"def {name}(a, b):\n{body(name, statements)}\n\n"


def titles(chunks: tuple[Chunk, ...]) -> list[str]:
    return [".".join(chunk.heading_path[1:]) for chunk in chunks]


def test_a_declaration_that_fits_is_one_chunk_with_its_comment_and_decorator() -> None:
    chunks = chunked("m.py", function("one", 4) + "# About two.\n@cached\n" + function("two", 4))

    assert titles(chunks) == ["one", "two"]
    assert chunks[1].text.startswith("# About two.\n@cached\ndef two(a, b):")
    assert chunks[1].text.endswith("two_3 = one + two * three")


def test_a_declaration_is_kept_whole_up_to_the_hard_maximum() -> None:
    chunks = chunked("m.py", function("small", 2) + function("large", 5) + function("huge", 20))

    assert titles(chunks)[:2] == ["small", "large"]
    assert chunks[1].tokens > SIZES.target_max
    assert set(titles(chunks)[2:]) == {"huge"}


def test_a_declaration_of_several_lines_is_a_chunk_of_its_own_however_small() -> None:
    text = "class A:\n" + "".join(f"    def get_{n}(self):\n        return {n}\n\n" for n in range(6)) + body("x", 9)
    chunks = chunked("m.py", text)

    assert chunks[0].heading_path == ("m", "A")
    assert chunks[0].text.startswith("class A:\n    def get_0")
    assert titles(chunks)[1:6] == [f"A.get_{n}" for n in range(1, 6)]


def test_imports_and_constants_share_a_chunk() -> None:
    chunks = chunked("m.py", "import a\nimport b\n\nX = 1\nY = 2\n\n\n" + function("f", 5))

    assert chunks[0].text == "import a\nimport b\n\nX = 1\nY = 2"
    assert chunks[0].heading_path == ()


def test_a_long_function_is_cut_between_statements_and_says_its_signature_again() -> None:
    chunks = chunked("m.py", "class A:\n    def f(self, a: int) -> None:\n" + body("    x", 30).replace("x_", "x_"))

    assert len(chunks) > 3
    assert all(chunk.heading_path[-1] in ("f", "A") for chunk in chunks)
    assert all(chunk.signature == "def f(self, a: int) -> None" for chunk in chunks[1:])
    assert all(chunk.text.lstrip().startswith(("class A", "x_")) for chunk in chunks)
    assert not any("def f" in chunk.text for chunk in chunks[1:])


def test_a_chunk_that_opens_a_method_has_the_signature_of_the_class() -> None:
    text = "class A(Base):\n" + "".join(f"    def f_{n}(self):\n{body('    x', 4)}\n" for n in range(3))
    chunks = chunked("m.py", text)

    methods = [chunk for chunk in chunks if chunk.heading_path[-1].startswith("f_")]
    assert len(methods) >= 2
    assert {chunk.signature for chunk in methods} == {"class A(Base)"}


def test_a_run_breaks_where_the_code_is_least_indented() -> None:
    inner = "".join(f"            deep_{number} = one + two\n" for number in range(3))
    block = f"    for x in y:\n        if x:\n{inner}"
    chunks = chunked("m.py", "def f():\n" + block * 8)

    assert all(chunk.text.startswith(("def f", "    for x")) for chunk in chunks)


def test_a_comment_goes_with_what_it_is_about() -> None:
    chunks = chunked("m.py", function("f", 4) + "# ---- helpers ----\n\n" + function("g", 4))

    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["def f(a, b):", "# ---- helpers ----"]


def test_what_is_mostly_comment_or_docstring_is_typed_so() -> None:
    words = " ".join(f"word{number}" for number in range(24))
    chunks = chunked("m.py", f'"""{words}"""\n\n# {words}\n\n' + function("f", 5))

    assert [chunk.content_type for chunk in chunks] == [
        ContentType.DOCSTRING,
        ContentType.COMMENT,
        ContentType.CODE,
    ]


def test_a_declaration_with_its_body_is_code_however_much_is_said_of_it() -> None:
    words = " ".join(f"word{number}" for number in range(24))
    (chunk,) = chunked("m.py", f'def f():\n    """{words}"""\n    return 1\n')

    assert chunk.content_type is ContentType.CODE


def test_a_line_is_cut_only_if_it_is_above_the_hard_maximum_by_itself() -> None:
    line = "x = [" + ", ".join(str(number) for number in range(100)) + "]"
    text = f"y = 1\n{line}\nz = 2\n"
    chunks = chunked("m.py", text)

    within = [chunk for chunk in chunks if chunk.span.start and text[chunk.span.start - 1] != "\n"]
    assert len(within) >= 2
    assert {chunk.lines.first for chunk in within} == {2}
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(f"y = 1{line}z = 2".split())


def test_a_small_config_file_is_one_chunk_and_a_large_one_is_cut_by_its_keys() -> None:
    small = chunked("a.yaml", "a: 1\nb:\n  c: 2\n")
    text = "".join(f"key{n}:\n" + "".join(f"  item{m}: value {m}\n" for m in range(8)) for n in range(4))
    large = chunked("a.yaml", text)

    assert [(chunk.heading_path, chunk.content_type) for chunk in small] == [((), ContentType.CONFIG)]
    assert [chunk.heading_path[-1] for chunk in large] == ["key0", "key1", "key2", "key3"]


def test_the_signature_is_in_what_is_embedded_and_not_in_the_excerpt() -> None:
    text = "def f(alpha):\n" + body("x", 30)
    parser = code_parser("m.py")
    assert parser is not None
    document = parser.parse(Source(DocumentId("doc_1"), "m.py", text, 0.0))
    chunk = CodeChunker(SIZES, WordCounter()).chunk(document)[1]

    (embedded,) = inputs(document, chunk, WordCounter(), 128)

    assert "def f(alpha)" in embedded.context
    assert "def f(alpha)" not in chunk.text


def test_a_signature_is_one_line_without_what_opens_the_body() -> None:
    assert signature("def f(\n    a,\n    b,\n) -> int:\n") == "def f( a, b, ) -> int"
    assert signature("public class A extends B {\n") == "public class A extends B"
    assert len(signature("def f(" + "argument, " * 100 + "):")) <= 160


def test_each_document_goes_to_the_chunker_for_its_kind() -> None:
    counter = WordCounter()
    mixed = MixedChunker(SectionChunker(SIZES, counter), CodeChunker(SIZES, counter))
    note = MarkdownParser().parse(Source(DocumentId("doc_1"), "a.md", "# T\n\nText.\n", 0.0))
    parser = code_parser("a.py")
    notebook_parser = code_parser("a.ipynb")
    assert parser is not None
    assert notebook_parser is not None
    code = parser.parse(Source(DocumentId("doc_1"), "a.py", "x = 1\n", 0.0))
    notebook = notebook_parser.parse(
        Source(DocumentId("doc_1"), "a.ipynb", '{"cells": [{"cell_type": "code", "source": "x = 1"}]}', 0.0)
    )

    assert [is_code(each) for each in (note, code, notebook)] == [False, True, False]
    assert mixed.version == "sections-1+code-5"
    assert [mixed.chunk(each)[0].content_type for each in (note, code, notebook)] == [
        ContentType.PROSE,
        ContentType.CODE,
        ContentType.CODE,
    ]


def test_an_edit_in_one_function_leaves_the_ids_of_other_chunks_alone() -> None:
    before = chunked("m.py", function("f", 5) + function("g", 5) + function("h", 5))
    after = chunked("m.py", function("f", 5) + function("g", 6) + function("h", 5))

    assert {chunk.id for chunk in before if "g" not in chunk.heading_path} <= {chunk.id for chunk in after}


def test_an_empty_file_has_no_chunk() -> None:
    assert chunked("m.py", "") == ()
    assert chunked("m.py", "\n\n") == ()


def test_a_label_between_two_declarations_is_no_chunk_of_its_own() -> None:
    first = "  def first\n" + "".join(f"    one_{number} = two + three\n" for number in range(7)) + "  end\n"
    chunks = chunked("m.rb", f"class A\n  attr :a\n\n{first}\n  private\n\n{first.replace('first', 'other')}end\n")

    assert not any(chunk.text.strip() == "private" for chunk in chunks)
    assert {"A.first", "A.other"} <= set(titles(chunks))
