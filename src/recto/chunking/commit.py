"""Commits into chunks: the message with its files is one text, the diff another that is found by its words alone."""

from __future__ import annotations

from dataclasses import replace

from recto.chunking.sections import BLANK_LINES
from recto.model.chunk import Chunk, ContentType
from recto.model.document import Block, BlockKind, Document, Kind, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.text import Lines, Span
from recto.ports import Chunker, TokenCounter

_LONGEST = 4_000  # characters of a diff in one chunk: a screenful or two
_FILE = "\ndiff --git "
# A diff is full of words nobody has seen before, which take long to count, and it is not embedded: a guess will do.
_CHARACTERS_PER_TOKEN = 3
_SAFE_CHARACTERS = 12  # to the token: what has more is not what people write


class CommitChunker:
    """Fits `Chunker`. The message and its files are cut like prose, whatever diff follows them, as all else is.

    So a commit's meaning is the same before and after its diff was read, and is embedded once. A diff is parted
    between files where that is possible, and between lines where it is not.
    """

    version = "commit-1"

    def __init__(self, prose: Chunker, counter: TokenCounter, target_max: int) -> None:
        self._prose = prose
        self._counter = counter
        self._target_max = target_max

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        if document.kind is not Kind.COMMIT or not document.blocks:
            return self._prose.chunk(document)
        last = document.blocks[-1]
        diff = last if last.kind is BlockKind.CODE else None
        head = document.blocks[:-1] if diff else document.blocks
        chunks = self._message(document, head)
        if diff is None:
            return chunks
        section = document.sections[-1]
        seen = {chunk.text_hash: 1 for chunk in chunks}
        found = list(chunks)
        for start, end in _parts(document.text, diff.start, diff.end):
            found.append(_chunk(document, section, len(found), Span(start, end), seen))
        return tuple(found)

    def _message(self, document: Document, blocks: tuple[Block, ...]) -> tuple[Chunk, ...]:
        """What a person wrote, and the files. Most are far below the target, and then there is nothing to cut."""
        said = [block for block in blocks if block.kind is not BlockKind.FRONT_MATTER]
        if said and said[-1].end - said[0].start <= self._target_max * _SAFE_CHARACTERS:
            start = said[0].start
            if blank := BLANK_LINES.match(document.text, start):
                start = blank.end()
            text = document.text[start : said[-1].end].rstrip()
            tokens = self._counter.count(text)
            if text and tokens <= self._target_max:
                span = Span(start, start + len(text))
                return (_chunk(document, document.sections[0], 0, span, {}, tokens),)
        return self._prose.chunk(replace(document, sections=document.sections[:1], blocks=blocks)) if blocks else ()


def _chunk(
    document: Document, section: Section, ordinal: int, span: Span, seen: dict[str, int], tokens: int | None = None
) -> Chunk:
    """A chunk of a diff, or of a message whose `tokens` were counted."""
    passage = span.of(document.text)
    hashed = text_hash(passage)
    occurrence = seen.get(hashed, 0)
    seen[hashed] = occurrence + 1
    line = document.text.count("\n", 0, span.start) + 1
    return Chunk(
        id=chunk_id(document.id, hashed, occurrence),
        document_id=document.id,
        section_id=section.id,
        heading_path=section.path,
        ordinal=ordinal,
        span=span,
        lines=Lines(line, line + passage.count("\n")),
        text=passage,
        text_hash=hashed,
        tokens=len(passage) // _CHARACTERS_PER_TOKEN if tokens is None else tokens,
        content_type=ContentType.DIFF if tokens is None else ContentType.PROSE,
    )


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Stretches of at most so many characters, as long as may be, none of them blank or ending in blanks."""
    parts = []
    end = len(text[:end].rstrip())
    while start < end:
        cut = end
        if end - start > _LONGEST:
            least, reach = start + _LONGEST // 4, start + _LONGEST
            cut = text.rfind(_FILE, least, reach) + 1 or text.rfind("\n", least, reach) + 1 or reach
        stop = start + len(text[start:cut].rstrip())
        if stop > start:
            parts.append((start, stop))
        start = cut
    return parts
