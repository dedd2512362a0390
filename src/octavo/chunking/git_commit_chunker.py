"""Commit chunker: the message with its files is one text; the diff is another, searched lexically only."""

from __future__ import annotations

from octavo.chunking.chunk_builder import ChunkBuilder
from octavo.fast_dataclass import replace
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import Block, BlockKind, Document, Kind
from octavo.model.normalised_text_and_spans import Span
from octavo.ports import Chunker, TokenCounter

_LONGEST = 4_000  # characters of a diff in one chunk: a screen or two
_FILE = "\ndiff --git "
# A diff is full of rare words, whose tokens take long to count, and it is not embedded: an estimate suffices.
_CHARACTERS_PER_TOKEN = 3
_SAFE_CHARACTERS = 12  # per token; prose has fewer


class CommitChunker:
    """Fits `Chunker`. The message and its files are chunked like prose, regardless of the diff that follows.

    So a commit's embedding is the same before and after its diff is read, and is computed once. A diff is cut
    between files if possible, else between lines. Documents of other kinds go to the prose chunker.
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
        builder = ChunkBuilder(document, chunks)
        for start, end in _diff_ranges(document.text, diff.start, diff.end):
            span = Span(start, end)
            builder.add(span, document.sections[-1], span.length // _CHARACTERS_PER_TOKEN, ContentType.DIFF)
        return tuple(builder.chunks)

    def _message(self, document: Document, blocks: tuple[Block, ...]) -> tuple[Chunk, ...]:
        """The message and the files. Most are far below the target, and then there is nothing to cut."""
        body = [block for block in blocks if block.kind is not BlockKind.FRONT_MATTER]
        if body and body[-1].end - body[0].start <= self._target_max * _SAFE_CHARACTERS:
            builder = ChunkBuilder(document)
            span = builder.trimmed(body[0].start, body[-1].end)
            if span is not None and (tokens := self._counter.count(span.of(document.text))) <= self._target_max:
                builder.add(span, document.sections[0], tokens, ContentType.PROSE)
                return tuple(builder.chunks)
        return self._prose.chunk(replace(document, sections=document.sections[:1], blocks=blocks)) if blocks else ()


def _diff_ranges(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of at most `_LONGEST` characters, as long as possible, none of them blank or ending in white space."""
    ranges = []
    end = len(text[:end].rstrip())
    while start < end:
        cut = end
        if end - start > _LONGEST:
            least, reach = start + _LONGEST // 4, start + _LONGEST
            cut = text.rfind(_FILE, least, reach) + 1 or text.rfind("\n", least, reach) + 1 or reach
        stop = start + len(text[start:cut].rstrip())
        if stop > start:
            ranges.append((start, stop))
        start = cut
    return ranges
