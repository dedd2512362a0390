"""What is answered about the log of queries."""

from __future__ import annotations

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """`shown` counts the hits, `opened` are the documents of them that were read afterwards."""

    at: str
    query: str
    profile: str
    shown: int
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueriesAnswer:
    """`logging` is whether queries are written down now."""

    queries: tuple[AskedQuery, ...]
    logging: bool


@dataclass(frozen=True, slots=True)
class QueriesCleared:
    queries: int
