"""A chunk: the unit of retrieval, a contiguous span of one document."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from octavo.model.ids import ChunkId, DocumentId, SectionId, text_hash
from octavo.model.normalised_text_and_spans import Lines, Span


class ContentType(StrEnum):
    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    COMMENT = "comment"
    DOCSTRING = "docstring"
    CONFIG = "config"
    DIFF = "diff"


CODE_TYPES = (ContentType.CODE, ContentType.COMMENT, ContentType.DOCSTRING, ContentType.CONFIG)
PROSE_TYPES = (ContentType.PROSE, ContentType.TABLE)


class Chunk(NamedTuple):
    """`text` is exactly `document.text[span]`. `section_id` names the section in which the chunk starts.

    `signature` is that of the declaration a chunk of code belongs to; in prose, the languages of its code blocks.
    """

    id: ChunkId
    document_id: DocumentId
    section_id: SectionId
    heading_path: tuple[str, ...]
    ordinal: int
    span: Span
    lines: Lines
    text: str
    text_hash: str
    tokens: int
    content_type: ContentType = ContentType.PROSE
    signature: str = ""


def contextual_hash(document: str, content_hash: str, start: int, input_hash: str) -> str:
    return text_hash(f"{document} {content_hash} {start} {input_hash}")


class EmbeddingInput(NamedTuple):
    """What is embedded for one window of a chunk: `context` (title and heading path), then the slice itself.

    Most chunks have one; a block longer than the embedder's window has several and scores by its best.
    `hash` names the text, so the same input is never embedded twice; that of a document whose chunks are embedded
    together names the document and its version too (`in_document`). `fast` is its fast vector in half precision,
    when indexing has computed it.
    """

    window: int
    span: Span
    hash: str
    context: str = ""
    fast: bytes = b""

    def in_document(self, document: DocumentId, content_hash: str) -> EmbeddingInput:
        """An input whose vector depends on the whole document: shared with no other document and no other version."""
        return self._replace(hash=contextual_hash(document, content_hash, self.span.start, self.hash))
