"""Headings and lists of office programs: names of heading styles, list numbers as Word counts them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

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


BULLET = "bullet"
_PLACE = regex(r"%([1-9])")
_ORDINAL = regex(r"\(?\d{1,4}[.)]?\)?")
_LEVELS = 9
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MOST = 400  # higher numbers are written in digits


class ListLevel(NamedTuple):
    """How a list counts at one depth: `%1.%2` stands for the numbers of its first two depths."""

    kind: str = BULLET
    pattern: str = ""
    start: int = 1


class ListNumbers:
    """Counts the items of every list."""

    def __init__(self, lists: Mapping[str, Mapping[int, ListLevel]]) -> None:
        self._lists = lists
        self._counts: dict[str, list[int]] = {}

    def next(self, number: str, depth: int) -> str:
        """What stands before the next item of a list at this depth, as `2.1` or `b)`; empty for a bullet."""
        levels = self._lists.get(number, {})
        level = levels.get(depth, ListLevel())
        if level.kind == BULLET or not 0 <= depth < _LEVELS:
            return ""
        counts = self._counts.setdefault(number, [levels.get(at, ListLevel()).start - 1 for at in range(_LEVELS)])
        counts[depth] += 1
        for deeper in range(depth + 1, _LEVELS):
            counts[deeper] = levels.get(deeper, ListLevel()).start - 1

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            return _written(max(1, counts[at]), levels.get(at, ListLevel()).kind if at == depth else _outer(levels, at))

        return _PLACE.sub(shown, level.pattern).strip()


def item_parts(number: str, text: str) -> tuple[str, str]:
    """The text of an item and its marker: a plain number is the marker, another one a part of the text.

    >>> item_parts("3)", "Wax"), item_parts("2.1", "Wax"), item_parts("", "Wax")
    (('Wax', '3.'), ('2.1 Wax', '-'), ('Wax', '-'))
    """
    if _ORDINAL.fullmatch(number):
        return text, f"{number.strip('().')}."
    return (f"{number} {text}".strip() if text else ""), "-"


def _outer(levels: Mapping[int, ListLevel], at: int) -> str:
    kind = levels.get(at, ListLevel()).kind
    return "decimal" if kind == BULLET else kind


def _written(number: int, kind: str) -> str:
    """A number as its kind is written.

    >>> [_written(4, kind) for kind in ("decimal", "lowerLetter", "upperRoman")]
    ['4', 'd', 'IV']
    """
    if number > _MOST or not kind.endswith(("Letter", "Roman")):
        return str(number)
    if kind.endswith("Letter"):
        text = chr(97 + (number - 1) % 26) * (1 + (number - 1) // 26)
    else:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    return text.upper() if kind.startswith("upper") else text
