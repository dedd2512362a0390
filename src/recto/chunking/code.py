"""Declarations into chunks: code and configuration, cut where their symbols and statements allow."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from recto.chunking.blocks import CHARACTERS_PER_TOKEN, Piece, Pieces, Seam, by_lines
from recto.model.chunk import Chunk, ContentType
from recto.model.document import Block, BlockKind, Document, Kind, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.recipe import ChunkSizes
from recto.model.text import Lines, Span
from recto.ports import Chunker, TokenCounter

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")
_INDENT = re.compile(r"[ \t]*")
_LONGEST_SIGNATURE = 160  # characters
_SHORT = 4  # characters for each token of the hard maximum: a declaration up to this is likely to fit
_BEFORE = 12  # blocks before a signature: comments and attributes
_SAYING = frozenset({BlockKind.COMMENT, BlockKind.DOCSTRING})
_LEADING = _SAYING - {BlockKind.DOCSTRING} | {BlockKind.HEADING}
_HELD_TOGETHER = frozenset(
    {
        (BlockKind.HEADING, BlockKind.CODE),
        (BlockKind.HEADING, BlockKind.DOCSTRING),
        (BlockKind.HEADING, BlockKind.COMMENT),
        (BlockKind.COMMENT, BlockKind.CODE),
        (BlockKind.COMMENT, BlockKind.HEADING),
        (BlockKind.DOCSTRING, BlockKind.HEADING),
    }
)
"""Neighbours that are parted only if they must be: what is said of something goes with it."""
_MOSTLY = 4, 5  # a chunk belongs to a symbol that has four fifths of it


class MixedChunker:
    """Fits `Chunker`. Code and configuration go to one chunker, everything that reads as prose to the other."""

    def __init__(self, prose: Chunker, code: Chunker) -> None:
        self._prose = prose
        self._code = code

    @property
    def version(self) -> str:
        return f"{self._prose.version}+{self._code.version}"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        return (self._code if is_code(document) else self._prose).chunk(document)


def is_code(document: Document) -> bool:
    """Whether a document is cut by its symbols. A notebook is rendered as prose with code in fences."""
    return document.kind in (Kind.CODE, Kind.CONFIG) and "rendered_from" not in document.metadata


class Scope:
    """A section with the pieces it holds, `first` to `last` (exclusive), and the sections in it."""

    __slots__ = ("first", "heading", "inner", "last", "outer", "section")

    def __init__(self, section: Section, first: int, last: int, outer: Scope | None) -> None:
        self.section = section
        self.first = first
        self.last = last
        self.outer = outer
        self.inner: list[Scope] = []
        self.heading: Span | None = None


class CodeChunker:
    """Fits `Chunker`. A declaration is a chunk, with its comments and its body, up to the hard maximum.

    - A longer one is taken apart: into its members, and a function into runs of statements, parted where the code
      is least indented. No chunk is above the hard maximum, and no line is cut that is not above it by itself.
    - Neighbours below the preferred minimum share a chunk: imports, constants, short methods of one class.
    - A chunk belongs to the innermost section that has most of it and in which it starts. `signature` is that of the
      innermost declaration around it whose own first line is elsewhere.
    """

    version = "code-1"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        found = Pieces(document.text, _pieces(document, self._sizes, self._counter))
        if not found.all or not document.sections:
            return ()
        root = _scopes(document.sections, found)
        whole = self._sizes.target_max if document.kind is Kind.CONFIG else self._sizes.target_min
        groups = _Groups(found, self._sizes)
        if found.size(0, len(found.all)) <= whole:
            groups.add(0, len(found.all), root)
        else:
            groups.part(root, 0, len(found.all))
        maker = _ChunkMaker(document, found)
        for first, last, scope in groups.all:
            maker.add(first, last, scope)
        return tuple(maker.chunks)


def _pieces(document: Document, sizes: ChunkSizes, counter: TokenCounter) -> list[Piece]:
    """The blocks in order, all of a short declaration as one."""
    text, blocks = document.text, document.blocks
    hard_max = sizes.hard_max
    starts = [block.start for block in blocks]
    found: list[Piece] = []
    at = 0
    for section in _short_declarations(document.sections, hard_max * _SHORT):
        first = bisect_left(starts, section.start, at)
        last = bisect_left(starts, section.end, first)
        if last - first > 1 and starts[first] == section.start:
            start, end = starts[first], blocks[last - 1].end
            tokens = counter.count(text[start:end])
            size = max(tokens, _bulk(end - start))
            if size <= hard_max:
                for block in blocks[at:first]:
                    found.extend(_cut(text, block, sizes, counter))
                found.append(Piece(start, end, tokens, size, BlockKind.CODE))
                at = last
    for block in blocks[at:]:
        found.extend(_cut(text, block, sizes, counter))
    return found


def _short_declarations(sections: Sequence[Section], longest: int) -> Iterator[Span]:
    """The outermost that are not longer, in order. Most fit, and are then counted once."""
    until = 0
    for section in sections[1:]:
        span = section.span
        if span.start >= until and span.end - span.start <= longest:
            yield span
            until = span.end


def _cut(text: str, block: Block, sizes: ChunkSizes, counter: TokenCounter) -> Iterable[Piece]:
    """A block whole up to the hard maximum, else in stretches of whole lines near the target."""
    start, end = block.start, block.end
    bulk = _bulk(end - start)
    if bulk <= sizes.hard_max:
        tokens = counter.count(text[start:end])
        if tokens <= sizes.hard_max:
            return (Piece(start, end, tokens, tokens if tokens > bulk else bulk, block.kind),)
    return by_lines(text, start, end, sizes.target_max, counter, block.kind)


def _bulk(characters: int) -> int:
    return (characters + CHARACTERS_PER_TOKEN - 1) // CHARACTERS_PER_TOKEN


def _scopes(sections: Sequence[Section], found: Pieces) -> Scope:
    """The sections as a tree; those that hold no piece of their own are left out."""
    starts = [piece.start for piece in found.all]
    root = Scope(sections[0], 0, len(starts), None)
    scope = root
    for section in sections[1:]:
        first = bisect_left(starts, section.span.start)
        last = bisect_left(starts, section.span.end, first)
        while scope.outer is not None and first >= scope.last:
            scope = scope.outer
        inner = Scope(section, first, min(last, scope.last), scope)
        if inner.first < inner.last:
            scope.inner.append(inner)
            scope = inner
    return root


class _Groups:
    """Which consecutive pieces make one chunk, and the innermost scope known to hold them."""

    def __init__(self, found: Pieces, sizes: ChunkSizes) -> None:
        self.all: list[tuple[int, int, Scope]] = []
        self._found = found
        self._sizes = sizes
        self._sums = [found.size(0, at) for at in range(len(found.all) + 1)]

    def add(self, first: int, last: int, scope: Scope) -> None:
        """One group, parted only where a word was torn."""
        if not self._found.seamless:
            for at in range(first + 1, last):
                if self._found.all[at].seam is Seam.TORN:
                    self.all.append((first, at, scope))
                    first = at
        self.all.append((first, last, scope))

    def part(self, scope: Scope, first: int, last: int) -> None:
        """Groups for a scope that does not fit; `first` is before the scope where something small goes with it."""
        if not scope.inner:
            for opened, closed in self._runs(first, last):
                self.add(opened, closed, scope)
            return
        size_of, sizes = self._found.size, self._sizes
        mark = len(self.all)
        opened, size, remark = first, 0, first  # what is gathered so far: small things, from piece `opened` on
        for at, until, inner in self._members(scope, first, last):
            more = size_of(at, until)
            fits = more <= (sizes.hard_max if inner else sizes.target_max)
            small = fits and (more < sizes.min_preferred or (inner is not None and self._is_one_line(at, until)))
            if small and size + more <= sizes.target_max:
                size += more
                # A comment at the end of what is gathered is about what follows.
                remark = at if inner is None and self._found.all[at].kind in _SAYING else until
                continue
            if size and opened < remark < at:
                self._close(opened, remark, scope, mark)
                opened, size = remark, size_of(remark, at)
            if size and not (
                self._goes_on(opened, at, more, scope, mark) or (not fits and self._opens(opened, at, scope))
            ):
                self._close(opened, at, scope, mark)
                opened = at
            if small:
                size = more
                continue
            if fits:
                self.add(opened, until, scope)
            elif inner is None:
                for run in self._runs(opened, until):
                    self.add(*run, scope)
            else:
                self.part(inner, opened, until)
            opened, size = until, 0
        if size:
            self._close(opened, last, scope, mark)

    def _is_one_line(self, at: int, until: int) -> bool:
        """Whether a declaration is nothing but a line, as prototypes and aliases are."""
        piece = self._found.all[at]
        return until - at == 1 and "\n" not in self._found.text[piece.start : piece.end].strip()

    def _members(self, scope: Scope, first: int, last: int) -> Iterator[tuple[int, int, Scope | None]]:
        """What is in a scope, in order: its inner scopes, and what is between them, the comments at its end apart."""
        pieces = self._found.all
        at = first
        for inner in scope.inner:
            remark = inner.first
            while at < remark and pieces[remark - 1].kind in _SAYING:
                remark -= 1
            if at < remark:
                yield at, remark, None
            if remark < inner.first:
                yield remark, inner.first, None
            yield inner.first, inner.last, inner
            at = inner.last
        if at < last:
            yield at, last, None

    def _goes_on(self, opened: int, at: int, more: int, scope: Scope, mark: int) -> bool:
        """Whether what is gathered makes one chunk with what follows: a signature, a comment, or the first of all."""
        size = self._found.size(opened, at)
        if size + more > self._sizes.hard_max:
            return False
        kinds = {piece.kind for piece in self._found.all[opened:at]}
        if kinds <= _SAYING or (opened <= scope.first and kinds <= _LEADING):
            return True
        first = opened <= scope.first or len(self.all) == mark
        return first and size < self._sizes.min_preferred and size + more <= self._sizes.target_max

    def _opens(self, opened: int, at: int, scope: Scope) -> bool:
        """Whether what is gathered is small and goes with the first part of something that does not fit."""
        small = self._found.size(opened, at) < self._sizes.min_preferred
        return small and (opened <= scope.first or self._found.all[at - 1].kind in _SAYING)

    def _close(self, opened: int, closed: int, scope: Scope, mark: int) -> None:
        """Ends a group; a small one joins the group before it in the same scope, if that leaves it within bounds."""
        size = self._found.size(opened, closed)
        if size < self._sizes.min_preferred and len(self.all) > mark:
            first, last, _ = self.all[-1]
            fits = self._found.size(first, closed) <= self._sizes.target_max
            if fits and last == opened and self._found.all[opened].seam is not Seam.TORN:
                self.all[-1] = (first, closed, scope)
                return
        self.add(opened, closed, scope)

    def _runs(self, first: int, last: int) -> list[tuple[int, int]]:
        """Stretches near the target, parted where the code is least indented."""
        sums, sizes = self._sums, self._sizes
        runs: list[tuple[int, int]] = []
        opened = first
        while opened < last:
            base = sums[opened]
            if sums[last] - base <= sizes.target_max:
                closed = last
            else:
                furthest = max(bisect_right(sums, base + sizes.target_max, opened, last + 1) - 1, opened + 1)
                nearest = max(bisect_left(sums, base + sizes.target_min, opened, last + 1), opened + 1)
                closed = self._best(nearest, furthest) if nearest < furthest else furthest
                if sums[last] - sums[closed] < sizes.min_preferred and sums[last] - base <= sizes.hard_max:
                    closed = last
            runs.append((opened, closed))
            opened = closed
        return runs

    def _best(self, nearest: int, furthest: int) -> int:
        """The place to part: not below a signature or a comment, then least indented, then after a blank line."""
        text, pieces = self._found.text, self._found.all
        best, best_key = furthest, (True, 1 << 30, True)
        for at in range(furthest, nearest - 1, -1):
            start = pieces[at].start
            indent = _INDENT.match(text, start)
            key = (
                (pieces[at - 1].kind, pieces[at].kind) in _HELD_TOGETHER,
                len(indent[0].expandtabs()) if indent else 0,
                text[max(0, start - 2) : start] != "\n\n",
            )
            if key < best_key:
                best, best_key = at, key
        return best


class _ChunkMaker:
    """Turns groups into chunks, in order, numbering them and telling equal texts apart."""

    def __init__(self, document: Document, found: Pieces) -> None:
        self.chunks: list[Chunk] = []
        self._document = document
        self._found = found
        self._blocks = document.blocks
        self._block = 0
        self._seen: dict[str, int] = {}
        self._start = 0
        self._line = 1

    def add(self, first: int, last: int, scope: Scope) -> None:
        document, found = self._document, self._found
        text, start, end = document.text, found.all[first].start, found.all[last - 1].end
        content_type = self._content_type(end)
        if text[start].isspace() and (blank := _BLANK_LINES.match(text, start)):
            start = blank.end()
        passage = text[start:end].rstrip()
        if not passage:
            return
        scope = self._owner(first, last, scope)
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
                scope.section.id,
                scope.section.path,
                len(self.chunks),
                Span(start, start + len(passage)),
                Lines(self._line, self._line + passage.count("\n")),
                passage,
                hashed,
                found.tokens(first, last),
                content_type,
                self._signature(start, scope),
            )
        )

    def _owner(self, first: int, last: int, scope: Scope) -> Scope:
        """The innermost scope in which the chunk starts and that has most of it."""
        while scope.outer is not None and not scope.first <= first:
            scope = scope.outer
        part, whole = _MOSTLY
        size = self._found.size(first, last)
        at = 0
        while at < len(scope.inner):
            at = bisect_right(scope.inner, first, key=lambda inner: inner.first) - 1
            if at < 0 or first >= scope.inner[at].last:
                break
            inner = scope.inner[at]
            if self._found.size(first, min(last, inner.last)) * whole < size * part:
                break
            scope, at = inner, 0
        return scope

    def _signature(self, start: int, scope: Scope | None) -> str:
        """Of the innermost declaration around the chunk that was headed before it."""
        while scope is not None:
            if scope.section.level and scope.section.span.start < start:
                if scope.heading is None:
                    scope.heading = self._heading(scope)
                if scope.heading and scope.heading.start < start:
                    return signature(scope.heading.of(self._document.text))
            scope = scope.outer
        return ""

    def _heading(self, scope: Scope) -> Span:
        """Where a declaration's signature is; an empty span if it has none."""
        blocks = self._blocks
        at = bisect_left(blocks, scope.section.span.start, key=attrgetter("start"))
        for block in blocks[at : at + _BEFORE]:
            if block.kind is BlockKind.HEADING:
                return Span(block.start, min(block.end, block.start + _LONGEST_SIGNATURE * 4))
        return Span(0, 0)

    def _content_type(self, end: int) -> ContentType:
        """Of the blocks up to `end`: comment or docstring if more than half of the characters are.

        A declaration with its body is code, however much is said of it.
        """
        if self._document.kind is Kind.CONFIG:
            return ContentType.CONFIG
        blocks, at = self._blocks, self._block
        comment = docstring = heading = whole = 0
        while at < len(blocks) and blocks[at].start < end:
            block = blocks[at]
            size = block.end - block.start
            whole += size
            if block.kind is BlockKind.COMMENT:
                comment += size
            elif block.kind is BlockKind.DOCSTRING:
                docstring += size
            elif block.kind is BlockKind.HEADING:
                heading += size
            if block.end > end:
                break  # a block in several chunks lends its kind to each
            at += 1
        self._block = at
        said = comment + docstring
        if said * 2 <= whole or (heading and said + heading < whole):
            return ContentType.CODE
        return ContentType.DOCSTRING if docstring >= comment else ContentType.COMMENT


def signature(heading: str) -> str:
    """A declaration's first lines on one line, without what opens its body."""
    plain = " ".join(heading.split()).rstrip("{: ")
    return plain if len(plain) <= _LONGEST_SIGNATURE else plain[:_LONGEST_SIGNATURE].rsplit(" ", 1)[0]
