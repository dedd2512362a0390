"""The description of a source file: a sentence or two from its opening comment."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind
from octavo.parsing.code.code_outline_types import Symbol

LONGEST = 300
_OPENING = 40  # blocks searched
_READ = 4000  # characters read of a comment

_SHEBANG = regex(r"^#!.*\n?")
_QUOTES = regex(r"^[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')(.*?)(?:\1)?$", re.DOTALL)
_MARKS = regex(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//+!?|#+(?!!)|--+|;+|%+|<!--|-->|<\?php|\(\*|\"(?= ))[ \t]?", re.MULTILINE
)
_TAIL = regex(r"[ \t]*(?:\*+/|-->|\*\))[ \t]*$", re.MULTILINE)
_TAGS = regex(r"</?(?:summary|remarks|para|p|b|i|code|pre|see[^>]*|c|ul|li)\s*/?>")
_INLINE = regex(r"\{@\w+\s+([^{}]*)\}|`+([^`\n]*)`+|:\w+:`~?([^`\n]*)`")
_PARAGRAPH = regex(r"\n[ \t]*\n|\n[ \t]*(?=[@\\:](?:param|author|file|return|since|version|see|module|brief)\b)")
_RULER = regex(r"^[\W_]{3,}$", re.MULTILINE)
_LEGAL = regex(r"copyright|licen[cs]e|spdx|all rights reserved|\(c\) \d{4}", re.IGNORECASE)
_FOR_TOOLS = regex(
    r"^[^\n]*(?:eslint|jshint|prettier|pylint|flake8|mypy:|noqa|type:|ts-|coding[:=]|\bvim?:|-\*-|<reference|pragma"
    r"|istanbul|@flow|use strict|\bbuild:|\+build|rubocop|frozen_string)[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_PAGE_TITLE = regex(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_PAGE_DESCRIPTION = regex(
    r"<meta\s[^<>]*?name\s*=\s*[\"']?description[\"']?[^<>]*?content\s*=\s*[\"']([^\"'<>]*)", re.IGNORECASE
)
_SENTENCE_END = regex(r"[.!?](?=\s)|[。！？]")


def description(text: str, blocks: Sequence[Block], symbols: Sequence[Symbol]) -> str:
    """From the file's docstring, else its first comment that is not about licences or tools.

    A declaration's comment describes the file only if the file declares nothing else.
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
            sentence = summary(text[block.start : min(block.end, block.start + _READ)])
            if sentence and block.kind is BlockKind.DOCSTRING:
                return sentence
            best = best or sentence
    return best


def html_description(text: str) -> str:
    """A page's title and meta description."""
    matches = (_PAGE_TITLE.search(text, 0, _READ), _PAGE_DESCRIPTION.search(text, 0, _READ))
    sentences = dict.fromkeys(" ".join(html.unescape(match[1]).split()).rstrip(".") for match in matches if match)
    return shortened(". ".join(filter(None, sentences)), LONGEST)


def summary(comment: str) -> str:
    """The first paragraph with words, without comment marks, at most `LONGEST` characters of it."""
    comment = _SHEBANG.sub("", comment.strip("\n"))
    quoted = _QUOTES.match(comment.strip())
    plain = quoted[2] if quoted else _TAIL.sub("", _MARKS.sub("", comment))
    plain = _INLINE.sub(lambda match: match[1] or match[2] or match[3] or "", _TAGS.sub(" ", plain))
    for paragraph in _PARAGRAPH.split(_RULER.sub("", _FOR_TOOLS.sub("", plain))):
        sentence = " ".join(paragraph.split()).lstrip("@\\:! ")
        if sum(map(str.isalpha, sentence)) > 3 and not _LEGAL.search(sentence):
            return shortened(sentence, LONGEST)
    return ""


def shortened(text: str, longest: int) -> str:
    """As many complete sentences as fit, else as many words."""
    if len(text) <= longest:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, longest)]
    return text[: ends[-1]] if ends else text[:longest].rsplit(" ", 1)[0]
