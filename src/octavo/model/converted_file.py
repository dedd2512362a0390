"""A file in another format as text with headings, blocks and pages, and where in the original a span of it lies."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.document import Block, BlockKind, Kind
from octavo.model.normalised_text_and_spans import Span


class Unit(StrEnum):
    """What a document is counted in, besides lines."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    TIME = "time"
    TURN = "turn"


class ConvertedHeading(NamedTuple):
    """A heading of level 1 to 6, at its first character in the text."""

    level: int
    title: str
    start: int


class PageMark(NamedTuple):
    """Where a page, slide, sheet or moment begins, and what it is called: `7`, `Budget`, `00:01:23`."""

    start: int
    label: str


class Member(NamedTuple):
    """A file inside another: an attachment, a message of a mailbox, what an archive holds. `name` is its path in it."""

    name: str
    data: bytes


class Converted(Value):
    """A file as text. Offsets are those of `text`, which is normalised; `metadata` is plain JSON.

    `members` are documents of their own. Where there are some, the text may be empty.
    """

    text: str
    converter: str
    title: str = ""
    headings: tuple[ConvertedHeading, ...] = ()
    blocks: tuple[Block, ...] = ()
    unit: Unit | None = None
    marks: tuple[PageMark, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    kind: Kind = Kind.DOC


class Damaged(Exception):
    """A file that is not what its name says, with the reason for the ledger. A reader that raises it refuses it."""


class RefusedFile(NamedTuple):
    """A file that gives no text, and why. `passing` trouble is the machine's: the next run tries again."""

    reason: str
    passing: bool = False


def to_plain(converted: Converted) -> dict[str, Any]:
    """As JSON holds it: what another process answers, and what a cache keeps. Members, which are bytes, go apart."""
    return {
        "text": converted.text,
        "converter": converted.converter,
        "kind": converted.kind.value,
        "title": converted.title,
        "headings": [list(heading) for heading in converted.headings],
        "blocks": [[block.kind.value, block.start, block.end, block.language] for block in converted.blocks],
        "unit": converted.unit,
        "marks": [list(mark) for mark in converted.marks],
        "metadata": dict(converted.metadata),
        "warnings": list(converted.warnings),
    }


def from_plain(plain: Mapping[str, Any]) -> Converted:
    """Raises `KeyError`, `TypeError` or `ValueError` for what `to_plain` did not write."""
    kinds = {kind.value: kind for kind in BlockKind}
    return Converted(
        text=str(plain["text"]),
        converter=str(plain["converter"]),
        title=str(plain["title"]),
        headings=tuple(
            ConvertedHeading(int(level), str(title), int(start)) for level, title, start in plain["headings"]
        ),
        blocks=tuple(
            Block(kinds[kind], int(start), int(end), None if language is None else str(language))
            for kind, start, end, language in plain["blocks"]
        ),
        unit=None if plain["unit"] is None else Unit(plain["unit"]),
        marks=tuple(PageMark(int(start), str(label)) for start, label in plain["marks"]),
        metadata=dict(plain["metadata"]),
        warnings=tuple(map(str, plain["warnings"])),
        kind=Kind(plain["kind"]),
    )


MARKS = "marks"
"""The key in a document's metadata under which its pages, slides, sheets or times are stored."""

OCR_PAGES = "ocr_pages"
"""The key for the numbers of the pages whose text was recognised in a picture."""


class Position(Value):
    """`page` is the page that a passage begins on, or the one of its pages that answers the query best; `pages` are all
    it lies on, where that is more than one."""

    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None
    """Whether its text was recognised in a picture, and may hold mistakes."""

    @property
    def anchor(self) -> str:
        """What follows the file's name in a link: `#page=7`, as viewers take it; empty where nothing does."""
        if self.page is not None:
            return f"#page={self.page}"
        return f"#slide={self.slide}" if self.slide is not None else ""

    @property
    def shown(self) -> str:
        """For people: `page 7`, `pages 7-9`, `slide 3`, `sheet Budget`, `00:01:23`."""
        seen = " (OCR)" if self.ocr else ""
        if self.pages:
            return f"pages {self.pages[0]}-{self.pages[-1]}{seen}"
        if self.page is not None:
            return f"page {self.page}{seen}"
        if self.slide is not None:
            return f"slide {self.slide}"
        return f"sheet {self.sheet}" if self.sheet is not None else self.time or ""

    @property
    def address(self) -> str:
        """Where the original is found elsewhere than here: its DOI, else its address; empty where neither is known."""
        return f"doi:{self.doi}" if self.doi else self.url or ""


NOWHERE = Position()


def place(file: str, line: int, position: Position) -> str:
    """Where somebody looks it up: `notes/a.md:12`, or by what its readers count, `papers/a.pdf#page=7`."""
    return f"{file}{position.anchor}" if position.shown else f"{file}:{line}"


def stored_marks(unit: Unit | None, marks: Sequence[PageMark]) -> dict[str, Any]:
    """As metadata: labels only where they are not simply 1, 2, 3."""
    if unit is None or not marks:
        return {}
    labels = [mark.label for mark in marks]
    stored: dict[str, Any] = {"unit": unit.value, "starts": [mark.start for mark in marks]}
    if labels != [str(number) for number in range(1, len(labels) + 1)]:
        stored["labels"] = labels
    return {MARKS: stored}


def stretches(metadata: Mapping[str, Any], span: Span) -> list[Span]:
    """A span, divided where pages, slides or times begin; empty where the document has none of these."""
    stored = metadata.get(MARKS)
    starts = stored.get("starts") if isinstance(stored, Mapping) else None
    if not starts:
        return []
    inside = [start for start in starts if span.start < start < span.end]
    return [Span(*ends) for ends in pairwise([span.start, *inside, span.end])]


def position(metadata: Mapping[str, Any], span: Span, best: Span | None = None) -> Position:
    """Where a span of a document with this metadata lies, and within it the `best` stretch."""
    url, doi = _text(metadata.get("url")), _text(metadata.get("doi"))
    marks = metadata.get(MARKS)
    stored: Mapping[str, Any] = marks if isinstance(marks, Mapping) else {}
    starts = stored.get("starts")
    if not starts:
        return Position(url=url, doi=doi) if url or doi else NOWHERE
    first = max(0, bisect_right(starts, span.start) - 1)
    last = max(first, bisect_right(starts, max(span.start, span.end - 1)) - 1)
    at = first if best is None else max(first, bisect_right(starts, best.start) - 1)
    labels = stored.get("labels") or ()
    unit = stored.get("unit")
    if unit == Unit.PAGE:
        pages = tuple(range(first + 1, last + 2))
        recognised = metadata.get(OCR_PAGES)
        ocr = True if isinstance(recognised, Sequence) and not set(pages).isdisjoint(recognised) else None
        return Position(page=at + 1, pages=pages if len(pages) > 1 else None, url=url, doi=doi, ocr=ocr)
    if unit == Unit.SLIDE:
        return Position(slide=at + 1, url=url, doi=doi)
    if unit == Unit.TURN:  # its heading says who speaks, and when
        return Position(url=url, doi=doi)
    label = labels[at] if at < len(labels) else str(at + 1)
    if unit == Unit.SHEET:
        return Position(sheet=label, url=url, doi=doi)
    return Position(time=label, url=url, doi=doi)


def span_of(metadata: Mapping[str, Any], number: int, size: int) -> tuple[Span | None, int, str]:
    """The characters of a page or slide, from 1; how many there are, and what they are called."""
    stored = metadata.get(MARKS)
    if not isinstance(stored, Mapping) or stored.get("unit") == Unit.TIME:
        return None, 0, Unit.PAGE.value
    starts, unit = stored["starts"], str(stored["unit"])
    if not 1 <= number <= len(starts):
        return None, len(starts), unit
    return Span(starts[number - 1], starts[number] if number < len(starts) else size), len(starts), unit


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
