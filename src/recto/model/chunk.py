"""A chunk: the unit that is found, a contiguous span of one document."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from recto.model.ids import ChunkId, DocumentId, SectionId
from recto.model.text import Lines, Span


class ContentType(StrEnum):
    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    COMMENT = "comment"
    DOCSTRING = "docstring"
    CONFIG = "config"
    DIFF = "diff"


class Chunk(NamedTuple):
    """`text` is exactly `document.text[span]`. `section_id` names the section in which the chunk starts.

    `signature` is that of the declaration a chunk of code is part of, and in prose the language of its code.
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


class EmbeddingInput(NamedTuple):
    """What is embedded for one window of a chunk: its title and heading path in front, then the slice itself.

    `context` is what stands in front of the slice, so that the text can be made again from the document.
    Most chunks have one; a block longer than the embedder's window has several and scores by its best.
    `hash` names the text, so the same input is never embedded twice.
    """

    window: int
    span: Span
    text: str
    hash: str
    context: str = ""
