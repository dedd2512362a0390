"""Sentences of a text with their exact places; code, headings, rules, comments, tags and bare HTML are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from octavo.lazy_regex import regex
from octavo.model.normalised_text_and_spans import Span

_FENCE = regex(r"[ \t]*(```|~~~)")
_HEADING = regex(r"[ \t]*#{1,6}[ \t]+\S")
_UNDERLINE = regex(r"[ \t]*(=+|-+|\*[ *]+|_[ _]+)[ \t]*$")
_MARKER = regex(
    r"[ \t]*(?:>[ \t]?)*(?:\[![\w-]+\][+-]?[ \t]*|[-*+][ \t]+(?:\[[ xX]\][ \t]+|:[ \t]+)?|:[ \t]+|\d{1,3}[.)][ \t]+)?"
)
_ITEM = regex(r"[ \t]*(?:>[ \t]?)*(?:[-*+]|\d{1,3}[.)])[ \t]+\S")
_CALLOUT = regex(r"[ \t]*(?:>[ \t]?)+\[![\w-]+\][+-]?(?!.*[.!?]\s*$)")  # one that ends as a sentence is one
_CALLOUT_MARK = regex(r"[ \t]*(?:>[ \t]?)+\[![\w-]+\]")
_QUOTE_MARK = regex(r"\n[ \t]*(?:>[ \t]?)+")
_TABLE = regex(r"[ \t]*\|")
_HIDDEN = regex(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)|\A---[ \t]*\n.*?\n---[ \t]*$", re.DOTALL | re.MULTILINE)
"""Comments of HTML and of Obsidian, and front matter."""
_TAGS_ALONE = regex(r"[ \t]*(?:</?[A-Za-z][^>\n]*>[ \t]*)+$")
_HASHTAGS_ALONE = regex(r"[ \t]*(?:#(?=\S*[^\W\d])[^\s#]+[ \t]*)+$")
_END = regex(r"(?:[.!?](?:[\"'”’)\]*_]|\[\d+\])*(?=\s)|[。！？](?:[」』”’）]*))")
_NO_END = regex(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|approx|no|nos|fig|figs|eq|sec|ch|vol|pp|p|mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|bros|co|\w+str)"
    r"|(?<![A-Za-z])[A-Za-z]|\b(?:[A-Za-z]\.)+[A-Za-z])\.$",
    re.IGNORECASE,
)
_GERMAN_DATE = regex(r".*\b\d{1,2}\. (?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)", re.DOTALL)
_LONGEST_ITEM = 600  # characters: a longer one is a text of its own
_ABBREVIATED_BEFORE = 12  # characters before a full stop that tell whether it ends an abbreviation


class Sentence(NamedTuple):
    """A sentence as it reads, on one line, and where it stands."""

    text: str
    span: Span


def sentences(text: str, offset: int = 0) -> tuple[Sentence, ...]:
    """The sentences of a passage that begins `offset` characters into its document, in order.

    >>> [sentence.text for sentence in sentences("# Dome\\nIt closes at 85 %, e.g. in fog.\\nIt opens by hand.")]
    ['It closes at 85 %, e.g. in fog.', 'It opens by hand.']
    """
    text = without_comments(text)
    return tuple(
        Sentence(" ".join(_QUOTE_MARK.sub("\n", text[start:end]).split()), Span(offset + start, offset + end))
        for first, last in _paragraphs(text)
        for start, end in _split(text, first, last)
    )


def whole_items(parts: Iterable[Sentence], text: str, offset: int = 0) -> Iterator[Sentence]:
    """The same sentences, those of one item of a list as one: a setting goes with its default.

    >>> text = "- The port. **Default:** 80.\\n- The host."
    >>> [sentence.text for sentence in whole_items(sentences(text), text)]
    ['The port. **Default:** 80.', 'The host.']
    """
    item: Sentence | None = None
    for part in parts:
        start = part.span.start - offset
        if item is not None:
            gap = text[item.span.end - offset : start]
            whole = Sentence(f"{item.text} {part.text}", Span(item.span.start, part.span.end))
            if not gap.strip() and gap.count("\n") < 2 and whole.span.length <= _LONGEST_ITEM:
                item = whole
                continue
            yield item
        marker = text[text.rfind("\n", 0, start) + 1 : start]
        item = part if marker.strip() and _MARKER.fullmatch(marker) else None
        if item is None:
            yield part
    if item is not None:
        yield item


def without_comments(text: str) -> str:
    """The text with blanks for comments and front matter, so that places stay."""
    return _HIDDEN.sub(blanked, text)


def blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def above(text: str, at: int) -> str:
    """What a sentence needs to be understood: the item that its own item belongs to, the line that announces its list,
    or the head of its table.

    >>> above("You need:\\n- tools\\n  - a brush", 22), above("You need:\\n- tools", 12), above("A brush.", 2)
    ('tools', 'You need:', '')
    """
    own, *before = reversed(text[: text.find("\n", at) if "\n" in text[at:] else len(text)].splitlines() or [""])
    if _TABLE.match(own):
        rows = [own, *takewhile(_TABLE.match, before)]
        return rows[-1].strip() if len(rows) > 1 else ""
    while before and own.strip() and not (_ITEM.match(own) or _HEADING.match(own) or _UNDERLINE.match(own)):
        own, *before = before
    if not _ITEM.match(own):
        return ""
    for line in filter(str.strip, before):
        item = _ITEM.match(line)
        if _HEADING.match(line) or not (item or _indent(line) or line.rstrip("*_ ").endswith(":")):
            break
        if (item and _indent(line) < _indent(own)) or not (item or _indent(line)):
            return " ".join([sentence.text for sentence in sentences(line)][-1:])
    return ""


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Where running text begins and ends: paragraphs, items of lists, rows of tables."""
    at, begun, fence = 0, -1, ""
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        opened = _FENCE.match(line)
        if fence or opened:
            if begun >= 0:
                yield begun, start
            begun = -1
            fence = ("" if opened and opened[1] == fence else fence) if fence else (opened[1] if opened else "")
            continue
        alone = bool(_TABLE.match(line))
        titled = any(kind.match(line) for kind in (_HEADING, _UNDERLINE, _CALLOUT, _TAGS_ALONE, _HASHTAGS_ALONE))
        blank = not line.strip("> \t\r\n")
        if blank or titled or _CALLOUT_MARK.match(line) or _ITEM.match(line) or alone:
            # What is underlined is a heading, and says nothing.
            if begun >= 0 and not (_UNDERLINE.match(line) and text[begun:start].count("\n") == 1):
                yield begun, start
            begun = -1
        if alone:
            yield start, at
        elif begun < 0 and not blank and not titled:
            begun = start + len(_MARKER.match(line)[0])  # type: ignore[index]
    if begun >= 0:
        yield begun, at


def _split(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """A paragraph at its full stops, without the blanks around each sentence."""
    start = first
    for match in _END.finditer(text, first, last):
        end = match.end()
        if _NO_END.search(text, max(start, end - _ABBREVIATED_BEFORE), end):
            continue
        following = text[end:last].lstrip()
        if following and (
            following[0].islower() or _GERMAN_DATE.match(f"{text[max(start, end - 4) : end]} {following}")
        ):
            continue
        yield from _trimmed(text, start, end)
        start = end
    yield from _trimmed(text, start, last)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if any(character.isalnum() for character in piece):
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
