"""The specification of structured writing by its sentences: the bytes before, the call, the bytes or the error after.

Each case is named by the sentence it shows. Properties over generated Markdown are in tests/properties.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from python_calls import HASHING

import octavo as package
from octavo.errors import OctavoError

# sentence, bytes before, operation, arguments, bytes after or the code of the error
Case = tuple[str, bytes, str, tuple[Any, ...], bytes | str]

READING: list[Case] = [
    (
        "lines end with LF or CRLF and nothing else",
        b"# A\x0bB\r\nx\n",
        "append_to_section",
        (["A\x0bB"], "y"),
        b"# A\x0bB\r\nx\n\ny\n",
    ),
    (
        "a form feed is not blank",
        b"# A\n\n\x0c\n# B\n",
        "append_to_section",
        (["A"], "y"),
        b"# A\n\n\x0c\n\ny\n\n# B\n",
    ),
    (
        "a no-break space is not blank",
        "# A\n\n\u00a0\n".encode(),
        "append_to_section",
        (["A"], "y"),
        "# A\n\n\u00a0\n\ny\n".encode(),
    ),
    (
        "a leading byte order mark is not text",
        b"\xef\xbb\xbf# A\n",
        "append_to_section",
        (["A"], "y"),
        b"\xef\xbb\xbf# A\n\ny\n",
    ),
    ("front matter ends with ---", b"---\n# no\n---\n# A\n", "append_to_section", (["no"], "y"), "NOT_FOUND"),
    (
        "front matter ends with ...",
        b"---\n# no\n...\n# A\n",
        "append_to_section",
        (["A"], "y"),
        b"---\n# no\n...\n# A\n\ny\n",
    ),
    ("without an end it is none", b"---\n# A\n", "append_to_section", (["A"], "y"), b"---\n# A\n\ny\n"),
    ("only from the first line", b"\n---\n# A\n---\n", "append_to_section", (["A"], "y"), b"\n---\n# A\n---\n\ny\n"),
    ("headings are ATX", b"   ### A ##  \n", "append_to_section", (["A"], "y"), b"   ### A ##  \n\ny\n"),
    ("and setext", b"A\nB\n---\n", "append_to_section", (["A B"], "y"), b"A\nB\n---\n\ny\n"),
    ("a hash needs a space", b"#A\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("a tab is one", b"#\tA\t#\n", "append_to_section", (["A"], "y"), b"#\tA\t#\n\ny\n"),
    ("not in quotes", b"> # A\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("not in lists", b"- # A\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("not in fences", b"```\n# A\n```\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("not in indented code", b"    # A\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("not in HTML blocks", b"<div>\n# A\n</div>\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("not in comments", b"<!--\n\n# A\n\n-->\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("an escaped hash does not close", b"# A \\#\n", "append_to_section", (["A \\#"], "y"), b"# A \\#\n\ny\n"),
    ("a heading may be empty", b"#\n", "append_to_section", ([""], "y"), b"#\n\ny\n"),
]

FINDING: list[Case] = [
    ("as written in the source", b"# *A* `b`\n", "append_to_section", (["*A* `b`"], "y"), b"# *A* `b`\n\ny\n"),
    ("as the outline shows it", b"# *A* `b`\n", "append_to_section", (["A b"], "y"), b"# *A* `b`\n\ny\n"),
    ("case-sensitively", b"# A\n", "append_to_section", (["a"], "y"), "NOT_FOUND"),
    ("the whole text", b"# A b\n", "append_to_section", (["A"], "y"), "NOT_FOUND"),
    ("at each step from the root", b"# A\n\n## B\n\n### C\n", "append_to_section", (["B", "C"], "y"), "NOT_FOUND"),
    ("a jump makes no step", b"# A\n\n### B\n", "append_to_section", (["A", "B"], "y"), b"# A\n\n### B\n\ny\n"),
    ("several fit", b"# A\n# A\n", "append_to_section", (["A"], "y"), "INVALID_ARGUMENT"),
    (
        "below several parents one fits",
        b"# A\n# A\n## B\n",
        "append_to_section",
        (["A", "B"], "y"),
        b"# A\n# A\n## B\n\ny\n",
    ),
    ("the root is no section to append to", b"# A\n", "append_to_section", ([], "y"), "INVALID_ARGUMENT"),
    ("nor to replace", b"# A\n", "replace_section", ([], "y"), "INVALID_ARGUMENT"),
    ("nor to move", b"# A\n", "move_section", ([], ["A"]), "INVALID_ARGUMENT"),
    ("but a parent", b"# A\n", "insert_section", ([], "B", ""), b"# A\n\n# B\n"),
]

BYTES: list[Case] = [
    (
        "odd line endings stay",
        b"# A\r\nx\n\n# B\r\n\ry\r\n",
        "replace_section",
        (["A"], "n"),
        b"# A\r\n\r\nn\r\n\r\n# B\r\n\ry\r\n",
    ),
    ("as many of either: LF", b"# A\r\nx\n", "append_to_section", (["A"], "y"), b"# A\r\nx\n\ny\n"),
    (
        "most lines have CRLF",
        b"# A\r\nx\r\nz\n",
        "append_to_section",
        (["A"], "a\nb"),
        b"# A\r\nx\r\nz\n\r\na\r\nb\r\n",
    ),
    ("CRLF in content", b"# A\n", "append_to_section", (["A"], "a\r\nb\r\n"), b"# A\n\na\nb\n"),
    ("a lone CR in content stays", b"# A\n", "append_to_section", (["A"], "a\rb"), b"# A\n\na\rb\n"),
    (
        "whole blank lines are dropped, indentation is not",
        b"# A\n",
        "replace_section",
        (["A"], " \n\t\n    code  \n\n \n"),
        b"# A\n\n    code  \n",
    ),
    ("no final newline stays absent", b"# A\n\n# B\nx", "append_to_section", (["A"], "y"), b"# A\n\ny\n\n# B\nx"),
    (
        "blank lines elsewhere stay",
        b"\n\n# A\n\n\n\n# B\n\n\n",
        "append_to_section",
        (["A"], "y"),
        b"\n\n# A\n\ny\n\n# B\n\n\n",
    ),
]

SPACING: list[Case] = [
    ("one between heading and content", b"# A\nold\n# B\n", "replace_section", (["A"], "n"), b"# A\n\nn\n\n# B\n"),
    (
        "those around are replaced",
        b"# A\n \n\t\nold\n\n\n\n# B\n",
        "replace_section",
        (["A"], "n"),
        b"# A\n\nn\n\n# B\n",
    ),
    ("one below an empty section", b"# A\nold\n# B\n", "replace_section", (["A"], ""), b"# A\n\n# B\n"),
    ("one line ending at the end", b"# A\nold\n\n\n", "replace_section", (["A"], "n\n\n"), b"# A\n\nn\n"),
    ("also of an emptied section", b"# A\n\nold", "replace_section", (["A"], " "), b"# A\n"),
    ("also where none was", b"# A", "append_to_section", (["A"], "y"), b"# A\n\ny\n"),
    ("no blank line at the start", b"\n\n# B\n", "insert_section", ([], "A", "x", None, "first"), b"# A\n\nx\n\n# B\n"),
    ("nor in an empty file", b"", "insert_section", ([], "A", ""), b"# A\n"),
    ("nor behind a byte order mark", b"\xef\xbb\xbf", "insert_section", ([], "A", ""), b"\xef\xbb\xbf# A\n"),
    (
        "one below front matter",
        b"---\na: 1\n---\n# B\n",
        "insert_section",
        ([], "A", "", None, "first"),
        b"---\na: 1\n---\n\n# A\n\n# B\n",
    ),
    (
        "one below front matter without an end of line",
        b"---\na: 1\n---",
        "insert_section",
        ([], "A", ""),
        b"---\na: 1\n---\n\n# A\n",
    ),
    (
        "between text and a new heading",
        b"text\n# B\n",
        "insert_section",
        ([], "A", "", None, "first"),
        b"text\n\n# A\n\n# B\n",
    ),
]

STRUCTURE: list[Case] = [
    ("deeper headings are welcome", b"# A\n", "append_to_section", (["A"], "## B"), b"# A\n\n## B\n"),
    ("of the same level not", b"# A\n", "append_to_section", (["A"], "# B"), "INVALID_ARGUMENT"),
    ("setext counts", b"## A\n", "append_to_section", (["A"], "B\n==="), "INVALID_ARGUMENT"),
    ("an open fence", b"# A\n\n# B\n", "replace_section", (["A"], "```\nx"), "INVALID_ARGUMENT"),
    ("at the end too", b"# A\n", "replace_section", (["A"], "~~~\nx"), "INVALID_ARGUMENT"),
    ("an open comment", b"# A\n\n# B\n", "append_to_section", (["A"], "<!-- x"), "INVALID_ARGUMENT"),
    (
        "a heading that takes in what follows",
        b"# A\n\n### C\n",
        "append_to_section",
        (["A"], "## B"),
        "INVALID_ARGUMENT",
    ),
    ("replace drops its own heading", b"## A\n", "replace_section", (["A"], "## A\n\nx"), b"## A\n\nx\n"),
    ("of another level not", b"# A\n", "replace_section", (["A"], "## A\n\nx"), b"# A\n\n## A\n\nx\n"),
    ("insert drops it", b"# P\n", "insert_section", (["P"], "A", "## A\nx"), b"# P\n\n## A\n\nx\n"),
    ("append does not", b"## A\n", "append_to_section", (["A"], "## A\nx"), "INVALID_ARGUMENT"),
    (
        "text that would underline nothing else",
        b"# A\n\nx\n",
        "append_to_section",
        (["A"], "---"),
        b"# A\n\nx\n\n---\n",
    ),
]

INSERT: list[Case] = [
    (
        "last, after the whole section",
        b"# P\n## A\n### C\n# Q\n",
        "insert_section",
        (["P"], "B", "x"),
        b"# P\n## A\n### C\n\n## B\n\nx\n\n# Q\n",
    ),
    (
        "first, before the first child",
        b"# P\nt\n## A\n",
        "insert_section",
        (["P"], "B", "", None, "first"),
        b"# P\nt\n\n## B\n\n## A\n",
    ),
    (
        "first without children",
        b"# P\nt\n# Q\n",
        "insert_section",
        (["P"], "B", "", None, "first"),
        b"# P\nt\n\n## B\n\n# Q\n",
    ),
    (
        "after a child's whole section",
        b"# P\n## A\n### C\n## D\n",
        "insert_section",
        (["P"], "B", "", None, {"after": ["P", "A"]}),
        b"# P\n## A\n### C\n\n## B\n\n## D\n",
    ),
    (
        "not a child",
        b"# P\n## A\n# Q\n",
        "insert_section",
        (["Q"], "B", "", None, {"after": ["P", "A"]}),
        "INVALID_ARGUMENT",
    ),
    ("unknown", b"# P\n", "insert_section", (["P"], "B", "", None, {"after": ["P", "X"]}), "NOT_FOUND"),
    ("another position", b"# P\n", "insert_section", (["P"], "B", "", None, "middle"), "INVALID_ARGUMENT"),
    ("after nothing", b"# P\n", "insert_section", (["P"], "B", "", None, {"after": []}), "INVALID_ARGUMENT"),
    ("a level given", b"# P\n", "insert_section", (["P"], "B", "", 4), b"# P\n\n#### B\n"),
    ("it must exceed the parent's", b"## P\n", "insert_section", (["P"], "B", "", 2), "INVALID_ARGUMENT"),
    ("at most six", b"###### P\n", "insert_section", (["P"], "B", ""), "INVALID_ARGUMENT"),
    ("and seven is none", b"# P\n", "insert_section", (["P"], "B", "", 7), "INVALID_ARGUMENT"),
    (
        "it must land under its parent",
        b"# P\n### A\n",
        "insert_section",
        (["P"], "B", "", 4, {"after": ["P", "A"]}),
        "INVALID_ARGUMENT",
    ),
    ("and adopt nothing", b"# P\n#### A\n", "insert_section", (["P"], "B", "", 2, "first"), "INVALID_ARGUMENT"),
    ("one line", b"# P\n", "insert_section", (["P"], "B\nC", ""), "INVALID_ARGUMENT"),
    ("not blank", b"# P\n", "insert_section", (["P"], " ", ""), "INVALID_ARGUMENT"),
    ("without markers", b"# P\n", "insert_section", (["P"], "## B", ""), "INVALID_ARGUMENT"),
    ("a child of that text", b"# P\n## B\n", "insert_section", (["P"], "B", ""), "CONFLICT"),
]

APPEND: list[Case] = [
    ("before any child", b"# A\nx\n## B\n", "append_to_section", (["A"], "y"), b"# A\nx\n\ny\n\n## B\n"),
    ("one list", b"# A\n\n- x\n", "append_to_section", (["A"], "- y"), b"# A\n\n- x\n- y\n"),
    ("another bullet", b"# A\n\n- x\n", "append_to_section", (["A"], "* y"), b"# A\n\n- x\n\n* y\n"),
    ("another indentation", b"# A\n\n- x\n", "append_to_section", (["A"], "  - y"), b"# A\n\n- x\n\n  - y\n"),
    ("numbers with one delimiter", b"# A\n\n1. x\n", "append_to_section", (["A"], "7. y"), b"# A\n\n1. x\n7. y\n"),
    ("with another", b"# A\n\n1. x\n", "append_to_section", (["A"], "2) y"), b"# A\n\n1. x\n\n2) y\n"),
    (
        "a list behind blank lines",
        b"# A\n\n- x\n\n\n## B\n",
        "append_to_section",
        (["A"], "- y"),
        b"# A\n\n- x\n- y\n\n## B\n",
    ),
    ("a table", b"# A\n\n| a |\n|---|\n", "append_to_section", (["A"], "| b |"), b"# A\n\n| a |\n|---|\n| b |\n"),
    ("nothing to append", b"# A\n", "append_to_section", (["A"], " \n"), "INVALID_ARGUMENT"),
]

MOVE: list[Case] = [
    ("as the last child", b"# A\n\na\n\n# B\n\nb\n", "move_section", (["A"], ["B"]), b"# B\n\nb\n\n## A\n\na\n"),
    ("of the root", b"# A\n\na\n\n# B\n\nb\n", "move_section", (["A"], []), b"# B\n\nb\n\n# A\n\na\n"),
    (
        "all headings shift",
        b"# P\n## A\n#### C #\n# B\n",
        "move_section",
        (["P", "A"], []),
        b"# P\n# B\n\n# A\n### C #\n",
    ),
    ("setext becomes ATX", b"A\n===\nx\n\n# B\n", "move_section", (["A"], ["B"]), b"# B\n\n## A\nx\n"),
    (
        "code and comments stay",
        b"# A\n```\n# x\n```\n<!--\n# y\n-->\n# B\n",
        "move_section",
        (["A"], ["B"]),
        b"# B\n\n## A\n```\n# x\n```\n<!--\n# y\n-->\n",
    ),
    ("already the last child", b"# A\n## B\n\n\n", "move_section", (["A", "B"], ["A"]), b"# A\n## B\n\n\n"),
    ("a cut leaves the end of the file", b"# A\n\n# B\nx", "move_section", (["B"], ["A"]), b"# A\n\n## B\nx\n"),
    ("above level six", b"# A\n###### C\n# B\n", "move_section", (["A"], ["B"]), "INVALID_ARGUMENT"),
    ("below itself", b"# A\n", "move_section", (["A"], ["A"]), "INVALID_ARGUMENT"),
    ("below its own descendant", b"# A\n## B\n", "move_section", (["A"], ["A", "B"]), "INVALID_ARGUMENT"),
    ("another child of that text", b"# A\n# B\n## A\n", "move_section", (["A"], ["B"]), "CONFLICT"),
    ("an unknown parent", b"# A\n", "move_section", (["A"], ["X"]), "NOT_FOUND"),
]

CREATE: list[tuple[str, dict[str, Any], bytes | str]] = [
    ("without content the heading alone", {"title": "T"}, b"# T\n"),
    ("LF and one final newline", {"title": "T", "content_md": "\r\na\r\nb\r\n\r\n"}, b"# T\n\na\nb\n"),
    ("a title is not blank", {"title": " \t"}, "INVALID_ARGUMENT"),
    ("a title is one line", {"title": "a\nb"}, "INVALID_ARGUMENT"),
    (
        "front matter goes to the top",
        {"title": "T", "content_md": "---\na: 1\n---\nx"},
        b"---\na: 1\n---\n\n# T\n\nx\n",
    ),
    ("also alone", {"title": "T", "content_md": "---\na: 1\n...\n"}, b"---\na: 1\n...\n\n# T\n"),
    ("a heading that repeats the title", {"title": "T", "content_md": "# T #\nx"}, b"# T\n\nx\n"),
    (
        "also below front matter",
        {"title": "T", "content_md": "---\na: 1\n---\n\n# T\n\nx"},
        b"---\na: 1\n---\n\n# T\n\nx\n",
    ),
    (
        "a template",
        {"title": "T", "content_md": "{{title}}", "template": "t.md"},
        b"# T!\n\n{{other}} {{ title }} {\n\n{{title}}\n\nend\n",
    ),
    ("without {{content}} it follows", {"title": "T", "content_md": "x", "template": "u.md"}, b"T\n\nx\n"),
    ("a template that is not there", {"title": "T", "template": "nowhere.md"}, "NOT_FOUND"),
    ("a hash, and no file", {"title": "T", "expected_hash": "0" * 64}, "CONFLICT"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spec") / "notes"
    folder.mkdir()
    (folder / "t.md").write_bytes(b"# {{title}}!\r\n\r\n{{other}} {{ title }} {\r\n\r\n{{content}}\r\n\r\nend\r\n")
    (folder / "u.md").write_bytes(b"{{title}}\n\n")
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[package.Library]:
    with package.open(folder.parent / "library.db", create=True, config=HASHING) as library:
        library.add(folder, name="notes", writable=True)
        yield library


CASES = [*READING, *FINDING, *BYTES, *SPACING, *STRUCTURE, *INSERT, *APPEND, *MOVE]


@pytest.mark.parametrize(
    ("before", "operation", "arguments", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_call_does_what_the_sentence_says(
    library: package.Library,
    folder: Path,
    before: bytes,
    operation: str,
    arguments: tuple[Any, ...],
    expected: bytes | str,
) -> None:
    path = folder / "note.md"
    path.write_bytes(before)
    call = getattr(library.doc, operation)
    names = {"insert_section": ("parent_heading_path", "heading", "content_md", "level", "position")}
    given = dict(zip(names[operation], arguments, strict=False)) if operation in names else {}
    positional = () if given else arguments
    if isinstance(expected, str):
        for dry_run in (True, False):
            with pytest.raises(OctavoError) as error:
                call("note.md", *positional, **given, dry_run=dry_run)
            assert (error.value.code, path.read_bytes()) == (expected, before)
        return
    said = call("note.md", *positional, **given, dry_run=True)
    assert path.read_bytes() == before
    answer = call("note.md", *positional, **given, expected_hash=hashlib.sha256(before).hexdigest())
    assert path.read_bytes() == expected
    assert said.hash == answer.hash == hashlib.sha256(expected).hexdigest()
    assert answer.changed == (before != expected)


@pytest.mark.parametrize(("arguments", "expected"), [case[1:] for case in CREATE], ids=[case[0] for case in CREATE])
def test_a_file_is_made_as_the_sentence_says(
    library: package.Library, folder: Path, arguments: dict[str, Any], expected: bytes | str
) -> None:
    path = folder / "made" / "new.md"
    if isinstance(expected, str):
        with pytest.raises(OctavoError) as error:
            library.doc.create("made/new.md", **arguments)
        assert error.value.code == expected and not path.parent.exists()
        return
    library.doc.create("made/new.md", **arguments, dry_run=True)
    assert not path.parent.exists()
    library.doc.create("made/new.md", **arguments)
    assert path.read_bytes() == expected
    with pytest.raises(OctavoError) as error:
        library.doc.create("made/new.md", **arguments)
    assert error.value.code == "CONFLICT"
    assert library.doc.create("made/new.md", **arguments, overwrite=True).changed is False
    path.unlink()
    path.parent.rmdir()
