"""What a file's own opening comment says of it, in a sentence or two."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from recto.model.document import Block, BlockKind
from recto.parsing.code.outline import Symbol

LONGEST = 300
_OPENING = 40  # blocks in which it may stand
_READ = 4000  # characters of a comment that are looked at

_SHEBANG = re.compile(r"^#!.*\n?")
_QUOTES = re.compile(r"^[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')(.*?)(?:\1)?$", re.DOTALL)
_MARKS = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//+!?|#+(?!!)|--+|;+|%+|<!--|-->|<\?php|\(\*|\"(?= ))[ \t]?", re.MULTILINE
)
_TAIL = re.compile(r"[ \t]*(?:\*+/|-->|\*\))[ \t]*$", re.MULTILINE)
_TAGS = re.compile(r"</?(?:summary|remarks|para|p|b|i|code|pre|see[^>]*|c|ul|li)\s*/?>")
_INLINE = re.compile(r"\{@\w+\s+([^{}]*)\}|`+([^`\n]*)`+|:\w+:`~?([^`\n]*)`")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n[ \t]*(?=[@\\:](?:param|author|file|return|since|version|see|module|brief)\b)")
_RULER = re.compile(r"^[\W_]{3,}$", re.MULTILINE)
_LEGAL = re.compile(r"copyright|licen[cs]e|spdx|all rights reserved|\(c\) \d{4}", re.IGNORECASE)
_FOR_TOOLS = re.compile(
    r"^[^\n]*(?:eslint|jshint|prettier|pylint|flake8|mypy:|noqa|type:|ts-|coding[:=]|\bvim?:|-\*-|<reference|pragma"
    r"|istanbul|@flow|use strict|\bbuild:|\+build|rubocop|frozen_string)[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_PAGE_TITLE = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_PAGE_DESCRIPTION = re.compile(
    r"<meta\s[^<>]*?name\s*=\s*[\"']?description[\"']?[^<>]*?content\s*=\s*[\"']([^\"'<>]*)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")


def description(text: str, blocks: Sequence[Block], symbols: Sequence[Symbol]) -> str:
    """From the file's docstring, else its first comment that is not about licences or tools.

    A comment that belongs to a declaration speaks for the file only if it declares nothing else.
    """
    until = len(text)
    for level in (1, 2):
        alike = [symbol for symbol in symbols if symbol.level == level]
        if len(alike) != 1:
            until = alike[0].start if alike else until
            break
    best = ""
    for block in blocks[:_OPENING]:
        if block.start >= until:
            break
        if block.kind is BlockKind.DOCSTRING or (block.kind is BlockKind.COMMENT and not best):
            said = summary(text[block.start : min(block.end, block.start + _READ)])
            if said and block.kind is BlockKind.DOCSTRING:
                return said
            best = best or said
    return best


def html_description(text: str) -> str:
    """A page's title and what it says of itself to search engines."""
    found = (_PAGE_TITLE.search(text, 0, _READ), _PAGE_DESCRIPTION.search(text, 0, _READ))
    said = dict.fromkeys(" ".join(html.unescape(each[1]).split()).rstrip(".") for each in found if each)
    return shortened(". ".join(filter(None, said)), LONGEST)


def summary(comment: str) -> str:
    """The first paragraph that says something, without its marks, at most `LONGEST` characters of it."""
    comment = _SHEBANG.sub("", comment.strip("\n"))
    quoted = _QUOTES.match(comment.strip())
    plain = quoted[2] if quoted else _TAIL.sub("", _MARKS.sub("", comment))
    plain = _INLINE.sub(lambda found: found[1] or found[2] or found[3] or "", _TAGS.sub(" ", plain))
    for paragraph in _PARAGRAPH.split(_RULER.sub("", _FOR_TOOLS.sub("", plain))):
        said = " ".join(paragraph.split()).lstrip("@\\:! ")
        if sum(map(str.isalpha, said)) > 3 and not _LEGAL.search(said):
            return shortened(said, LONGEST)
    return ""


def shortened(said: str, longest: int) -> str:
    """As many whole sentences as fit, else as many words."""
    if len(said) <= longest:
        return said
    ends = [found.end() for found in _SENTENCE_END.finditer(said, 0, longest)]
    return said[: ends[-1]] if ends else said[:longest].rsplit(" ", 1)[0]
