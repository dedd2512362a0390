"""Declarations into chunks: code and configuration, cut where their symbols and statements allow."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from recto.algorithms.language_names import language_named
from recto.chunking.blocks import CHARACTERS_PER_TOKEN, Piece, Pieces, by_lines
from recto.chunking.scopes import Groups, Scope, scopes
from recto.model.chunk import Chunk, ContentType
from recto.model.document import Block, BlockKind, Document, Kind, Section
from recto.model.ids import chunk_id, text_hash
from recto.model.recipe import ChunkSizes
from recto.model.text import Lines, Span
from recto.ports import Chunker, TokenCounter

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")
_LONGEST_SIGNATURE = 160  # characters
_SHORT = 4  # characters for each token of the hard maximum: a declaration up to this is likely to fit
_BEFORE = 12  # blocks before a signature: comments and attributes
# Asked for once: Python 3.11 takes a fifth of a microsecond to find a member of an enumeration.
_FENCE, _CUT_BY_SYMBOLS = BlockKind.FENCE, (Kind.CODE, Kind.CONFIG)
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
        if is_code(document):
            return self._code.chunk(document)
        return _with_languages(document, self._prose.chunk(document))


def _with_languages(document: Document, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Prose with fences: a chunk's signature are the languages of the fences in it, what there is most of first.

    So a block of code in a note is found by its language, as a file of code is by its own.
    """
    fences = [block for block in document.blocks if block[0] is _FENCE and block.language]
    if not fences:
        return chunks
    written: dict[int, dict[str, int]] = {}
    ends = [chunk.span.end for chunk in chunks]
    for _, start, end, name in fences:
        language = language_named(name)
        at = bisect_right(ends, start)
        while language and at < len(chunks) and chunks[at].span.start < end:
            span = chunks[at].span
            held = written.setdefault(at, {})
            held[language] = held.get(language, 0) + min(span.end, end) - max(span.start, start)
            at += 1
    if not written:
        return chunks
    told = list(chunks)
    for at, held in written.items():
        most = sorted(held, key=held.__getitem__, reverse=True)
        # What `_replace` gives, in a quarter of its time.
        told[at] = tuple.__new__(Chunk, (*told[at][:-1], " ".join(most)))
    return tuple(told)


def is_code(document: Document) -> bool:
    """Whether a document is cut by its symbols: what has a language has them, whatever kind it was filed as.

    A notebook is rendered as prose with code in fences.
    """
    code = document.language is not None or document.kind in _CUT_BY_SYMBOLS
    return code and "rendered_from" not in document.metadata


def declared(document: Document, chunks: Sequence[Chunk]) -> list[str]:
    """For each chunk, the names of the symbols that begin in it, each once: what one who knows a name looks for."""
    ends = [chunk.span.end for chunk in chunks]
    names: list[dict[str, None]] = [{} for _ in chunks]
    for section in document.sections[1:]:
        at = bisect_right(ends, section.span.start)
        if at < len(names):
            names[at][section.path[-1]] = None
    return [" ".join(found) for found in names]


class CodeChunker:
    """Fits `Chunker`. A declaration is a chunk, with its comments and its body, up to the hard maximum.

    - A longer one is taken apart: into its members, and a function into runs of statements, parted where the code
      is least indented. No chunk is above the hard maximum, and no line is cut that is not above it by itself.
    - Neighbours below the preferred minimum share a chunk: imports, constants, short methods of one class.
    - A chunk belongs to the innermost section that has most of it and in which it starts. `signature` is that of the
      innermost declaration around it whose own first line is elsewhere.
    """

    version = "code-3"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        found = Pieces(document.text, _pieces(document, self._sizes, self._counter))
        if not found.all or not document.sections:
            return ()
        root = scopes(document.sections, found)
        whole = self._sizes.target_max if document.kind is Kind.CONFIG else self._sizes.target_min
        groups = Groups(found, self._sizes)
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
