"""Answers about canonical documents: memories with a key and a class, such as specifications and plans."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CanonicalAnswer:
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    tags: tuple[str, ...]
    status: str
    updated_at: str
    text: str


@dataclass(frozen=True, slots=True)
class CanonicalSection:
    """`start` and `end` count characters of the document's text; `tokens` is how long the section is."""

    anchor: str
    title: str
    level: int
    start: int
    end: int
    start_line: int
    end_line: int
    tokens: int


@dataclass(frozen=True, slots=True)
class CanonicalOutlineAnswer:
    key: str
    item: str
    version: int
    title: str
    sections: tuple[CanonicalSection, ...]


@dataclass(frozen=True, slots=True)
class CanonicalPassage:
    """`text` is exactly the document's characters from `start` to `end`."""

    key: str
    item: str
    version: int
    anchor: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    citation: str


@dataclass(frozen=True, slots=True)
class CanonicalPackAnswer:
    """`text` has every passage under its citation; `left_out` counts passages that were wanted and did not fit."""

    query: str
    max_tokens: int
    tokens: int
    text: str
    passages: tuple[CanonicalPassage, ...]
    left_out: int
    degraded: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CanonicalListed:
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class CanonicalListAnswer:
    documents: tuple[CanonicalListed, ...]
