"""Parser registry: which parser reads which file, by its name, its extension, or else its first line."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.model.document import Document, Kind, Source
from octavo.model.git_commit import is_commit
from octavo.parsing.code.generated_and_vendored_files import generated_reason
from octavo.parsing.code.language_detection import CODE_NAMES, language_of
from octavo.parsing.code.registry import CODE_PARSER_VERSION, code_parser, script_parser
from octavo.parsing.code.registry import EXTENSIONS as CODE_EXTENSIONS
from octavo.parsing.git_commit_parser import CommitParser
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser
from octavo.parsing.rst_asciidoc_org_latex_parser import ADOC, MARKUP_VERSION, ORG, RST, TEX
from octavo.ports import Parser

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

EXTENSIONS = frozenset({*PARSERS, *CODE_EXTENSIONS, _SCRIPT})
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
