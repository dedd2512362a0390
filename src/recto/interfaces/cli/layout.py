"""Text laid out for a terminal: made harmless, measured in cells, wrapped, aligned. Draws nothing itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# What a terminal obeys instead of showing: C0 and C1 controls, line separators, and the marks that turn the
# direction of what follows. A file name may hold any of them.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_WORD = re.compile(r"\S+")
_HANGING = re.compile(r"[ >]*(?:(?:[-*+]|\d{1,3}[.)]) +(?:\[.\] +)?)?")


class Part(NamedTuple):
    """A stretch of one line with the name of its style, and where a click on it leads."""

    text: str
    style: str = ""
    link: str | None = None


Line = tuple[Part, ...]
"""One line of output, without its end."""


def visible(text: str, keep: str = "") -> str:
    """The text with every character a terminal would obey written out, except those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    return _OBEYED.sub(lambda found: found[0] if found[0] in keep else _written(found[0]), text)


def _written(character: str) -> str:
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def cells(text: str) -> int:
    """How many columns a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


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
        used += _cells(source[index])
        if used > width:
            return max(index, first + 1)
    return last


def columns(rows: Sequence[Sequence[Part]], gap: int = 2) -> Iterator[Line]:
    """Rows aligned in columns; the last column is left ragged."""
    widths = [max(cells(visible(part.text)) for part in column) for column in zip(*rows, strict=True)]
    for row in rows:
        line: list[Part] = []
        for part, wide in zip(row[:-1], widths, strict=False):
            line += (part, Part(" " * (wide - cells(visible(part.text)) + gap)))
        yield (*line, row[-1])


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 file`, `1,204 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(amount: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def duration(seconds: float) -> str:
    """`340 ms`, `12.3 s`, `12 s` for a whole number, `4 min 10 s`."""
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 60:
        return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
