"""Section chunker: prose documents, cut at headings and block boundaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.chunking.chunk_builder import ChunkBuilder
from octavo.chunking.indivisible_pieces import Piece, Pieces, pieces
from octavo.chunking.piece_packing import pack
from octavo.chunking.section_grouping import SectionPieces, grouped, owner, section_texts, split_at
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import BlockKind, Document
from octavo.model.index_recipe import ChunkSizes
from octavo.ports import TokenCounter

# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_FENCE, _CODE, _TABLE, _FRONT_MATTER = BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER
_PROSE = ContentType.PROSE


class SectionChunker:
    """Fits `Chunker`. Every section is chunked separately, at block boundaries, into chunks near the target size.

    Exceptions, all to improve what is found:

    - Consecutive sections below the preferred minimum share a chunk up to the target, as long as all are inside the
      section around the first: twenty headings with a line each are not twenty chunks.
    - A heading without text is kept with the next section, or with the previous one if none follows.
    - Front matter is omitted, because its fields are indexed by name; unless there is nothing else.

    A chunk belongs to the section it starts in, or past bare headings as long as one later section contains all the
    rest: `## Examples` followed by `### Fetching`, in one chunk, belongs to Fetching, but to Examples if it contains
    two such subsections.
    """

    version = "sections-1"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        sizes = self._sizes
        blocks = [block for block in document.blocks if block[0] is not _FRONT_MATTER]
        text_pieces = pieces(document.text, blocks or document.blocks, sizes, self._counter)
        texts = section_texts(document.sections, text_pieces, sizes.max_heading_depth)
        builder = ChunkBuilder(document)
        for members in self._groups(texts, text_pieces, document.breaks):
            for first, last, start, tokens in pack(
                text_pieces, members[0].first, members[-1].last, sizes, self._counter
            ):
                # A piece may be blank, of control characters for example.
                if span := builder.trimmed(start, text_pieces.all[last - 1].end):
                    section = owner(members, first, last)
                    builder.add(span, section, tokens, _content_type(text_pieces.all[first:last]))
        return tuple(builder.chunks)

    def _groups(
        self, texts: list[SectionPieces], text_pieces: Pieces, breaks: Sequence[int]
    ) -> Iterator[list[SectionPieces]]:
        for page in split_at(texts, text_pieces, breaks) if breaks else (texts,):
            for group in grouped(page, self._sizes):
                yield page[group.first : group.last]


def _content_type(run: Sequence[Piece]) -> ContentType:
    """Code or table if more than half of the characters are."""
    code = table = total = 0
    for start, end, _, _, kind, _ in run:
        total += end - start
        if kind is _FENCE or kind is _CODE:
            code += end - start
        elif kind is _TABLE:
            table += end - start
    if code * 2 > total:
        return ContentType.CODE
    return ContentType.TABLE if table * 2 > total else _PROSE
