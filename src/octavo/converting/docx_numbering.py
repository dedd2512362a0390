"""The lists of a Word document: how each counts at every depth."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from octavo.converting.list_numbers import ListLevel, ListNumbers
from octavo.converting.zipped_xml import attribute, below, child, local


class Numbering:
    """What Word calls a list's number is one use of an abstract list, and all uses are counted together."""

    def __init__(self, parts: Iterable[Element]) -> None:
        lists: dict[str, dict[int, ListLevel]] = {}
        self._abstract: dict[str, str] = {}
        for part in parts:
            if local(part) == "abstractNum":
                levels = {_value(level, "", "ilvl"): _level(level) for level in part if local(level) == "lvl"}
                lists[attribute(part, "abstractNumId")] = levels
            elif local(part) == "num":
                used = child(part, "abstractNumId")
                self._abstract[attribute(part, "numId")] = attribute(used, "val") if used is not None else ""
        self._numbers = ListNumbers(lists)

    def next(self, number: str, depth: int) -> str:
        """What stands before the next item of a list at this depth."""
        return self._numbers.next(self._abstract.get(number, ""), depth)


def _level(node: Element) -> ListLevel:
    kind, pattern = child(node, "numFmt"), child(node, "lvlText")
    return ListLevel(
        attribute(kind, "val") if kind is not None else "decimal",
        attribute(pattern, "val") if pattern is not None else "",
        _value(next(below(node, "start"), None), "1"),
    )


def _value(node: Element | None, fallback: str = "", name: str = "val") -> int:
    value = (attribute(node, name) if node is not None else "") or fallback
    return int(value) if value.isdigit() and len(value) < 7 else 0
