"""What is answered about summaries."""

from __future__ import annotations

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SummariesBuilt:
    """What was made, or with a dry run what would be; `jobs` are those it was left to.

    `documents` and `sections` have summaries now that had none. `calls`, `tokens` and `cost` are of the model. `left`
    documents are still without, because of what `stopped` says.
    """

    documents: int = 0
    sections: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    left: int = 0
    stopped: str = ""
    dry_run: bool = False
    jobs: tuple[int, ...] = ()


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
