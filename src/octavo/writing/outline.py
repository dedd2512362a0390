"""A Markdown file's headings with the exact places of their sections, in the text as it is on disk.

Offsets count characters of the file's own text: its byte order mark, its line endings and its front matter included.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from octavo.errors import InvalidArgument, NotFound
from octavo.model.document import shown_path
from octavo.parsing.markdown.inline import LONGEST, plain_text
from octavo.writing.heading_scan import heading_scan

BOM = "\ufeff"
ROOT = -1
"""The number of the root: the parent of top-level headings, of level 0."""

_SECTIONS_TOLD = 100  # where the one asked for is not there
_OPENING = re.compile(r"---[ \t]*+\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*+(?:\r?\n|\Z)", re.MULTILINE)


class Heading(NamedTuple):
    """A heading's lines are `start` to `end`; `text` is its inline Markdown, a setext heading's lines joined."""

    level: int
    start: int
    end: int
    text: str

    @property
    def shown(self) -> str:
        """The text as outlines show it: without markup."""
        return plain_text(self.text[:LONGEST])

    def named(self, text: str) -> bool:
        return text == self.text or text == self.shown


@dataclass(frozen=True)
class Outline:
    """`start` is where headings may begin: after a byte order mark and front matter."""

    text: str
    start: int
    headings: Sequence[Heading]

    @cached_property
    def parents(self) -> Sequence[int]:
        """Of each heading the number of its parent."""
        return parents([heading.level for heading in self.headings])

    @property
    def floor(self) -> int:
        """Where lines begin: after a byte order mark."""
        return len(BOM) if self.text.startswith(BOM) else 0

    def level(self, number: int) -> int:
        return 0 if number == ROOT else self.headings[number].level

    def body_end(self, number: int) -> int:
        """Where the text right below a heading, or before the first one, ends."""
        following = number + 1
        return self.headings[following].start if following < len(self.headings) else len(self.text)

    def section_end(self, number: int) -> int:
        """Where a section ends, with everything below its heading."""
        following = self.after(number)
        return self.headings[following].start if following < len(self.headings) else len(self.text)

    def after(self, number: int) -> int:
        """The number of the first heading behind a section; that many headings there are if there is none."""
        level = self.level(number)
        if number == ROOT:
            return len(self.headings)
        numbers = range(number + 1, len(self.headings))
        return next((other for other in numbers if self.headings[other].level <= level), len(self.headings))

    def children(self, number: int) -> list[int]:
        return [child for child in range(number + 1, self.after(number)) if self.parents[child] == number]

    def path(self, number: int) -> tuple[str, ...]:
        found: list[str] = []
        while number != ROOT:
            found.append(self.headings[number].text)
            number = self.parents[number]
        return tuple(reversed(found))

    def find(self, path: Sequence[str]) -> int:
        """The number of the section at a heading path; the empty path is the root."""
        fitting = [ROOT]
        for text in path:
            fitting = [
                child for parent in fitting for child in self.children(parent) if self.headings[child].named(text)
            ]
        if not fitting:
            raise NotFound(
                f"there is no section {shown_path(tuple(path))}",
                hint=self._nearest(path),
                details={
                    "heading_path": [*path],
                    "sections": [[*self.path(number)] for number in range(min(len(self.headings), _SECTIONS_TOLD))],
                },
            )
        if len(fitting) > 1:
            lines = ", ".join(str(self.line(self.headings[number].start)) for number in fitting[:5])
            raise InvalidArgument(
                f"{len(fitting)} sections are called {shown_path(tuple(path))}, on lines {lines}",
                hint="rename all but one of them",
                details={"field": "heading_path", "value": [*path], "heading_path": [*path]},
            )
        return fitting[0]

    def _nearest(self, path: Sequence[str]) -> str:
        """The path of the section whose last heading is the one asked for, or what there is at the top."""
        same = [number for number, heading in enumerate(self.headings) if heading.named(path[-1])]
        if same:
            return f"did you mean {[*self.path(same[0])]}?"
        top = [self.headings[number].text for number in self.children(ROOT)]
        return f"top-level headings: {', '.join(map(repr, top[:10]))}" if top else "the file has no headings"

    def line(self, offset: int) -> int:
        """The number of the line at an offset, from 1."""
        return self.text.count("\n", 0, offset) + 1

    def first_at(self, offset: int) -> int:
        """The number of the first heading that begins at an offset or later."""
        return bisect_left(self.headings, offset, key=lambda heading: heading.start)


def outline(text: str) -> Outline:
    start = text_start(text)
    return Outline(text, start, headings(text, start))


def headings(text: str, start: int = 0) -> list[Heading]:
    """CommonMark's headings outside quotes and lists, from the beginning of a line on.

    A space in the place of each carriage return that belongs to a line ending keeps every offset; at the end of a line
    it changes no block.
    """
    source = text.replace("\r\n", " \n") if "\r" in text else text
    new = tuple.__new__  # like the constructor, in half of its time
    return [
        new(Heading, (level, begin, end, _joined(content) if "\n" in content else content))
        for level, begin, end, content in heading_scan(source, start)
    ]


def text_start(text: str) -> int:
    """Where the text begins, after a byte order mark and front matter."""
    bom = len(BOM) if text.startswith(BOM) else 0
    opening = _OPENING.match(text, bom)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return closing.end() if closing else bom


def parents(levels: Iterable[int]) -> list[int]:
    """For each heading the number of the nearest earlier one of a lower level."""
    found: list[int] = []
    above: list[tuple[int, int]] = [(0, ROOT)]
    for number, level in enumerate(levels):
        while above[-1][0] >= level:
            above.pop()
        found.append(above[-1][1])
        above.append((level, number))
    return found


def _joined(content: str) -> str:
    return " ".join(line.strip(" \t") for line in content.split("\n"))
