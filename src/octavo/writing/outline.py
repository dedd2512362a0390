"""A Markdown file's headings with the exact places of their sections, in the text as it is on disk.

Offsets count characters of the file's own text: its byte order mark, its line endings and its front matter included.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from octavo.dataclass import dataclass
from octavo.errors import InvalidArgument, NotFound
from octavo.model.document import shown_path
from octavo.parsing.markdown.inline import LONGEST, plain_text
from octavo.writing.files import File, encoded
from octavo.writing.heading_scan import HeadingPlaces, heading_places
from octavo.writing.splice import Spliced

BOM = "\ufeff"
_ENCODED_BOM = BOM.encode().decode("latin-1")
_LARGE = 256 * 1024  # bytes: more of them are not made characters
ROOT = -1
"""The number of the root: the parent of top-level headings, of level 0."""

_SECTIONS_TOLD = 100  # where the one asked for is not there
_PLAIN = re.compile(r"(?:[A-Za-z0-9,.()'/-]++ ?)*+")  # texts that hold no markup: outlines show them as they are
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
        return _shown(self.text)

    def named(self, text: str) -> bool:
        return _is_named(self.text, text)


class Headings(Sequence[Heading]):
    """The headings of a text, each made when it is asked for: of a large file most are not."""

    def __init__(self, source: str, places: HeadingPlaces, encoded: bool) -> None:
        self._source = source
        self._encoded = encoded
        self.places = places

    def __len__(self) -> int:
        return len(self.places.starts)

    @overload
    def __getitem__(self, number: int) -> Heading: ...
    @overload
    def __getitem__(self, number: slice) -> list[Heading]: ...
    def __getitem__(self, number: int | slice) -> Heading | list[Heading]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        places = self.places
        return Heading(places.levels[number], places.starts[number], places.ends[number], self.text(number))

    def text(self, number: int) -> str:
        content = self.places.content(number, self._source)
        if not content.isascii() and self._encoded:
            content = _readable(content)
        if "\n" in content:
            content = " ".join(line.strip(" \t") for line in content.split("\n"))
        return content


@dataclass(frozen=True)
class Outline:
    """The text of a file and its headings.

    Where `encoded`, `text` is the file's bytes with a character for each: they take a quarter of the room, and what
    Markdown is made of is ASCII. The texts of headings are whole characters in either form.
    """

    text: str
    encoded: bool = False

    @cached_property
    def start(self) -> int:
        """Where headings may begin: after a byte order mark and front matter."""
        return self._start(self.text)

    @cached_property
    def headings(self) -> Headings:
        return headings(self.text, self.start, encoded=self.encoded)

    def headings_in(self, part: str) -> Headings:
        """The headings of a text in the same form."""
        return headings(part, encoded=self.encoded)

    def again(self, text: str) -> Outline:
        """The outline of another text in the same form."""
        return Outline(text, self.encoded)

    def written(self, text: str) -> str:
        """A text as it stands in this one."""
        return encoded(text).decode("latin-1") if self.encoded else text

    def readable(self, part: str) -> str:
        """A part of the text in whole characters."""
        return _readable(part) if self.encoded else part

    def content(self, text: str) -> bytes:
        """The bytes of a text in the same form."""
        return text.encode("latin-1") if self.encoded else encoded(text)

    def starts_as(self, new: str | Spliced) -> int:
        """Where headings may begin in another text of the same form."""
        if isinstance(new, str):
            return self._start(new)
        closed = self.floor < self.start < len(self.text) and new.start >= self.start
        unopened = new.start > self.text.find("\n") >= 0 and not _OPENING.match(self.text, self.floor)
        return self.start if closed or unopened else self._start(new.text)

    def _start(self, text: str) -> int:
        return text_start(text, _ENCODED_BOM if self.encoded else BOM)

    @cached_property
    def parents(self) -> Sequence[int]:
        """Of each heading the number of its parent."""
        found: list[int] = self._parents.tolist()
        return found

    @cached_property
    def _parents(self) -> NDArray[np.intp]:
        return _parents(self.headings.places.levels)

    @property
    def floor(self) -> int:
        """Where lines begin: after a byte order mark."""
        bom = _ENCODED_BOM if self.encoded else BOM
        return len(bom) if self.text.startswith(bom) else 0

    def level(self, number: int) -> int:
        return 0 if number == ROOT else self.headings.places.levels[number]

    def body_end(self, number: int) -> int:
        """Where the text right below a heading, or before the first one, ends."""
        return self._start_of(number + 1)

    def section_end(self, number: int) -> int:
        """Where a section ends, with everything below its heading."""
        return self._start_of(self.after(number))

    def _start_of(self, number: int) -> int:
        """Where a heading begins; the end of the text if there is none of that number."""
        return self.headings.places.starts[number] if number < len(self.headings) else len(self.text)

    def after(self, number: int) -> int:
        """The number of the first heading behind a section; that many headings there are if there is none."""
        level = self.level(number)
        if number == ROOT:
            return len(self.headings)
        levels = self.headings.places.levels
        numbers = range(number + 1, len(levels))
        return next((other for other in numbers if levels[other] <= level), len(levels))

    def children(self, number: int) -> list[int]:
        first, behind = number + 1, self.after(number)
        return (np.flatnonzero(self._parents[first:behind] == number) + first).tolist()

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
            children = (child for parent in fitting for child in self.children(parent))
            fitting = [child for child in children if _is_named(self.headings.text(child), text)]
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
        return bisect_left(self.headings.places.starts, offset)


def outline(text: str) -> Outline:
    return Outline(text)


def file_outline(file: File) -> Outline:
    """The outline of a file, which must be UTF-8."""
    if len(file.content) <= _LARGE:
        return Outline(file.text)
    file.refuse_other_encodings()
    return Outline(file.content.decode("latin-1"), encoded=True)


def headings(text: str, start: int = 0, *, encoded: bool = False) -> Headings:
    """CommonMark's headings outside quotes and lists, from the beginning of a line on.

    A space in the place of each carriage return that belongs to a line ending keeps every offset; at the end of a line
    it changes no block.
    """
    source = text.replace("\r\n", " \n") if "\r" in text else text
    return Headings(source, heading_places(source, start), encoded)


def text_start(text: str, bom: str = BOM) -> int:
    """Where the text begins, after a byte order mark and front matter."""
    start = len(bom) if text.startswith(bom) else 0
    opening = _OPENING.match(text, start)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return closing.end() if closing else start


def parents(levels: Sequence[int]) -> list[int]:
    """For each heading the number of the nearest earlier one of a lower level."""
    found: list[int] = _parents(levels).tolist()
    return found


def _parents(levels: Sequence[int]) -> NDArray[np.intp]:
    depths = np.array(levels, np.intp)
    numbers = np.arange(len(depths))
    found = np.full(len(depths), ROOT)
    for depth in np.unique(depths)[1:]:
        lower = np.maximum.accumulate(np.where(depths < depth, numbers, ROOT))
        found[depths == depth] = lower[depths == depth]
    return found


def _is_named(heading: str, text: str) -> bool:
    """Whether a heading's text is the one given, as it is written or as outlines show it."""
    return text == heading or (not _PLAIN.fullmatch(heading) and text == _shown(heading))


def _shown(heading: str) -> str:
    return plain_text(heading[:LONGEST])


def _readable(part: str) -> str:
    return part.encode("latin-1").decode("utf-8")
