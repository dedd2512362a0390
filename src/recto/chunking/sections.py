"""Sections into chunks: prose documents, cut where their headings and blocks allow."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recto.chunking.blocks import Piece, Pieces, pieces
from recto.chunking.grouping import grouped, own_parts, owner
from recto.chunking.packing import Run, pack
from recto.model.chunk import Chunk, ContentType
from recto.model.document import BlockKind, Document, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.recipe import ChunkSizes
from recto.model.text import Lines, Span
from recto.ports import TokenCounter

# Asked for once: Python 3.11 takes a fifth of a microsecond to find a member of an enumeration.
_FENCE, _CODE, _TABLE, _FRONT_MATTER = BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER
_PROSE = ContentType.PROSE

BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


class SectionChunker:
    """Fits `Chunker`. Every section is cut on its own, at block boundaries, into chunks near the target size.

    Exceptions, all for the sake of what is found:

    - Consecutive sections below the preferred minimum share a chunk up to the target, as long as none leaves the
      section that holds the first: twenty headings with a line each are not twenty chunks.
    - A heading with nothing below it goes with the section after it, or before it if none follows.
    - Front matter is left out, because its fields are searched by name; unless there is nothing else.

    A chunk belongs to the section it starts in, looking past bare headings for as long as one later section holds
    all the rest: `## Examples` followed by `### Fetching`, in one chunk, belongs to Fetching, but to Examples if there
    are two such subsections in it.
    """

    version = "sections-1"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        sizes = self._sizes
        blocks = [block for block in document.blocks if block[0] is not _FRONT_MATTER]
        found = pieces(document.text, blocks or document.blocks, sizes, self._counter)
        parts = own_parts(document.sections, found, sizes.max_heading_depth)
        maker = _ChunkMaker(document, found)
        for group in grouped(parts, sizes):
            held = parts[group.first : group.last]
            for run in pack(found, held[0].first, held[-1].last, sizes, self._counter):
                maker.add(run, owner(held, run.first, run.last))
        return tuple(maker.chunks)


class _ChunkMaker:
    """Turns runs into chunks, in order, numbering them and telling equal texts apart."""

    def __init__(self, document: Document, found: Pieces) -> None:
        self.chunks: list[Chunk] = []
        self._document = document
        self._found = found
        self._seen: dict[str, int] = {}
        self._start = self._end = 0
        self._line = 1

    def add(self, run: Run, section: Section) -> None:
        first, last, start, tokens = run
        document, chunks, new = self._document, self.chunks, tuple.__new__
        text, held = document.text, self._found.all[first:last]
        if text[start].isspace() and (blank := BLANK_LINES.match(text, start)):
            start = blank.end()
        passage = text[start : held[-1].end].rstrip()
        end = start + len(passage)
        # A piece may be blank, of control characters say: then there is nothing here that the last chunk did not have.
        if not passage or end <= self._end:
            return
        self._end = end
        hashed = text_hash(passage)
        occurrence = self._seen.get(hashed, 0)
        self._seen[hashed] = occurrence + 1
        # Chunks start in ascending order, so lines are counted on from the last start.
        line = self._line = self._line + text.count("\n", self._start, start)
        self._start = start
        # What the classes' own constructors give, in half of their time: this is done for every chunk there is.
        chunks.append(
            new(
                Chunk,
                (
                    chunk_id(document.id, hashed, occurrence),
                    document.id,
                    section.id,
                    section.path,
                    len(chunks),
                    new(Span, (start, end)),
                    new(Lines, (line, line + passage.count("\n"))),
                    passage,
                    hashed,
                    tokens,
                    _content_type(held),
                    "",
                ),
            )
        )


def _content_type(held: Sequence[Piece]) -> ContentType:
    """Code or table if more than half of the characters are."""
    code = table = whole = 0
    for start, end, _, _, kind, _ in held:
        whole += end - start
        if kind is _FENCE or kind is _CODE:
            code += end - start
        elif kind is _TABLE:
            table += end - start
    if code * 2 > whole:
        return ContentType.CODE
    return ContentType.TABLE if table * 2 > whole else _PROSE
