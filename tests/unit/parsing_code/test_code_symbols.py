"""What is found in source code: symbols, the stretches between cuts, and where they begin and end."""

from __future__ import annotations

from textwrap import dedent

import pytest

from octavo.model.document import BlockKind, Document, Kind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.code.parser import CodeParser


def parsed(uri: str, text: str) -> Document:
    return CodeParser().parse(Source(DocumentId("doc_1"), uri, dedent(text).lstrip("\n"), 0.0))


def symbols(document: Document) -> dict[str, str]:
    return {section.anchor: section.span.of(document.text) for section in document.sections[1:]}


def kinds(document: Document) -> list[tuple[BlockKind, str]]:
    return [(block.kind, document.text[block.start : block.end].strip("\n")) for block in document.blocks]


def test_a_symbol_reaches_from_its_comments_and_decorators_to_its_last_line() -> None:
    document = parsed(
        "a.py",
        """
        import os

        # Not about f.

        # About f,
        # in two lines.
        @first
        @second(1)
        async def f(x):
            return x  # done

        y = 1
        """,
    )

    assert symbols(document) == {
        "f": "# About f,\n# in two lines.\n@first\n@second(1)\nasync def f(x):\n    return x  # done\n"
    }


def test_members_are_found_through_conditions_and_in_nested_classes_but_not_in_functions() -> None:
    document = parsed(
        "pkg/mod.py",
        """
        class A:
            class B:
                def deep(self):
                    def local():
                        pass

        try:
            import fast
        except ImportError:
            def slow(): pass
        """,
    )

    assert [section.path for section in document.sections] == [
        (),
        ("pkg.mod", "A"),
        ("pkg.mod", "A", "B"),
        ("pkg.mod", "A", "B", "deep"),
        ("pkg.mod", "slow"),
    ]
    assert [section.level for section in document.sections] == [0, 1, 2, 3, 1]


def test_the_root_section_is_the_whole_file() -> None:
    document = parsed("a.py", "def f(): pass\n\nx = 1\n")

    root = document.sections[0]
    assert (root.path, root.level, root.anchor) == ((), 0, "")
    assert root.span.of(document.text) == document.text


def test_docstrings_comments_signatures_and_code_are_told_apart() -> None:
    document = parsed(
        "a.py",
        '''
        """The module."""
        # A remark.
        x = 1  # not a remark of its own


        def f(
            a,
        ):
            """The function."""
            return a
        ''',
    )

    assert kinds(document) == [
        (BlockKind.DOCSTRING, '"""The module."""'),
        (BlockKind.COMMENT, "# A remark."),
        (BlockKind.CODE, "x = 1  # not a remark of its own"),
        (BlockKind.HEADING, "def f(\n    a,\n):"),
        (BlockKind.DOCSTRING, '    """The function."""'),
        (BlockKind.CODE, "    return a"),
    ]


def test_a_doc_comment_is_a_docstring_and_other_comments_are_not() -> None:
    document = parsed("a.rs", "/// Says what.\n// And why.\nfn f() {}\n")

    assert [kind for kind, _ in kinds(document)] == [BlockKind.DOCSTRING, BlockKind.COMMENT, BlockKind.HEADING]
    assert symbols(document)["f"].startswith("/// Says what.")


def test_long_decorators_are_not_part_of_the_signature() -> None:
    cases = "".join(f'    ("case {number}", {number}),\n' for number in range(12))
    document = parsed("a.py", f"@parametrize([\n{cases}])\ndef test_it(case, number):\n    assert case\n")

    headings = [text for kind, text in kinds(document) if kind is BlockKind.HEADING]
    assert headings == ["def test_it(case, number):"]


def test_a_long_body_is_cut_at_its_statements_and_a_short_one_is_not() -> None:
    long = "".join(
        f"    total_{number} = compute({number}, 'some argument that takes room')\n\n" for number in range(9)
    )
    document = parsed("a.py", f"def short():\n    a = 1\n    b = 2\n    return a + b\n\n\ndef long():\n{long}")

    texts = [text for _, text in kinds(document)]
    assert "    total_4 = compute(4, 'some argument that takes room')" in texts
    assert "    return a + b" not in texts


def test_a_declaration_inside_an_expression_of_a_module_wrapper_is_found() -> None:
    body = "".join(f"  function step{number}() {{ return {number}; }}\n" for number in range(20))
    document = parsed("old.js", f"(function (root) {{\n{body}}})(this);\n")

    assert {"step0", "step19"} <= set(symbols(document))


def test_overloads_have_anchors_of_their_own() -> None:
    document = parsed("A.java", "class A {\n  void f(int a) {}\n  void f(long a) {}\n}\n")

    assert [section.anchor for section in document.sections[1:]] == ["A", "A.f", "A.f-1"]
    assert len({section.id for section in document.sections}) == 4


def test_a_method_declared_outside_its_type_has_the_type_in_its_path() -> None:
    go = parsed("q.go", "package q\n\nfunc (q *Queue[T]) Put(x T) {}\n")
    cpp = parsed("q.cpp", "int ns::Queue<int>::put(int x) { return x; }\n")

    assert go.sections[1].path == ("q", "Queue", "Put")
    assert cpp.sections[1].path == ("q", "ns", "Queue", "put")


def test_two_declarations_on_a_line_keep_apart() -> None:
    document = parsed("a.js", "function a() {} function b() {}\n")

    assert symbols(document) == {"a": "function a() {}", "b": "function b() {}\n"}


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("a.py", "def ünïcode(名前):\n    '''Größe: 10 €'''\n    return 名前\n\n\ndef after(): pass\n"),
        ("a.js", "// 漢字\nfunction ünïcode(名前) { return '😀😀'; }\n\nfunction after() {}\n"),
    ],
)
def test_offsets_are_characters_whatever_the_script(uri: str, text: str) -> None:
    document = parsed(uri, text)

    assert set(symbols(document)) == {"ünïcode", "after"}
    assert symbols(document)["after"].rstrip().split("(")[0].split()[-1] == "after"


@pytest.mark.parametrize(
    ("uri", "text", "names"),
    [
        ("a.py", "def f(:\n    return\n\ndef g():\n    return 1\n", {"g"}),
        ("a.js", "function f() { return (1 + ; }\n\nfunction g() { return 2; }\n", {"g"}),
        ("a.java", "class A { void f() { int x = ; } void g() {} \n", {"A"}),
        ("a.rs", "fn f( {\n\nfn g() {}\n", {"g"}),
        ("a.go", "package a\n\nfunc f() {\n\tx := [\n}\n\nfunc g() {}\n", {"f", "g"}),
    ],
)
def test_broken_code_still_gives_what_is_whole(uri: str, text: str, names: set[str]) -> None:
    document = parsed(uri, text)

    assert names <= set(symbols(document))
    assert "".join(document.text[block.start : block.end] for block in document.blocks).strip() == text.strip()


def test_title_keywords_language_and_kind_come_from_the_file() -> None:
    document = parsed("src/app/server.py", '"""Serves."""\n\nclass Server: pass\nclass Client: pass\ndef run(): pass\n')

    assert (document.title, document.kind, document.language) == ("server.py", Kind.CODE, "python")
    assert document.keywords == ("Server", "Client", "run")
    assert document.description == "Serves."
    assert document.sections[1].path == ("app.server", "Server")


def test_the_same_text_gives_the_same_document() -> None:
    text = "class A:\n    def f(self): pass\n"

    assert parsed("a.py", text) == parsed("a.py", text)
