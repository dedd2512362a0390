"""What a converter makes of a file in another format: text with its headings, blocks and pages, exactly located."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.model.document import Block, BlockKind, Kind


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


@dataclass(frozen=True, slots=True)
class Converted:
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
