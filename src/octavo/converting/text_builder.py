"""Builds the text of a converted file block by block, noting where each heading, block and page begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, ConvertedHeading, PageMark, Unit
from octavo.model.document import Block, BlockKind

MOST_CHARACTERS = 20_000_000
"""Text beyond this is cut, with a warning: a book has one million, and more is data."""

LONGEST_HEADING = 200
_DEEPEST_LIST = 8

# Controls, lone surrogates, noncharacters and byte order marks: nothing a reader sees, and some of it nothing a
# database can store. Soft hyphens and zero-width spaces would split words for a search.
_UNWANTED = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ufff0-\ufffb\ufffe\uffff\ud800-\udfff]")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " "}
)
_LINK = regex(r"\[([^\[\]]+)\]\([^()\s]+\)")
_TICKS = regex(r"`{3,}")


class TooLong(Exception):
    """The text has reached its limit: what was built so far stands."""


def clean(text: str) -> str:
    """Without characters nobody sees; ligatures as letters; line ends as `\\n`."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and text.isprintable():
        return text
    return _UNWANTED.sub("", text).translate(_LIGATURES)


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


class TextBuilder:
    """Text grows by blocks, a blank line between them; list items follow each other without one.

    The text reads as Markdown. It is never parsed again: where things are is noted as they are written.
    """

    def __init__(self, unit: Unit | None = None, most: int = MOST_CHARACTERS) -> None:
        self.unit = unit
        self.warnings: list[str] = []
        self._most = most
        self._parts: list[str] = []
        self._size = 0
        self._headings: list[ConvertedHeading] = []
        self._blocks: list[Block] = []
        self._marks: list[PageMark] = []
        self._pending: list[str] = []
        self._around: list[tuple[int, int]] = []  # of the list items around the next one: depth, and where its text is

    @property
    def size(self) -> int:
        return self._size

    @property
    def headings(self) -> Sequence[ConvertedHeading]:
        return self._headings

    def mark(self, label: str) -> None:
        """A page, slide, sheet or moment begins with the next block."""
        self._pending.append(label)

    def heading(self, level: int, title: str) -> None:
        title = _LINK.sub(r"\1", one_line(title))
        if not any(character.isalnum() for character in title):
            return self.paragraph(title)
        if len(title) > LONGEST_HEADING:
            return self.paragraph(title)
        level = min(6, max(1, level))
        self._around.clear()
        start = self._add(BlockKind.HEADING, f"{'#' * level} {title}")
        self._headings.append(ConvertedHeading(level, title, start))
        return None

    def paragraph(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        text = "\n".join(line.rstrip() for line in clean(text).split("\n") if line.strip())
        if text.strip():
            self._around.clear()
            self._add(kind, text)

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        """An item below one of a smaller depth is nested in it: it begins where that one's text does."""
        text = one_line(text)
        if text:
            depth = min(depth, _DEEPEST_LIST)
            self._around = [item for item in self._around if item[0] < depth]
            indent = self._around[-1][1] if self._around else 0
            self._around.append((depth, indent + len(marker) + 1))
            self._add(BlockKind.ITEM, f"{' ' * indent}{marker} {text}")

    def item_paragraph(self, text: str, depth: int = 0) -> None:
        """A further paragraph of the last item of that depth."""
        text = one_line(text)
        if text:
            self._around = [item for item in self._around if item[0] <= depth]
            self._add(BlockKind.PARAGRAPH, f"{' ' * (self._around[-1][1] if self._around else 0)}{text}")

    def code(self, text: str, language: str = "") -> None:
        text = clean(text).strip("\n")
        if text.strip():
            fence = "`" * max(3, max((len(match[0]) + 1 for match in _TICKS.finditer(text)), default=0))
            self._add(BlockKind.FENCE, f"{fence}{language}\n{text}\n{fence}", language or None)

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is the header. A row is written with as many cells as the longest has."""
        cells = [[one_line(value).replace("|", "\\|") for value in row] for row in rows]
        cells = [row for row in cells if any(row)]
        if not cells:
            return
        width = max(map(len, cells))
        if width == 1:
            for row in cells:
                self.paragraph(row[0])
            return
        filled = [row + [""] * (width - len(row)) for row in cells]
        self._around.clear()
        lines = [_row(filled[0]), _row(["---"] * width), *map(_row, filled[1:])]
        self._add(BlockKind.TABLE, "\n".join(lines))

    def include(self, document: Converted) -> None:
        """Everything that another document says, with its headings."""
        self._around.clear()
        levels = {heading.start: heading for heading in document.headings}
        for block in document.blocks:
            start = self._add(block.kind, document.text[block.start : block.end], block.language)
            if block.start in levels:
                self._headings.append(levels[block.start]._replace(start=start))
        self.warnings += document.warnings

    def converted(self, converter: str, title: str = "", metadata: Mapping[str, Any] | None = None) -> Converted:
        """Everything written; a page without text begins where the next one does."""
        self._place_marks(self._size)
        if self._parts:
            self._parts.append("\n")
        return Converted(
            text="".join(self._parts),
            converter=converter,
            title=one_line(title)[:LONGEST_HEADING],
            headings=tuple(self._headings),
            blocks=tuple(self._blocks),
            unit=self.unit,
            marks=tuple(self._marks),
            metadata=dict(metadata or {}),
            warnings=tuple(self.warnings),
        )

    def _add(self, kind: BlockKind, text: str, language: str | None = None) -> int:
        if self._size + len(text) > self._most:
            self.warnings.append(f"only its first {self._most:,} characters were read")
            raise TooLong
        if self._blocks:
            listed = kind is BlockKind.ITEM and self._blocks[-1].kind is BlockKind.ITEM
            gap = "\n" if listed and not self._pending else "\n\n"
            self._parts.append(gap)
            self._size += len(gap)
        start = self._size
        self._place_marks(start)
        self._parts.append(text)
        self._size += len(text)
        self._blocks.append(Block(kind, start, self._size, language))
        return start

    def _place_marks(self, start: int) -> None:
        self._marks += [PageMark(start, label) for label in self._pending]
        self._pending.clear()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
