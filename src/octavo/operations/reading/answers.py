"""What reading gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """The exact text and its place; `next_cursor` is there when the rest did not fit."""

    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    version: int
    modified_at: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    backlinks: tuple[str, ...] = ()
    """Documents that point at this one, the first few, as collection/uri; with the first page only."""
    next_cursor: str | None = None
    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None


@dataclass(frozen=True, slots=True)
class OutlineSection:
    title: str
    level: int
    anchor: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """Sections in document order; a section holds the deeper ones that follow it."""

    collection: str
    uri: str
    title: str
    document_id: str
    lines: int
    sections: tuple[OutlineSection, ...]
    next_cursor: str | None = None
