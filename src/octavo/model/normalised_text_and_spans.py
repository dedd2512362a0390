"""Normalises a text once, and maps spans of its characters to lines and back."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

_LONGEST_TITLE = 200


class Span(NamedTuple):
    """A half-open range of characters in the normalised text: `text[start:end]`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def union(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))


class Lines(NamedTuple):
    """An inclusive range of line numbers, counted from 1, as editors show them."""

    first: int
    last: int


def normalise(raw: str) -> str:
    """BOM stripped, line endings `\\n`, exactly one trailing newline; nothing else changed."""
    text = raw.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    body = text.rstrip("\n")
    return body + "\n" if body else ""


class LineIndex:
    """Turns character offsets into line numbers and back, for one text."""

    __slots__ = ("_size", "_starts")

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._size = len(text)
        if len(self._starts) > 1:
            self._starts.pop()

    @property
    def count(self) -> int:
        return len(self._starts) if self._size else 0

    def line(self, offset: int) -> int:
        """The line, from 1, that contains the character at `offset`."""
        return bisect_right(self._starts, offset)

    def lines(self, start: int, end: int) -> Lines:
        return Lines(self.line(start), self.line(max(start, end - 1)))

    def span(self, first: int, last: int) -> Span:
        """The characters of lines `first` to `last`, both included, clamped to the text."""
        first = max(1, first)
        if first > len(self._starts) or last < first:
            return Span(self._size, self._size)
        end = self._starts[last] if last < len(self._starts) else self._size
        return Span(self._starts[first - 1], end)


def short(title: str) -> str:
    """A title cut where it stops being one."""
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"
