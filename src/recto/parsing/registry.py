"""Which parser reads which file, by the end of its name."""

from __future__ import annotations

from recto.parsing.markdown import MarkdownParser
from recto.parsing.plaintext import PlaintextParser
from recto.ports import Parser

MARKDOWN = MarkdownParser()
PLAINTEXT = PlaintextParser()
PARSER_VERSION = f"{MARKDOWN.version}+{PLAINTEXT.version}"
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

EXTENSIONS = frozenset(PARSERS)


def parser_for(uri: str) -> Parser | None:
    """The parser for a file, or None for a file that is not text Recto reads."""
    name = uri.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return PARSERS.get(name[dot:].lower()) if dot > 0 else None
