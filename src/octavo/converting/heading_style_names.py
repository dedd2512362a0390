"""Names of paragraph styles that make a heading, in the languages in which office programs write them."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

TITLE_LEVEL = -1
"""Of the style of a document's title."""

_HEADING = regex(r"^(?:heading|überschrift|titre|título|заголовок|標題|见出し|見出し)\s*(\d)", re.IGNORECASE)
_TITLES = frozenset({"title", "titel", "titre principal", "título"})


def heading_level(name: str) -> int:
    """The level of a style's headings; 0 if it makes none.

    >>> heading_level("heading 2"), heading_level("Title"), heading_level("Body Text")
    (2, -1, 0)
    """
    if match := _HEADING.match(name.replace("_20_", " ")):
        return int(match[1])
    return TITLE_LEVEL if name.casefold() in _TITLES else 0
