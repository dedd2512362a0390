"""Text wrapped for a terminal: measured in cells, list items hanging."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from octavo.operations.text_blocks import cells, character_cells

_WORD = re.compile(r"\S+")
_HANGING = re.compile(r"[ >]*(?:(?:[-*+]|\d{1,3}[.)]) +(?:\[.\] +)?)?")


class Wrapped(NamedTuple):
    """One line of a wrapped text: where it starts and ends, and how far in it hangs below a list's marker."""

    start: int
    end: int
    indent: int = 0


def wrapped(text: str, width: int) -> Iterator[Wrapped]:
    """Indentation stays; words too long for a line are cut; what continues a list item is indented like it."""
    start = 0
    for source in text.split("\n"):
        for first, last, indent in _wrapped_line(source, max(2, width)):
            yield Wrapped(start + first, start + last, indent)
        start += len(source) + 1


def _wrapped_line(source: str, width: int) -> Iterator[Wrapped]:
    marker = _HANGING.match(source)
    hanging = cells(marker[0]) if marker else 0
    if hanging > min(width // 2, width - 2):
        hanging = 0  # a wide character must still fit beside it
    first = last = indent = 0
    for word in _WORD.finditer(source):
        if indent + cells(source[first : word.end()]) > width:
            if last > first:
                yield Wrapped(first, last, indent)
                first, indent = word.start(), hanging
            while indent + cells(source[first : word.end()]) > width:
                cut = _fitting(source, first, word.end(), width - indent)
                yield Wrapped(first, cut, indent)
                first, indent = cut, hanging
        last = word.end()
    yield Wrapped(first, max(first, last), indent)


def _fitting(source: str, first: int, last: int, width: int) -> int:
    used = 0
    for index in range(first, last):
        used += character_cells(source[index])
        if used > width:
            return max(index, first + 1)
    return last
