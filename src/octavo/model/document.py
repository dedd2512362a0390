"""A document: anything retrievable, with its structure located exactly in its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.ids import DocumentId, SectionId
from octavo.model.normalised_text_and_spans import Span

HEADING_SEPARATOR = " \u2192 "


class Kind(StrEnum):
    NOTE = "note"
    DOC = "doc"
    CODE = "code"
    CONFIG = "config"
    COMMIT = "commit"
    CONVERSATION = "conversation"
    MEMORY = "memory"


class BlockKind(StrEnum):
    """What the chunker needs to know of a block of text: where it may be cut."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    FENCE = "fence"
    CODE = "code"
    COMMENT = "comment"
    DOCSTRING = "docstring"
    TABLE = "table"
    ITEM = "item"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"
    FRONT_MATTER = "front_matter"


ATOMIC = frozenset({BlockKind.HEADING, BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.ITEM})
"""Blocks that are not cut while they fit the embedder's window."""


class Block(NamedTuple):
    """A structural block of the text. Blocks are in order, do not overlap, and may leave blank lines between them."""

    kind: BlockKind
    start: int
    end: int
    language: str | None = None


class LinkKind(StrEnum):
    WIKILINK = "wikilink"
    EMBED = "embed"
    MARKDOWN = "markdown"
    IMPORT = "import"


class Link(NamedTuple):
    """A reference out of a document, as written; the graph resolves it."""

    kind: LinkKind
    target: str
    anchor: str | None
    shown: str | None
    span: Span


class Section(NamedTuple):
    """A heading (or a symbol, in code) and everything below it up to the next of its rank.

    `path` runs from the outermost title to this one. The text before the first heading belongs to the
    root section: level 0, an empty path, no anchor.
    """

    id: SectionId
    path: tuple[str, ...]
    level: int
    anchor: str
    span: Span

    @property
    def title(self) -> str:
        return self.path[-1] if self.path else ""


class Source(Value):
    """What a parser is given: normalised text and where it comes from."""

    id: DocumentId
    uri: str
    text: str
    modified_at: float
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    title: str = ""
    """A title known from elsewhere; empty means the parser finds one in the text."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    allow_secrets: bool = False
    """Whether keys and tokens that are written out in it are stored as they are."""


class Document(Value):
    """One document, parsed. Sections are in document order; the first is always the root section."""

    id: DocumentId
    uri: str
    kind: Kind
    title: str
    text: str
    content_hash: str
    modified_at: float
    language: str | None = None
    description: str = ""
    keywords: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()
    """Where pages, slides and sheets begin: no chunk reaches across, so that each is cited by one."""


def shown_path(path: tuple[str, ...]) -> str:
    """A heading path as shown to people: titles joined with an arrow."""
    return HEADING_SEPARATOR.join(path)
