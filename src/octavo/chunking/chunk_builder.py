"""Building chunks from spans of a document: ids, ordinals and line numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from octavo.lazy_regex import regex
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import Document, Section
from octavo.model.ids import chunk_id, text_hash
from octavo.model.normalised_text_and_spans import Lines, Span

_BLANK_LINES = regex(r"(?:[^\S\n]*\n)+")


class ChunkBuilder:
    """Numbers the chunks of one document, which are added in ascending order of their starts."""

    def __init__(self, document: Document, chunks: Sequence[Chunk] = ()) -> None:
        self.chunks = list(chunks)
        self._document = document
        self._occurrences: dict[str, int] = Counter(chunk.text_hash for chunk in chunks) if chunks else {}
        self._start = 0
        self._end = chunks[-1].span.end if chunks else 0
        self._line = 1

    def trimmed(self, start: int, end: int) -> Span | None:
        """The span without blank lines around it; None if it is blank or inside the previous chunk."""
        text = self._document.text
        if text[start].isspace() and (blank := _BLANK_LINES.match(text, start)):
            start = blank.end()
        end = start + len(text[start:end].rstrip())
        return tuple.__new__(Span, (start, end)) if end > start and end > self._end else None

    def add(self, span: Span, section: Section, tokens: int, content_type: ContentType, signature: str = "") -> None:
        document, chunks, new = self._document, self.chunks, tuple.__new__
        start, self._end = span
        passage = document.text[start : self._end]
        hashed = text_hash(passage)
        occurrence = self._occurrences.get(hashed, 0)
        self._occurrences[hashed] = occurrence + 1
        line = self._line = self._line + document.text.count("\n", self._start, start)
        self._start = start
        # tuple.__new__ takes half of the constructors' time, and every chunk passes here.
        lines = new(Lines, (line, line + passage.count("\n")))
        chunks.append(
            new(
                Chunk,
                (
                    chunk_id(document.id, hashed, occurrence),
                    document.id,
                    section.id,
                    section.path,
                    len(chunks),
                    span,
                    lines,
                    passage,
                    hashed,
                    tokens,
                    content_type,
                    signature,
                ),
            )
        )
