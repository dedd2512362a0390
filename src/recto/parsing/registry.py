"""Which parser reads which file: by its whole name, by the end of it, or, where it has neither, by its first line."""

from __future__ import annotations

from collections.abc import Sequence

from recto.model.commit import is_commit
from recto.model.document import Document, Kind, Source
from recto.parsing.code.languages import CODE_NAMES, language_of
from recto.parsing.code.registry import CODE_PARSER_VERSION, code_parser, script_parser
from recto.parsing.code.registry import EXTENSIONS as CODE_EXTENSIONS
from recto.parsing.commit import CommitParser
from recto.parsing.markdown import MarkdownParser
from recto.parsing.plaintext import PlaintextParser
from recto.ports import Parser

MARKDOWN = MarkdownParser()
PLAINTEXT = PlaintextParser()
COMMIT = CommitParser()
PARSER_VERSION = f"{MARKDOWN.version}+{PLAINTEXT.version}+{CODE_PARSER_VERSION}+{COMMIT.version}"
"""What a recipe records: a change in any parser makes a different index."""

PARSERS: dict[str, Parser] = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".mkd": MARKDOWN,
    ".mdx": MARKDOWN,
    ".qmd": MARKDOWN,
    ".txt": PLAINTEXT,
    ".text": PLAINTEXT,
    ".rst": PLAINTEXT,
    ".adoc": PLAINTEXT,
    ".org": PLAINTEXT,
}

_SCRIPT = ""  # the extension of a name without one

EXTENSIONS = frozenset({*PARSERS, *CODE_EXTENSIONS, _SCRIPT})
"""Ends of names that are worth opening, lower case with their dot; "" stands for names without one."""


def extensions(include: Sequence[str] = ()) -> frozenset[str]:
    """What to open: what a parser knows, and what a collection asks for by its ending: `**/*.foo`."""
    asked = (glob.rpartition("/")[2].rpartition(".") for glob in include)
    return EXTENSIONS | {f".{end.lower()}" for _, dot, end in asked if dot and end.isalnum()}


PROSE_NAMES = frozenset(
    {
        "readme",
        "license",
        "licence",
        "copying",
        "notice",
        "authors",
        "contributors",
        "maintainers",
        "codeowners",
        "changelog",
        "changes",
        "history",
        "news",
        "todo",
        "install",
        "thanks",
        "credits",
        "version",
    }
)
"""Names without an ending under which people keep prose, in lower case."""


def parser_for(uri: str) -> Parser | None:
    """The parser for a file, or None for a file that is not text Recto reads, as far as its name can tell."""
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
    """Fits `ports.Parser` for texts whose name tells nothing: scripts and snippets are code, the rest is plain."""

    version = PLAINTEXT.version

    def parse(self, source: Source) -> Document:
        code = source.kind in (None, Kind.CODE) and language_of("", source.text) is not None
        return (script_parser() if code else PLAINTEXT).parse(source)


UNNAMED: Parser = _Unnamed()


def unwanted(uri: str, text: str) -> str | None:
    """Why a file is not indexed though it is text, or None. Prose always is: only code is made by machines."""
    name = uri.rsplit("/", 1)[-1].lower()
    dot = name.rfind(".")
    if name in PROSE_NAMES or (dot > 0 and name[dot:] in PARSERS):
        return None
    if dot < 0 and name not in CODE_NAMES and not text.startswith("#!"):
        return "neither its name nor its first line says what it is"
    from recto.parsing.code.generated import generated_reason

    return generated_reason(uri, text)
