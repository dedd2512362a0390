"""Passages for tests of answers."""

from __future__ import annotations

from octavo.answering.citable_passages import NumberedPassage
from octavo.model.document import Kind
from octavo.model.ids import ChunkId, DocumentId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.search_result import Citation, Hit


def passage(
    number: int, text: str, *, start: int = 0, line: int = 1, uri: str = "a.md", title: str = "A"
) -> NumberedPassage:
    citation = Citation(
        uri=uri,
        heading_path=(title,),
        span=Span(start, start + len(text)),
        lines=Lines(line, line + text.count("\n")),
    )
    hit = Hit(
        rank=number,
        score=0.5,
        collection="notes",
        kind=Kind.NOTE,
        title=title,
        citation=citation,
        excerpt=text,
        excerpt_truncated=False,
        chunk_id=ChunkId(f"c{number}"),
        document_id=DocumentId(f"d{uri}"),
        modified_at=0.0,
    )
    return NumberedPassage(number, hit)
