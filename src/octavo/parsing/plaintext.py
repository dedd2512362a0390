"""Plain text parser: paragraphs between blank lines, with no other markup assumed."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind, Document, Kind, Section, Source
from octavo.model.ids import section_id, text_hash
from octavo.model.normalised_text_and_spans import Span

_BLANK_LINES = regex(r"\n(?:[ \t]*+\n){1,1000}")
_TITLE_MARK = regex(r"(?:#\+title:|=+|\*+|#+)[ \t]+", re.IGNORECASE)  # org, AsciiDoc
_NOT_TEXT = regex(r"\.\.(?:[ \t]|$)|:[A-Za-z][\w -]*:(?:[ \t]|$)")  # reStructuredText: directives, labels, fields
_LONGEST_TITLE = 120
_TITLE_REACH = 4000  # characters; a file whose first words come later has no title


class PlaintextParser:
    """Fits `ports.Parser`. Total: any text gives a document."""

    version = "plaintext-2"

    def parse(self, source: Source) -> Document:
        text = source.text
        return Document(
            id=source.id,
            uri=source.uri,
            kind=source.kind or Kind.NOTE,
            title=first_title(text) or stem(source.uri),
            text=text,
            content_hash=text_hash(text),
            modified_at=source.modified_at,
            sections=(Section(section_id(source.id, (), 0), (), 0, "", Span(0, len(text))),),
            blocks=tuple(paragraphs(text, 0, len(text))),
            tags=tuple(dict.fromkeys(source.tags)),
        )


def first_title(text: str) -> str:
    """The first line with words.

    Rulers above and below titles (reStructuredText) are skipped, and so are instructions to a page generator:
    `:orphan:`, `.. currentmodule:: flask`, and the lines indented below them.
    """
    markup = False
    for line in text[:_TITLE_REACH].split("\n"):
        markup = _NOT_TEXT.match(line) is not None or (markup and (not line or line[0] in " \t"))
        if not markup and any(char.isalnum() for char in line):
            title = " ".join(_TITLE_MARK.sub("", line.strip(), count=1).split())
            return title if len(title) <= _LONGEST_TITLE else ""
    return ""


def stem(uri: str) -> str:
    """The file's name without its extension: a title of last resort."""
    name = uri.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] or name


def paragraphs(text: str, start: int, end: int) -> list[Block]:
    """The blocks between blank lines from `start` to `end`."""
    blocks: list[Block] = []
    for gap in _BLANK_LINES.finditer(text, start, end):
        _add(blocks, text, start, gap.start() + 1)
        start = gap.end()
    _add(blocks, text, start, end)
    return blocks


def _add(blocks: list[Block], text: str, start: int, end: int) -> None:
    if start < end and not text[start:end].isspace():
        blocks.append(Block(BlockKind.PARAGRAPH, start, end))
