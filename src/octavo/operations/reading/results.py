"""Answers of reading: documents, passages, diffs, lists, outlines, tags, and what the index holds of a document."""

from __future__ import annotations

from importlib import import_module

from octavo.fast_dataclass import dataclass
from octavo.operations.library.results import PropertyKey


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
    stale: str | None = None
    """`changed` or `gone` where the file is no longer what was indexed, which is what the text is."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        html: str = import_module("octavo.operations.jupyter_display").document(self)
        return html


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


@dataclass(frozen=True, slots=True)
class InspectedPassage:
    """A chunk: its place, its length, and its `vector`: full, fast or none.

    With a query, `rank` is its place among all candidates and `channels` its rank by each of them, such as
    `lexical 3`; `because` says what keeps it below the first hit.
    """

    chunk_id: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    tokens: int
    content_type: str
    vector: str
    rank: int | None = None
    score: float | None = None
    channels: tuple[str, ...] | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True)
class InspectedVersion:
    version: int
    modified_at: str
    indexed_at: str


@dataclass(frozen=True, slots=True)
class InspectAnswer:
    """`outcome` is what the ledger says of the file: indexed, skipped or failed, for a `reason`, with `warnings`.

    `redactions` say what was blacked out. What was not indexed has no passages. `first_hit` is the best candidate, in
    whichever document it is.
    """

    collection: str
    uri: str
    outcome: str
    title: str = ""
    kind: str | None = None
    document_id: str | None = None
    language: str | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    redactions: tuple[str, ...] = ()
    passages: tuple[InspectedPassage, ...] = ()
    links_out: tuple[str, ...] = ()
    links_in: tuple[str, ...] = ()
    versions: tuple[InspectedVersion, ...] = ()
    query: str | None = None
    first_hit: str | None = None
    candidates: int | None = None
