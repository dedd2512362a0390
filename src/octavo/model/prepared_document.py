"""What the writing flow hands to a store: a parsed document with its chunks, already analysed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from octavo.fast_dataclass import Value

if TYPE_CHECKING:
    from octavo.model.chunk import Chunk, EmbeddingInput
    from octavo.model.document import Document
    from octavo.model.link_graph import DocumentLinks

LexicalField = Literal["title", "headings", "keywords", "description", "tags", "aliases", "body"]
LEXICAL_FIELDS: tuple[LexicalField, ...] = get_args(LexicalField)


FIELD_SEPARATOR = "\x1f"
"""Between the fields of a row that is written as one text: no token has it."""


class LexicalRow(NamedTuple):
    """Analysed tokens of one chunk, field by field, each joined with single spaces."""

    title: str
    headings: str
    keywords: str
    description: str
    tags: str
    aliases: str
    body: str


class IndexedChunk(NamedTuple):
    chunk: Chunk
    lexical: LexicalRow
    inputs: tuple[EmbeddingInput, ...]


class PreparedDocument(Value):
    """Everything one document puts into a library, computed without touching the library."""

    document: Document
    chunks: tuple[IndexedChunk, ...]
    linked: DocumentLinks | None = None
