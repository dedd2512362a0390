"""The numbers that Word shows before list items and headings, counted as Word counts them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree.ElementTree import Element

from octavo.converting.zipped_xml import attribute, below, child, local

_PLACE = re.compile(r"%([1-9])")
_BULLET = "bullet"
_LEVELS = 9
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MOST = 400  # higher numbers are written in digits


class _Level(NamedTuple):
    kind: str = _BULLET
    pattern: str = ""
    start: int = 1


class Numbering:
    """Counts the items of every list. What Word calls a list's number is one use of an abstract list."""

    def __init__(self, parts: Iterable[Element]) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, list[int]] = {}
        for part in parts:
            if local(part) == "abstractNum":
                levels = {_value(level, "", "ilvl"): _level(level) for level in part if local(level) == "lvl"}
                self._levels[attribute(part, "abstractNumId")] = levels
            elif local(part) == "num":
                used = child(part, "abstractNumId")
                self._abstract[attribute(part, "numId")] = attribute(used, "val") if used is not None else ""

    def next(self, number: str, depth: int) -> str:
        """What stands before the next item of a list at this depth, as `2.1` or `b)`; empty for a bullet."""
        abstract = self._abstract.get(number, "")
        levels = self._levels.get(abstract, {})
        level = levels.get(depth, _Level())
        if level.kind == _BULLET or not 0 <= depth < _LEVELS:
            return ""
        counts = self._counts.setdefault(abstract, [levels.get(at, _Level()).start - 1 for at in range(_LEVELS)])
        counts[depth] += 1
        for deeper in range(depth + 1, _LEVELS):
            counts[deeper] = levels.get(deeper, _Level()).start - 1

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            return _written(max(1, counts[at]), levels.get(at, _Level()).kind if at == depth else _outer(levels, at))

        return _PLACE.sub(shown, level.pattern).strip()


def _outer(levels: dict[int, _Level], at: int) -> str:
    kind = levels.get(at, _Level()).kind
    return "decimal" if kind == _BULLET else kind


def _level(node: Element) -> _Level:
    kind, pattern = child(node, "numFmt"), child(node, "lvlText")
    return _Level(
        attribute(kind, "val") if kind is not None else "decimal",
        attribute(pattern, "val") if pattern is not None else "",
        _value(next(below(node, "start"), None), "1"),
    )


def _value(node: Element | None, fallback: str = "", name: str = "val") -> int:
    value = (attribute(node, name) if node is not None else "") or fallback
    return int(value) if value.isdigit() and len(value) < 7 else 0


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
