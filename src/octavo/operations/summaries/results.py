"""What is answered about summaries."""

from __future__ import annotations

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FoundSummary:
    """`node` is `file_summary` or `section_summary`, `lines` where it stands, `maker` who made it."""

    node: str
    heading: str
    first_line: int
    last_line: int
    text: str
    maker: str


@dataclass(frozen=True, slots=True)
class SummariesAnswer:
    collection: str
    uri: str
    title: str
    summaries: tuple[FoundSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class SummariesCleared:
    summaries: int
