"""Typed links in a memory's text: `[[src/server.py]]` is a link, and the words around it give its type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.lazy_regex import regex
from octavo.model.document import Document, LinkKind
from octavo.model.memory import MemoryLink

_BEFORE, _AFTER = 80, 40  # characters around a link that decide its type
_SENTENCE = regex(r"[.!?\n]\s")
_LONGEST = 1_000
_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{pattern})", re.IGNORECASE))
    for name, pattern in (
        ("refactors", r"refactor|clean(?:ed|s|ing)? up|rewr(?:ite|ote|itten)|renam(?:e|ed|es|ing)\b|restructur"),
        ("fixes", r"fix(?:e[sd]|ing)?\b|repair|bug in\b|broken\b|regression"),
        ("implements", r"implement"),
        ("tests", r"test(?:s|ed|ing)?\b"),
        ("replaces", r"replac|supersed|instead of\b|deprecat"),
        ("depends_on", r"depend|requires?\b|needs?\b|blocked by\b|relies\b"),
        ("documents", r"document(?:s|ed|ing|ation)?\b|describ|explain"),
        ("decides", r"decid|decision|chose\b|agreed\b"),
        ("plans", r"plan|will\b|going to\b|todo\b|next\b|should\b|roadmap"),
    )
)


def text_links(document: Document) -> tuple[MemoryLink, ...]:
    """The wikilinks of a memory's text in order, each pair of target and type once."""
    return tuple(dict.fromkeys(_links(document)))


def _links(document: Document) -> Iterator[MemoryLink]:
    for link in document.links:
        if link.kind in (LinkKind.WIKILINK, LinkKind.EMBED) and 0 < len(link.target) <= _LONGEST:
            yield MemoryLink(link.target, link_type(document.text, link.span.start, link.span.end))


def link_type(text: str, start: int, end: int) -> str:
    """The type by the words of the same sentence: the nearest word before the link decides, else the first after it.

    >>> text = "We will refactor [[src/server.py]] next week."
    >>> link_type(text, text.index("[["), text.index("]]") + 2)
    'refactors'
    """
    before = text[max(0, start - _BEFORE) : start]
    before = _SENTENCE.split(before)[-1]
    after = _SENTENCE.split(text[end : end + _AFTER])[0]
    last = [(match.start(), name) for name, words in _TYPES for match in words.finditer(before)]
    if last:
        return max(last)[1]
    first = [(match.start(), name) for name, words in _TYPES for match in words.finditer(after)]
    return min(first)[1] if first else "mentions"
