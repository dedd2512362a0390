"""Commits into chunks: the message with its files is one text, the diff another that is found by its words alone."""

from __future__ import annotations

from dataclasses import replace

from recto.model.chunk import Chunk, ContentType
from recto.model.document import BlockKind, Document, Kind, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.text import Lines, Span
from recto.ports import Chunker

_LONGEST = 4_000  # characters of a diff in one chunk: a screenful or two
_FILE = "\ndiff --git "
# A diff is full of words nobody has seen before, which take long to count, and it is not embedded: a guess will do.
_CHARACTERS_PER_TOKEN = 3


class CommitChunker:
    """Fits `Chunker`. The message and its files are cut like prose, whatever diff follows them, as all else is.

    So a commit's meaning is the same before and after its diff was read, and is embedded once. A diff is parted
    between files where that is possible, and between lines where it is not.
    """

    version = "commit-1"

    def __init__(self, prose: Chunker) -> None:
        self._prose = prose

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        last = document.blocks[-1] if document.blocks else None
        if document.kind is not Kind.COMMIT or last is None or last.kind is not BlockKind.CODE:
            return self._prose.chunk(document)
        head = replace(document, sections=document.sections[:1], blocks=document.blocks[:-1])
        chunks = list(self._prose.chunk(head)) if head.blocks else []
        seen = {chunk.text_hash: 1 for chunk in chunks}
        text, section = document.text, document.sections[-1]
        line, counted = 1, 0
        for start, end in _parts(text, last.start, last.end):
            line += text.count("\n", counted, start)
            counted = start
            chunks.append(_chunk(document, section, len(chunks), start, end, line, seen))
        return tuple(chunks)


def _chunk(
    document: Document, section: Section, ordinal: int, start: int, end: int, line: int, seen: dict[str, int]
) -> Chunk:
    passage = document.text[start:end]
    hashed = text_hash(passage)
    occurrence = seen.get(hashed, 0)
    seen[hashed] = occurrence + 1
    return Chunk(
        id=chunk_id(document.id, hashed, occurrence),
        document_id=document.id,
        section_id=section.id,
        heading_path=section.path,
        ordinal=ordinal,
        span=Span(start, end),
        lines=Lines(line, line + passage.count("\n")),
        text=passage,
        text_hash=hashed,
        tokens=len(passage) // _CHARACTERS_PER_TOKEN,
        content_type=ContentType.DIFF,
    )


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Stretches of at most so many characters, as long as may be, none of them blank or ending in blanks."""
    parts = []
    end = len(text[:end].rstrip())
    while start < end:
        cut = end
        if end - start > _LONGEST:
            reach = start + _LONGEST
            cut = text.rfind(_FILE, start + 1, reach) + 1 or text.rfind("\n", start + 1, reach) + 1 or reach
        stop = start + len(text[start:cut].rstrip())
        if stop > start:
            parts.append((start, stop))
        start = cut
    return parts
