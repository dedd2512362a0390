"""What reading gives."""

from __future__ import annotations

from octavo.dataclass import dataclass
from octavo.operations.library.answers import PropertyKey


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
class DiffAnswer:
    """A unified diff of two versions, empty where they say the same; `truncated` where it was cut to fit."""

    collection: str
    uri: str
    document_id: str
    from_version: int
    to_version: int
    from_modified_at: str
    to_modified_at: str
    added: int
    removed: int
    diff: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """One of several passages. `truncated` where it was cut to fit: `get` reads on from `end_line`."""

    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    text: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class GetManyAnswer:
    """`missing` are references that name nothing; `left_out` those that the budget had no room for."""

    passages: tuple[DocumentPassage, ...]
    tokens: int
    missing: tuple[str, ...] | None = None
    left_out: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    modified_at: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ListDocumentsAnswer:
    """Documents by collection and uri, or the keys of their properties."""

    total: int
    documents: tuple[DocumentRow, ...] | None = None
    keys: tuple[PropertyKey, ...] | None = None
    next_cursor: str | None = None


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


@dataclass(frozen=True, slots=True)
class TaggedDocument:
    document_id: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentTagsAnswer:
    """Documents without tags are left out."""

    documents: tuple[TaggedDocument, ...]
