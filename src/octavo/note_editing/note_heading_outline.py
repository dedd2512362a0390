"""A Markdown file's headings with the exact places of their sections, in the text as it is on disk.

Offsets count characters of the file's own text: its byte order mark, its line endings and its front matter included.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from octavo.algorithms.markdown.heading_attributes import attributes
from octavo.errors import InvalidArgument, NotFound
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import HEADING_SEPARATOR, shown_path
from octavo.note_editing.spliced_text import Spliced
from octavo.parsing.markdown.block_scanner import scan
from octavo.parsing.markdown.inline_to_plain_text import LONGEST, plain_text

BOM = "\ufeff"
ROOT = -1
"""The number of the root: the parent of top-level headings, of level 0."""

_SECTIONS_TOLD = 100  # where the one asked for is not there
_PLAIN = regex(r"(?:[A-Za-z0-9,.()'/-]++ ?)*+")  # texts that hold no markup: outlines show them as they are
_OPENING = regex(r"---[ \t]*+\r?\n")
_CLOSING = regex(r"^(?:---|\.\.\.)[ \t]*+(?:\r?\n|\Z)", re.MULTILINE)


class NoteHeading(NamedTuple):
    """A heading's lines are `start` to `end`; `text` is its inline Markdown, a setext heading's lines joined."""

    level: int
    start: int
    end: int
    text: str

    @property
    def shown(self) -> str:
        """The text as outlines show it: without markup and attributes."""
        return plain_text(self.text[:LONGEST].removesuffix(self.attributes))

    @property
    def attributes(self) -> str:
        """What stands at its end for those who publish it, as `{#anchor}`."""
        return attributes(self.text[:LONGEST])

    def named(self, text: str) -> bool:
        """Whether the text is this heading's, as it is written or as outlines show it."""
        return text == self.text or (not _PLAIN.fullmatch(self.text) and text == self.shown)


@dataclass(frozen=True)
class NoteOutline:
    """The text of a file and its headings."""

    text: str

    @cached_property
    def start(self) -> int:
        """Where headings may begin: after a byte order mark and front matter."""
        return text_start(self.text)

    @cached_property
    def headings(self) -> list[NoteHeading]:
        return headings(self.text, self.start)

    def starts_as(self, new: str | Spliced) -> int:
        """Where headings may begin in another text of the same form."""
        if isinstance(new, str):
            return text_start(new)
        closed = self.floor < self.start < len(self.text) and new.start >= self.start
        unopened = new.start > self.text.find("\n") >= 0 and not _OPENING.match(self.text, self.floor)
        return self.start if closed or unopened else text_start(new.text)

    @cached_property
    def parents(self) -> list[int]:
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
        return self._start_of(number + 1)

    def section_end(self, number: int) -> int:
        """Where a section ends, with everything below its heading."""
        return self._start_of(self.after(number))

    def _start_of(self, number: int) -> int:
        """Where a heading begins; the end of the text if there is none of that number."""
        return self.headings[number].start if number < len(self.headings) else len(self.text)

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
        titles: list[str] = []
        while number != ROOT:
            titles.append(self.headings[number].text)
            number = self.parents[number]
        return tuple(reversed(titles))

    def find(self, path: Sequence[str]) -> int:
        """The number of the section at a heading path; the empty path is the root.

        A path may be written as it is shown, "A → B", where no heading is called so, and without the titles above a
        section where its own is the only one.
        """
        apart = [title for text in path for title in text.split(HEADING_SEPARATOR)]
        if len(apart) > len(path) and not self._fitting(path):
            path = apart
        fitting = self._fitting(path)
        if not fitting and len(path) == 1:  # the last title of a path is enough where no other section has it
            named = [number for number, heading in enumerate(self.headings) if heading.named(path[0])]
            fitting = named if len(named) == 1 else []
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

    def _fitting(self, path: Sequence[str]) -> list[int]:
        fitting = [ROOT]
        for text in path:
            children = (child for parent in fitting for child in self.children(parent))
            fitting = [child for child in children if self.headings[child].named(text)]
        return fitting

    def _nearest(self, path: Sequence[str]) -> str:
        """The path of the section whose last heading is the one asked for, or what there is at the top."""
        same = [number for number, heading in enumerate(self.headings) if heading.named(path[-1])]
        if same:
            return f'did you mean "{shown_path(self.path(same[0]))}"?'
        shown = [shown_path(self.path(number)) for number in range(len(self.headings))]
        if near := difflib.get_close_matches(shown_path(tuple(path)), shown, 3, 0.5):
            return "the nearest paths: " + ", ".join(f'"{name}"' for name in near)
        top = [self.headings[number].text for number in self.children(ROOT)]
        return f"top-level headings: {', '.join(map(repr, top[:10]))}" if top else "the file has no headings"

    def line(self, offset: int) -> int:
        """The number of the line at an offset, from 1."""
        return self.text.count("\n", 0, offset) + 1

    def first_at(self, offset: int) -> int:
        """The number of the first heading that begins at an offset or later."""
        return bisect_left(self.headings, offset, key=attrgetter("start"))


def headings(text: str, start: int = 0) -> list[NoteHeading]:
    """CommonMark's headings outside quotes and lists, from the beginning of a line on.

    A space in the place of each carriage return that belongs to a line ending keeps every offset; at the end of a line
    it changes no block.
    """
    source = text.replace("\r\n", " \n") if "\r" in text else text
    return [
        NoteHeading(level, begin, end, " ".join(line.strip(" \t") for line in content.split("\n")))
        for level, begin, end, content in scan(source, start).headings
    ]


def text_start(text: str) -> int:
    """Where the text begins, after a byte order mark and front matter."""
    start = len(BOM) if text.startswith(BOM) else 0
    opening = _OPENING.match(text, start)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return closing.end() if closing else start


def parents(levels: Sequence[int]) -> list[int]:
    """For each heading the number of the nearest earlier one of a lower level."""
    parents_so_far: list[int] = []
    for number, level in enumerate(levels):
        parent = number - 1
        while parent != ROOT and levels[parent] >= level:
            parent = parents_so_far[parent]
        parents_so_far.append(parent)
    return parents_so_far
