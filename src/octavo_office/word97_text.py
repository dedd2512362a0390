"""The text of Word 97 to 2003, and what its tables say of paragraphs and characters.

The layout is Microsoft's [MS-DOC]: a header with the places of tables; a table of pieces says where the characters of
the text lie; properties of paragraphs and characters lie on pages of 512 bytes, by the place of what they describe.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from octavo.converting.heading_styles_and_list_numbers import TITLE_LEVEL, heading_level
from octavo.converting.text_builder import one_line
from octavo_office.compound_file import numbers
from octavo_office.word97_lists import WordLists

CELL = "\x07"
"""The character that ends a cell of a table, and a row."""

_TABLES = 0x9A  # where the header lists the places of tables: eight bytes each
_STYLES, _NOTE_MARKS, _NOTES, _COMMENT_MARKS, _COMMENTS = 1, 2, 3, 4, 5
_CHARACTER_PAGES, _PARAGRAPH_PAGES, _PIECES, _AUTHORS, _END_MARKS, _END_NOTES = 12, 13, 33, 36, 46, 47
_LISTS, _LIST_USES = 73, 74
_PARAGRAPH_STYLE = 1
_PAGE = 512
_OUTLINE, _IN_TABLE, _ROW_END, _DEPTH, _LISTED = 0x2640, 0x2416, 0x2417, 0x260A, 0x460B
_DELETED, _HIDDEN = 0x0800, 0x083C
_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}  # bytes of a property's value, by three bits of its name
_LONG_PROPERTIES = (0xD606, 0xD608)
# Of the styles that every document has; those of headings have these numbers in every document.
_TITLE_STYLE, _CONTENTS_STYLES, _HEADING_STYLES = 62, range(19, 28), range(1, 10)
_CONTENTS = -2  # in place of a level, as `TITLE_LEVEL` is
_BODY = 9  # an outline level that is none
_GONE = "\0"  # in place of a character that was deleted or is hidden: places stay what they are
_NOTE_SIZE, _COMMENT_SIZE = 2, 30  # bytes of a mark
_AUTHOR = slice(20, 22)
_MOST = 20_000_000  # characters


class Story(NamedTuple):
    """A part of the text, in characters: the document, its notes, its comments, its text boxes."""

    start: int
    end: int


class Properties(NamedTuple):
    style: int = 0
    outline: int = _BODY
    in_table: bool = False
    row_end: bool = False
    list: int = 0
    """The use of a list, counted from one; 0 outside of lists."""
    depth: int = 0


class Paragraph(NamedTuple):
    text: str
    start: int
    end: int
    mark: str
    """The character that ends it: of a cell another one than of a paragraph."""
    about: Properties


class WordText:
    """The characters of a document, and what it says of them."""

    def __init__(self, word: bytes, table: bytes) -> None:
        self._word, self._table = word, table
        counts = struct.unpack_from("<8I", word, 0x4C)
        at, stories = 0, []
        for count in counts:
            stories.append(Story(at, at + count))
            at += count
        self.main, self._notes, _, _, self._comments, self._end_notes, self.boxes, _ = stories
        self._starts: list[int] = []  # of pieces, in characters
        self._places: list[tuple[int, int]] = []  # of their first character in the file, and the bytes of each
        self.text = self._read_pieces()
        self._style_lists: dict[int, tuple[int, int]] = {}
        self._styles = self._read_styles()
        self._paragraphs = self._runs(_PARAGRAPH_PAGES)
        self._mark_gone()

    def paragraphs(self, story: Story) -> Iterator[Paragraph]:
        start = story.start
        for match in re.finditer("[\r\x07\x0c]", self.text[story.start : story.end]):
            end = story.start + match.start()
            yield Paragraph(self.text[start:end], start, end, match[0], self._properties(end))
            start = end + 1
        if start < min(story.end, len(self.text)):
            yield Paragraph(self.text[start : story.end], start, story.end, "\r", Properties())

    def level(self, about: Properties) -> int:
        """Of the heading that a paragraph is; `TITLE_LEVEL` of a title, 0 of any other."""
        known = self._styles.get(about.style, 0)
        if known == TITLE_LEVEL:
            return known
        return about.outline + 1 if about.outline < _BODY else known

    def is_contents(self, about: Properties) -> bool:
        return self._styles.get(about.style) == _CONTENTS

    def _listed(self, number: int) -> bytes:
        """One of the tables that the header lists."""
        place, size = struct.unpack_from("<II", self._word, _TABLES + 8 * number)
        return self._table[place : place + size]

    def notes(self) -> list[tuple[int, str]]:
        """Footnotes and endnotes: where each is marked in the text, and what it says."""
        noted = self._noted(_NOTE_MARKS, _NOTES, self._notes, _NOTE_SIZE)
        noted += self._noted(_END_MARKS, _END_NOTES, self._end_notes, _NOTE_SIZE)
        return sorted((place, text) for place, _, text in noted)

    def comments(self) -> list[tuple[int, str, str]]:
        """Where each is marked in the text, who wrote it, and what it says."""
        authors = dict(enumerate(_names(self._listed(_AUTHORS))))
        noted = self._noted(_COMMENT_MARKS, _COMMENTS, self._comments, _COMMENT_SIZE)
        return sorted(
            (place, authors.get(int.from_bytes(about[_AUTHOR], "little"), ""), text) for place, about, text in noted
        )

    def _noted(self, marks: int, texts: int, story: Story, size: int) -> list[tuple[int, bytes, str]]:
        marked, ends = self._listed(marks), numbers(self._listed(texts))
        count = max(0, (len(marked) - 4) // (4 + size))
        noted = []
        for number, start, end in zip(range(count), ends, ends[1:], strict=False):
            (place,) = struct.unpack_from("<I", marked, 4 * number)
            text = self.text[story.start + start : min(story.end, story.start + end)]
            about = marked[4 * (count + 1) + size * number :][:size]
            noted.append((place, about, text))
        return noted

    def _read_pieces(self) -> str:
        data, at = self._listed(_PIECES), 0
        while at < len(data) and data[at] == 1:
            at += 3 + struct.unpack_from("<H", data, at + 1)[0]
        size = struct.unpack_from("<BI", data, at)[1] if at < len(data) else 0
        count = max(0, (min(size, len(data) - at - 5) - 4) // 12)
        ends = struct.unpack_from(f"<{count + 1}I", data, at + 5)
        texts, length = [], 0
        for number in range(count):
            (place,) = struct.unpack_from("<2xI", data, at + 5 + 4 * (count + 1) + 8 * number)
            width = 1 if place & 0x40000000 else 2
            place = (place & 0x3FFFFFFF) // (2 if width == 1 else 1)
            size = max(0, min(ends[number + 1] - ends[number], _MOST - length))
            raw = self._word[place : place + size * width]
            text = raw.decode("cp1252", "replace") if width == 1 else _wide(raw)
            self._starts.append(length)
            self._places.append((place, width))
            texts.append(text)
            length += len(text)
        return "".join(texts)

    def _place(self, character: int) -> int:
        """Where a character lies in the file."""
        piece = bisect_right(self._starts, character) - 1
        if piece < 0:
            return 0
        place, width = self._places[piece]
        return place + (character - self._starts[piece]) * width

    def _runs(self, number: int) -> tuple[list[int], list[bytes]]:
        """Places in the file at which properties begin, in order, and the properties."""
        data = self._listed(number)
        count = max(0, (len(data) - 4) // 8)
        pages = struct.unpack_from(f"<{count}I", data, 4 * (count + 1)) if count else ()
        runs: list[tuple[int, bytes]] = []
        for page in pages:
            page_bytes = self._word[(page & 0x3FFFFF) * _PAGE :][:_PAGE]
            if len(page_bytes) == _PAGE:
                runs += _page_runs(page_bytes, paragraphs=number == _PARAGRAPH_PAGES)
        runs.sort(key=lambda run: run[0])
        return [place for place, _ in runs], [run for _, run in runs]

    def _properties(self, character: int) -> Properties:
        starts, runs = self._paragraphs
        at = bisect_right(starts, self._place(character)) - 1
        if at < 0 or len(runs[at]) < 2:
            return Properties()
        properties = dict(_properties(runs[at][2:]))
        return Properties(
            int.from_bytes(runs[at][:2], "little"),
            properties.get(_OUTLINE, _BODY),
            bool(properties.get(_IN_TABLE)),
            bool(properties.get(_ROW_END)),
            *self._in_list(properties, int.from_bytes(runs[at][:2], "little")),
        )

    def _in_list(self, held: Mapping[int, int], style: int) -> tuple[int, int]:
        """Which use of a list a paragraph is in, and how deep: it says so itself, or its style does."""
        used, depth = self._style_lists.get(style, (0, 0))
        return held.get(_LISTED, used), held.get(_DEPTH, depth)

    def lists(self) -> WordLists:
        place, _ = struct.unpack_from("<II", self._word, _TABLES + 8 * _LISTS)
        return WordLists(self._table[place:] if self._listed(_LISTS) else b"", self._listed(_LIST_USES))

    def _mark_gone(self) -> None:
        """Characters that were deleted while changes were tracked, and those that are hidden, are no text."""
        starts, runs = self._runs(_CHARACTER_PAGES)
        gone = [bool({_DELETED, _HIDDEN} & {name for name, value in _properties(run) if value}) for run in runs]
        if not any(gone):
            return
        shown = list(self.text)
        for character, letter in enumerate(self.text):
            at = bisect_right(starts, self._place(character)) - 1
            if at >= 0 and gone[at] and letter not in "\r\x07":
                shown[character] = _GONE
        self.text = "".join(shown)

    def _read_styles(self) -> dict[int, int]:
        """The number of a style → the level of its headings, or that it makes a title or a table of contents."""
        data = self._listed(_STYLES)
        if len(data) < 6:
            return {}
        size, count, base = struct.unpack_from("<HHH", data)
        at, levels, parents = 2 + size, dict[int, int](), dict[int, int]()
        for number in range(count):
            if at + 2 > len(data):
                break
            (length,) = struct.unpack_from("<H", data, at)
            if length >= base >= 8 and at + 6 <= len(data):
                known, parent = struct.unpack_from("<HH", data, at + 2)
                own = number if number in _HEADING_STYLES else known & 0x0FFF
                levels[number] = _style_level(own) or heading_level(_name(data, at + 2 + base))
                parents[number] = parent >> 4
                if parent & 0xF == _PARAGRAPH_STYLE:
                    self._read_style_list(number, data[at + 2 : at + 2 + length], base)
            at += 2 + length + (length & 1)
        for number in parents:
            above, seen = number, set[int]()
            while not levels.get(above, 0) and above not in seen:
                seen.add(above)
                above = parents.get(above, -1)
            if levels.get(above, _CONTENTS) != _CONTENTS:
                levels[number] = levels[above]
                if above in self._style_lists:
                    self._style_lists.setdefault(number, self._style_lists[above])
        return {number: level for number, level in levels.items() if level}

    def _read_style_list(self, number: int, style: bytes, base: int) -> None:
        """The list that paragraphs of a style are in: among its properties, which follow its name."""
        at = base + 2 + 2 * int.from_bytes(style[base : base + 2], "little") + 2
        size = int.from_bytes(style[at : at + 2], "little")
        properties = dict(_properties(style[at + 4 : at + 2 + size]))
        if properties.get(_LISTED):
            self._style_lists[number] = properties[_LISTED], properties.get(_DEPTH, 0)


def _style_level(known: int) -> int:
    if known in _HEADING_STYLES:
        return min(known, 6)
    if known == _TITLE_STYLE:
        return TITLE_LEVEL
    return _CONTENTS if known in _CONTENTS_STYLES else 0


def _wide(raw: bytes) -> str:
    """UTF-16 with as many characters as it has units: half of a pair stands for itself."""
    return "".join(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2])))


def _page_runs(page: bytes, *, paragraphs: bool) -> Iterator[tuple[int, bytes]]:
    """Of a page of properties: the place at which each run begins, and its properties."""
    count = page[-1]
    step = 13 if paragraphs else 1
    if 4 * (count + 1) + step * count > _PAGE:
        return
    for number in range(count):
        (place,) = struct.unpack_from("<I", page, 4 * number)
        at = 2 * page[4 * (count + 1) + step * number]
        size = page[at] if at else 0
        if paragraphs and at:
            at, size = (at, 2 * size - 1) if size else (at + 1, 2 * page[min(at + 1, _PAGE - 1)])
        yield place, page[at + 1 : at + 1 + max(0, size)] if at else b""


def _properties(run: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 3 <= len(run):
        (name,) = struct.unpack_from("<H", run, at)
        at += 2
        if name >> 13 in _SIZES:
            size = _SIZES[name >> 13]
        elif name in _LONG_PROPERTIES:
            size = 1 + int.from_bytes(run[at : at + 2], "little")
        else:
            size = 1 + run[at]
        yield name, int.from_bytes(run[at : at + min(size, 4)], "little")
        at += size


def _names(data: bytes) -> list[str]:
    """Names of authors: each with its length before it."""
    names, at = [], 0
    while at + 2 <= len(data):
        names.append(_name(data, at))
        at += 2 + 2 * int.from_bytes(data[at : at + 2], "little")
    return names


def _name(data: bytes, at: int) -> str:
    size = int.from_bytes(data[at : at + 2], "little")
    return one_line(data[at + 2 : at + 2 + 2 * size].decode("utf-16-le", "replace"))
