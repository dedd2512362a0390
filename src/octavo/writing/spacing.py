"""Blank lines and line endings: what an edit replaces at its place, and what it never touches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

_LEADING_BLANK = re.compile(r"(?:[ \t]*+\n)*")
_BLANK_CHARACTERS = " \t\n"
_NEWLINE = ord("\n")
_COUNTED = 1 << 16  # characters that are looked at together: a part of the cache


def line_endings(text: str | bytes, end: int) -> int:
    """How many there are before `end`: counted in a third of the time that `count` takes."""
    found = 0
    for start in range(0, end, _COUNTED):
        part = text[start : min(start + _COUNTED, end)]
        codes = part.encode("latin-1", "replace") if isinstance(part, str) else part
        found += int(np.count_nonzero(np.frombuffer(codes, np.uint8) == _NEWLINE))
    return found


@dataclass(frozen=True)
class Spliced:
    """A text in which `put` takes the place of `start` to `end`: of a large one, a copy is made when it is needed."""

    old: str
    start: int
    end: int
    put: str

    def __len__(self) -> int:
        return len(self.old) + len(self.put) - (self.end - self.start)

    @cached_property
    def text(self) -> str:
        return "".join((self.old[: self.start], self.put, self.old[self.end :]))

    def part(self, begin: int, end: int) -> str:
        put = self.start + len(self.put)
        shift = self.end - put
        return "".join(
            (
                self.old[begin : min(end, self.start)],
                self.put[max(begin - self.start, 0) : max(end - self.start, 0)],
                self.old[max(begin, put) + shift : max(end, put) + shift],
            )
        )

    def lines_before(self, place: int) -> int:
        count = line_endings(self.old, min(place, self.start))
        return count + (self.part(self.start, place).count("\n") if place > self.start else 0)


def line_ending(text: str) -> str:
    """The line ending most lines have; LF if none has one, or as many have either."""
    windows = text.count("\r\n") if "\r" in text else 0
    return "\r\n" if windows and windows > text.count("\n") - windows else "\n"


def content_lines(content: str) -> str:
    """Content without blank lines at both ends, its lines ending with LF, the last one with nothing."""
    text = content.replace("\r\n", "\n")
    if not text.strip(_BLANK_CHARACTERS):
        return ""
    start = _LEADING_BLANK.match(text)
    text = text[start.end() if start else 0 :]
    kept = len(text.rstrip(_BLANK_CHARACTERS))
    end = text.find("\n", kept)
    return text if end < 0 else text[:end]


def is_blank(line: str) -> bool:
    return not line.removesuffix("\n").removesuffix("\r").strip(" \t") if line.endswith("\n") else not line.strip(" \t")


def before_blank_lines(text: str, end: int, floor: int = 0) -> int:
    """Where the blank lines begin that end at `end`, which is a line's start or the end of the text."""
    while end > floor:
        start = text.rfind("\n", floor, end - 1) + 1 or floor
        if not is_blank(text[start:end]):
            break
        end = start
    return end


def last_line(text: str, end: int) -> str:
    """The line that ends at `end`, without its line ending."""
    start = text.rfind("\n", 0, end - 1) + 1
    line = text[start:end]
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def placed(text: str, start: int, end: int, block: str, *, floor: int, close: bool = False) -> tuple[Spliced, int]:
    """The text with `block` in the place of `start` to `end`, one blank line on either side, and where it begins.

    `block` has LF endings and none at its end; blank lines around the place belong to it. At `floor` the text begins
    and no blank line is put; `close` puts none before the block either. At the end of the text one line ending is left.
    """
    ending = line_ending(text)
    unfinished = start > floor and not text.endswith("\n", 0, start)
    above = ending if unfinished else ""
    behind = end < len(text)
    if not block:
        gap = ending if behind and start > floor else ""
        return Spliced(text, start, end, above + gap), start + len(above)
    if start > floor and not close:
        above += ending
    written = block.replace("\n", ending) + ending
    return Spliced(text, start, end, above + written + (ending if behind else "")), start + len(above)
