"""Sections into chunks: prose documents, cut where their headings and blocks allow."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recto.chunking.blocks import Piece, Pieces, pieces
from recto.chunking.packing import Run, pack
from recto.model.chunk import Chunk, ContentType
from recto.model.document import BlockKind, Document, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.recipe import ChunkSizes
from recto.model.text import Lines, Span
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
        sizes = self._sizes
        blocks = [block for block in document.blocks if block.kind is not BlockKind.FRONT_MATTER]
        found = pieces(document.text, blocks or document.blocks, sizes, self._counter)
        parts = _parts(document.sections, found, sizes.max_heading_depth)
        ranges = _subtrees(parts, sizes.target_max) if sizes.intelligent_heading_depth else _each(parts)
        maker = _ChunkMaker(document, found)
        for first, last in _groups(parts, ranges, sizes):
            group = parts[first:last]
            for run in pack(found, group[0].first, group[-1].last, sizes, self._counter):
                maker.add(run, _owner(group, run))
        return tuple(maker.chunks)


def _parts(sections: Sequence[Section], found: Pieces, depth: int | None) -> list[Part]:
    """Each section's own text, in order; sections deeper than `depth` are text of the one they are in."""
    # Between a section within the depth and the next, all are deeper: so the former is an ancestor of them all.
    kept = [section for section in sections if depth is None or section.level <= depth]
    starts = [piece.start for piece in found.all]
    parts: list[Part] = []
    first = 0
    for index, section in enumerate(kept):
        last = bisect_left(starts, kept[index + 1].span.start, first) if index + 1 < len(kept) else len(starts)
        if last > first:
            bare = all(piece.kind is BlockKind.HEADING for piece in found.all[first:last])
            parts.append(Part(section, first, last, found.size(first, last), bare))
            first = last
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


def _each(parts: Sequence[Part]) -> list[tuple[int, int]]:
    return [(at, at + 1) for at in range(len(parts))]


def _groups(parts: Sequence[Part], ranges: Sequence[tuple[int, int]], sizes: ChunkSizes) -> Iterator[tuple[int, int]]:
    """Ranges of parts that are cut as one text: mostly the ranges given, small ones together."""
    at = 0
    while at < len(ranges):
        first, last = ranges[at]
        size, bare = _measure(parts, first, last)
        at += 1
        if size < sizes.min_preferred or bare:
            opened = at
            while at < len(ranges) and parts[ranges[at][0]].level >= parts[first].level:
                more, more_bare = _measure(parts, *ranges[at])
                fits = more < sizes.min_preferred and size + more <= sizes.target_max
                if not fits and not (bare and size <= sizes.target_max):
                    break
                last, size, bare = ranges[at][1], size + more, bare and more_bare
                at += 1
                if not fits and not bare:
                    break
            # A bare heading at the end goes with its first subsection, which did not fit here.
            while opened < at < len(ranges) and _heads(parts, ranges[at - 1], ranges[at]):
                at -= 1
                last = ranges[at][0]
        yield first, last


def _measure(parts: Sequence[Part], first: int, last: int) -> tuple[int, bool]:
    if last - first == 1:
        return parts[first].size, parts[first].bare
    return sum(part.size for part in parts[first:last]), all(part.bare for part in parts[first:last])


def _heads(parts: Sequence[Part], heading: tuple[int, int], following: tuple[int, int]) -> bool:
    first, last = heading
    return last - first == 1 and parts[first].bare and parts[following[0]].level > parts[first].level


def _owner(group: Sequence[Part], run: Run) -> Section:
    """The section a run belongs to."""
    if len(group) == 1:
        return group[0].section
    held = [part for part in group if part.first < run.last and part.last > run.first]
    at = 0
    while at + 1 < len(held) and held[at].bare and all(part.level > held[at + 1].level for part in held[at + 2 :]):
        at += 1
    return held[at].section


class _ChunkMaker:
    """Turns runs into chunks, in order, numbering them and telling equal texts apart."""

    def __init__(self, document: Document, found: Pieces) -> None:
        self.chunks: list[Chunk] = []
        self._document = document
        self._found = found
        self._seen: dict[str, int] = {}
        self._start = 0
        self._line = 1

    def add(self, run: Run, section: Section) -> None:
        document = self._document
        text, held = document.text, self._found.all[run.first : run.last]
        start = run.start
        if text[start].isspace() and (blank := _BLANK_LINES.match(text, start)):
            start = blank.end()
        passage = text[start : held[-1].end].rstrip()
        if not passage:
            return
        hashed = text_hash(passage)
        occurrence = self._seen.get(hashed, 0)
        self._seen[hashed] = occurrence + 1
        # Chunks start in ascending order, so lines are counted on from the last start.
        self._line += text.count("\n", self._start, start)
        self._start = start
        self.chunks.append(
            Chunk(
                chunk_id(document.id, hashed, occurrence),
                document.id,
                section.id,
                section.path,
                len(self.chunks),
                Span(start, start + len(passage)),
                Lines(self._line, self._line + passage.count("\n")),
                passage,
                hashed,
                run.tokens,
                _content_type(held),
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
