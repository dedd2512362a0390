"""Which language a file is in, and what loading it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from octavo.parsing.code.language_detection import (
    CODE_EXTENSIONS,
    CODE_NAMES,
    CONFIG_EXTENSIONS,
    language_of,
    module_name,
)
from octavo.parsing.code.treesitter import ascii_bytes, syntax_for
from octavo.parsing.code.treesitter_node_roles import GRAMMARS
from octavo.parsing.registry import CODE_PARSER_VERSION, LANGUAGE_BY_EXTENSION, code_parser

ASKED_FOR = """
    python javascript typescript tsx go rust java c cpp csharp ruby php kotlin swift scala shell sql html css
"""


@pytest.mark.parametrize("language", ASKED_FOR.split())
def test_every_language_asked_for_has_a_grammar_that_loads(language: str) -> None:
    assert language in CODE_EXTENSIONS.values()
    assert syntax_for(language) is not None


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_a_grammar_knows_every_node_type_it_is_said_to_have(language: str) -> None:
    syntax = syntax_for(language)
    assert syntax is not None
    known = syntax.kinds()

    said = set(syntax.grammar.roles()) | set(syntax.grammar.imports.split()) | set(syntax.grammar.names)
    assert said - known - {"ERROR"} == set()


@pytest.mark.parametrize(
    ("uri", "language"),
    [
        ("a/b.PY", "python"),
        ("x.tsx", "tsx"),
        ("Dockerfile", "dockerfile"),
        ("sub/Makefile", "make"),
        (".bashrc", "shell"),
        ("x.unknown", None),
        ("README", None),
    ],
)
def test_a_language_is_told_by_the_name(uri: str, language: str | None) -> None:
    assert language_of(uri) == language


def test_a_header_is_c_until_it_shows_cpp() -> None:
    assert language_of("a.h", "int f(void);\n") == "c"
    assert language_of("a.h", "namespace a {\nint f();\n}\n") == "cpp"
    assert language_of("a.h", "template <class T> T f(T);\n") == "cpp"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("def turn(\n    speed, *, angle=0\n):\n    pass\n", "python"),
        ("@cached(size=3)\ndef turn(self):\n    pass\n", "python"),
        ("def turn(speed, angle: 0) # :nodoc:\n  speed\nend\n", "ruby"),
        ("def []=(key, value)\n  write(key, value)\nend\n", "ruby"),
        ("function turn($speed)\n{\n}\n", "php"),
        ("function turn(speed) {\n}\n", "javascript"),
        ("async turn(speed) {\n  await this.move();\n}\n", "javascript"),
        ("#turn() {\n}\n", "javascript"),
        ("func turn(_ speed: Int) -> Bool {\n}\n", "swift"),
        ("func (d *Dome) Turn(speed int) error {\n}\n", "go"),
        ("pub const fn turn(speed: u8) -> u8 {\n    speed\n}\n", "rust"),
        ("override suspend fun turn(speed: Int) {\n}\n", "kotlin"),
        ("public Dome(final int size) {\n    this.size = size;\n}\n", "java"),
        ("static inline uint8_t *turn(struct dome *d)\n{\n}\n", "c"),
        ("Turn the dome (slowly) until it stops.\n", None),
        ("func is short for function: a word of some languages\n", None),
        ("int the morning it rained.\n", None),
    ],
)
def test_a_snippet_without_a_name_is_known_by_how_it_begins(text: str, language: str | None) -> None:
    assert language_of("snippet-7", text) == language


@pytest.mark.parametrize(
    ("uri", "language", "module"),
    [
        ("src/octavo/model/normalised_text_and_spans.py", "python", "octavo.model.normalised_text_and_spans"),
        ("octavo/model/__init__.py", "python", "octavo.model"),
        ("web/components/index.js", "javascript", "components"),
        ("crate/src/parse/mod.rs", "rust", "parse"),
        ("cmd/server.go", "go", "server"),
        (".bashrc", "shell", ".bashrc"),
    ],
)
def test_a_module_is_called_as_other_code_calls_it(uri: str, language: str, module: str) -> None:
    assert module_name(uri, language) == module


def test_names_are_in_lower_case_and_no_ending_means_two_things() -> None:
    assert all(ending == ending.lower() and ending.startswith(".") for ending in CODE_EXTENSIONS)
    assert all(name == name.lower() for name in CODE_NAMES)
    assert not set(CODE_EXTENSIONS) & set(CONFIG_EXTENSIONS)


def test_every_extension_has_a_parser_and_the_recorded_version_is_theirs() -> None:
    parsers = {code_parser(f"a{ending}") for ending in LANGUAGE_BY_EXTENSION}

    assert None not in parsers
    assert "+".join(sorted(parser.version for parser in parsers if parser)) == CODE_PARSER_VERSION


def test_prose_has_no_code_parser() -> None:
    assert code_parser("notes/a.md") is None
    assert code_parser("LICENSE") is None


def test_text_of_any_script_becomes_as_many_bytes_as_it_has_characters() -> None:
    text = "x = 'naïve 漢字 😀'\u00a0\u2028\0" + "#" * 300

    source = ascii_bytes(text)

    assert len(source) == len(text)
    assert source.startswith(b"x = 'naxve xx x'")
    assert b"\0" not in source


def test_one_language_loads_no_grammar_of_another_and_importing_loads_none() -> None:
    program = (
        "import sys\n"
        "from octavo.parsing.registry import code_parser\n"
        "from octavo.parsing.code.treesitter import syntax_for\n"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter')]\n"
        "syntax_for('go')\n"
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_') and '.' not in name))\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['tree_sitter_go']"
