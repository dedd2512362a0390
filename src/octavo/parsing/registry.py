"""Parser registry: which parser reads which file, by configured globs, its name, its extension or its first line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from octavo.algorithms.queries.path_globs import glob_expression
from octavo.fast_dataclass import Value
from octavo.model.document import Document, Kind, Source
from octavo.model.git_commit import is_commit
from octavo.parsing.code.generated_and_vendored_files import generated_reason
from octavo.parsing.code.language_detection import (
    CODE_EXTENSIONS,
    CODE_NAMES,
    CONFIG_EXTENSIONS,
    config_language,
    language_of,
)
from octavo.parsing.git_commit_parser import CommitParser
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser
from octavo.parsing.rst_asciidoc_org_latex_parser import ADOC, MARKUP_VERSION, ORG, RST, TEX
from octavo.ports import Parser

CODE_PARSER_VERSION = "code-2+config-1+notebook-1"
"""Recorded in the recipe with the other parsers' versions. A test compares it with the parsers' own."""

NOTEBOOK_EXTENSION = ".ipynb"

LANGUAGE_BY_EXTENSION: Mapping[str, str] = MappingProxyType(
    {**CODE_EXTENSIONS, **CONFIG_EXTENSIONS, NOTEBOOK_EXTENSION: "notebook"}
)
"""Every extension read here → language; complete names are in `CODE_NAMES`."""


def code_parser(uri: str) -> Parser | None:
    """The parser for a file of code, configuration or notebook cells, or None if its name says otherwise."""
    if uri.lower().endswith(NOTEBOOK_EXTENSION):
        return _notebook()
    if config_language(uri):
        return _config()
    return _code() if language_of(uri) else None


def script_parser() -> Parser:
    """The parser for code in a file without a telling name: its first line names the language."""
    return _code()


@cache
def _code() -> Parser:
    from octavo.parsing.code.parser import CodeParser

    return CodeParser()


@cache
def _config() -> Parser:
    from octavo.parsing.configuration_file_parser import ConfigParser

    return ConfigParser()


@cache
def _notebook() -> Parser:
    from octavo.parsing.code.notebook_parser import NotebookParser
    from octavo.parsing.markdown.parser import MarkdownParser

    return NotebookParser(MarkdownParser(), _config())


MARKDOWN = MarkdownParser()
PLAINTEXT = PlaintextParser()
COMMIT = CommitParser()
PARSER_VERSION = f"{MARKDOWN.version}+{PLAINTEXT.version}+{MARKUP_VERSION}+{CODE_PARSER_VERSION}+{COMMIT.version}"
"""Recorded in the recipe: a change in any parser makes a different index."""

_ENDINGS = (
    (MARKDOWN, ".md .markdown .mdown .mkd .mdx .qmd"),
    (PLAINTEXT, ".txt .text .base"),
    (RST, ".rst .rest"),
    (ADOC, ".adoc .asciidoc .asc"),
    (ORG, ".org"),
    (TEX, ".tex .latex"),
)
PARSERS: dict[str, Parser] = {ending: parser for parser, endings in _ENDINGS for ending in endings.split()}

_SCRIPT = ""  # the extension of a name without one

EXTENSIONS = frozenset({*PARSERS, *LANGUAGE_BY_EXTENSION, _SCRIPT})
"""Extensions to open, lower case with their dot; "" means no extension."""


def extensions(include: Sequence[str] = ()) -> frozenset[str]:
    """Extensions to open: those with a parser, and those a collection includes explicitly: `**/*.foo`."""
    included = (glob.rpartition("/")[2].rpartition(".") for glob in include)
    return EXTENSIONS | {f".{end.lower()}" for _, dot, end in included if dot and end.isalnum()}


_PROSE = """
    readme license license-apache license-mit licence unlicense copying notice authors contributors maintainers
    codeowners changelog changes history news todo install thanks credits version
"""
PROSE_NAMES = frozenset(_PROSE.split())
"""File names without an extension that contain prose, in lower case."""


def parser_for(uri: str) -> Parser | None:
    """The parser for a file, or None if its name says it is not text that Octavo reads."""
    if is_commit(uri):
        return COMMIT
    name = uri.rsplit("/", 1)[-1].lower()
    dot = name.rfind(".")
    prose = PARSERS.get(name[dot:]) if dot > 0 else None
    if prose is not None and name not in CODE_NAMES:
        return prose
    if name in PROSE_NAMES:
        return PLAINTEXT
    return code_parser(uri)


class _Unnamed:
    """Fits `ports.Parser` for texts without a telling name: scripts and snippets are code, the rest is plain text."""

    version = PLAINTEXT.version

    def parse(self, source: Source) -> Document:
        code = source.kind in (None, Kind.CODE) and language_of("", source.text) is not None
        return (script_parser() if code else PLAINTEXT).parse(source)


UNNAMED: Parser = _Unnamed()


def not_indexed_reason(uri: str, text: str) -> str | None:
    """Why a text file is not indexed, or None. Prose always is: only code can be generated."""
    name = uri.rsplit("/", 1)[-1].lower()
    dot = name.rfind(".")
    if name in PROSE_NAMES or (dot > 0 and name[dot:] in PARSERS):
        return None
    if dot < 0 and name not in CODE_NAMES and not text.startswith("#!"):
        return "neither its name nor its first line says what it is"
    return generated_reason(uri, text)


NAMES: dict[str, Parser] = {
    "markdown": MARKDOWN,
    "text": PLAINTEXT,
    "rst": RST,
    "asciidoc": ADOC,
    "org": ORG,
    "latex": TEX,
}
_LOOSE = MarkdownParser(loose=True)


class ParserChoice(Value):
    """`by_pattern` are globs, each with the name of the parser for what it matches; the first that fits counts."""

    loose_headings: bool = False
    by_pattern: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> str:
        """What is recorded of it beside the parsers' own versions; nothing where it changes nothing."""
        chosen = "".join(f"+{glob}={name}" for glob, name in self.by_pattern)
        return f"{'+loose-headings' if self.loose_headings else ''}{chosen}"

    def __call__(self, uri: str) -> Parser:
        named = next((NAMES[name] for glob, name in self.by_pattern if glob_expression(glob).fullmatch(uri)), None)
        parser = named or parser_for(uri) or UNNAMED
        return _LOOSE if self.loose_headings and parser is MARKDOWN else parser
