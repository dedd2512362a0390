"""Sections into chunks: prose documents, cut where their headings and blocks allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from recto.chunking.blocks import Piece, pieces
from recto.chunking.packing import Run, pack
from recto.model.chunk import Chunk, ContentType
from recto.model.document import Block, BlockKind, Document, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.recipe import ChunkSizes
from recto.model.text import LineIndex, Span
from recto.ports import TokenCounter

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


class Part(NamedTuple):
    """The text of one or more consecutive sections: pieces `first` to `last` (exclusive), `size` tokens in all.

    `section` is the first of them. `bare` parts have headings and nothing below them.
    """

    section: Section
    first: int
    last: int
    size: int
    bare: bool

    @property
    def level(self) -> int:
        return self.section.level


class SectionChunker:
    """Fits `Chunker`. Every section is cut on its own, at block boundaries, into chunks near the target size.

    Exceptions, all for the sake of what is found:

    - Consecutive sections below the preferred minimum share a chunk up to the target, as long as none leaves the
      section that holds the first: twenty headings with a line each are not twenty chunks.
    - A heading with nothing below it goes with the section after it.
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
        text, sizes = document.text, self._sizes
        blocks: Sequence[Block] = [block for block in document.blocks if block.kind is not BlockKind.FRONT_MATTER]
        found = pieces(text, blocks or document.blocks, sizes, self._counter)
        parts = _parts(document.sections, found, sizes.max_heading_depth)
        if sizes.intelligent_heading_depth:
            groups = _groups(parts, _subtrees(parts, sizes.target_max), sizes)
        else:
            groups = _groups(parts, list(zip(range(len(parts)), range(1, len(parts) + 1), strict=True)), sizes)
        maker = _ChunkMaker(document, found)
        for first, last in groups:
            group = parts[first:last]
            for run in pack(text, found, group[0].first, group[-1].last, sizes, self._counter):
                maker.add(run, _owner(group, run))
        return tuple(maker.chunks)


def _parts(sections: Sequence[Section], found: Sequence[Piece], depth: int | None) -> list[Part]:
    """Each section's own text, in order; sections deeper than `depth` are text of the one they are in."""
    # Between a section within the depth and the next, all are deeper: so the former is an ancestor of them all.
    kept = [section for section in sections if depth is None or section.level <= depth]
    parts: list[Part] = []
    at = 0
    for index, section in enumerate(kept):
        end = kept[index + 1].span.start if index + 1 < len(kept) else None
        first, size, bare = at, 0, True
        while at < len(found) and (end is None or found[at].start < end):
            size += found[at].size
            bare = bare and found[at].kind is BlockKind.HEADING
            at += 1
        if at > first:
            parts.append(Part(section, first, at, size, bare))
    return parts


def _subtrees(parts: Sequence[Part], target_max: int) -> list[tuple[int, int]]:
    """Ranges of parts, each a section with all that is below it where that fits the target, else its own text."""
    if sum(part.size for part in parts) <= target_max:
        return [(0, len(parts))] if parts else []
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(parts):
        last, size = first + 1, parts[first].size
        while last < len(parts) and parts[last].level > parts[first].level and size <= target_max:
            size += parts[last].size
            last += 1
        # The text before the first heading has nothing below it: what follows is not part of it.
        if size > target_max or parts[first].level == 0:
            last = first + 1
        ranges.append((first, last))
        first = last
    return ranges


def _groups(parts: Sequence[Part], ranges: Sequence[tuple[int, int]], sizes: ChunkSizes) -> Iterator[tuple[int, int]]:
    """Ranges of parts that are cut as one text: mostly the ranges given; small ones together."""
    sums = [0, *accumulate(part.size for part in parts)]
    at = 0
    while at < len(ranges):
        first, last = ranges[at]
        level = parts[first].level
        bare = all(part.bare for part in parts[first:last])
        size = sums[last] - sums[first]
        at += 1
        if size < sizes.min_preferred or bare:
            opened = at
            while at < len(ranges):
                following, end = ranges[at]
                more = sums[end] - sums[following]
                fits = more < sizes.min_preferred and size + more <= sizes.target_max
                if parts[following].level < level or not (fits or (bare and size <= sizes.target_max)):
                    break
                at += 1
                last, size = end, size + more
                bare = bare and all(part.bare for part in parts[following:end])
                if not (fits or bare):
                    break
            # A bare heading at the end goes with its first subsection, which did not fit here.
            while at > opened and at < len(ranges) and _heads(parts, ranges[at - 1], ranges[at]):
                at -= 1
                last = ranges[at][0]
        yield first, last


def _heads(parts: Sequence[Part], heading: tuple[int, int], following: tuple[int, int]) -> bool:
    first, last = heading
    return last - first == 1 and parts[first].bare and parts[following[0]].level > parts[first].level


def _owner(group: Sequence[Part], run: Run) -> Section:
    """The section a run belongs to."""
    held = [part for part in group if part.first < run.last and part.last > run.first] if len(group) > 1 else group
    at = 0
    while at + 1 < len(held) and held[at].bare and all(part.level > held[at + 1].level for part in held[at + 2 :]):
        at += 1
    return held[at].section


class _ChunkMaker:
    """Turns runs into chunks, numbering them and telling equal texts apart."""

    def __init__(self, document: Document, found: Sequence[Piece]) -> None:
        self.chunks: list[Chunk] = []
        self._document = document
        self._found = found
        self._lines = LineIndex(document.text)
        self._seen: dict[str, int] = {}

    def add(self, run: Run, section: Section) -> None:
        document, held = self._document, self._found[run.first : run.last]
        text = document.text
        start, end = run.start, held[-1].end
        if blank := _BLANK_LINES.match(text, start, end):
            start = blank.end()
        slice_ = text[start:end].rstrip()
        if not slice_:
            return
        end = start + len(slice_)
        hash_ = text_hash(slice_)
        occurrence = self._seen.get(hash_, 0)
        self._seen[hash_] = occurrence + 1
        self.chunks.append(
            Chunk(
                id=chunk_id(document.id, hash_, occurrence),
                document_id=document.id,
                section_id=section.id,
                heading_path=section.path,
                ordinal=len(self.chunks),
                span=Span(start, end),
                lines=self._lines.lines(start, end),
                text=slice_,
                text_hash=hash_,
                tokens=run.tokens,
                content_type=_content_type(held),
            )
        )


def _content_type(held: Sequence[Piece]) -> ContentType:
    """Code or table if more than half of the characters are."""
    code = table = whole = 0
    for start, end, _, _, kind, _ in held:
        whole += end - start
        if kind is BlockKind.FENCE or kind is BlockKind.CODE:
            code += end - start
        elif kind is BlockKind.TABLE:
            table += end - start
    if code * 2 > whole:
        return ContentType.CODE
    return ContentType.TABLE if table * 2 > whole else ContentType.PROSE
