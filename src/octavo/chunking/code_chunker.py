"""Code chunker: source and configuration files, cut at symbols and statements."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from octavo.algorithms.source_code.programming_language_names import language_named
from octavo.chunking.chunk_builder import ChunkBuilder
from octavo.chunking.code_piece_grouping import Groups, Scope, scopes
from octavo.chunking.indivisible_pieces import Piece, Pieces, bulk_of, by_lines
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import Block, BlockKind, Document, Kind, Section
from octavo.model.index_recipe import ChunkSizes
from octavo.model.normalised_text_and_spans import Span
from octavo.ports import Chunker, TokenCounter

_LONGEST_SIGNATURE = 160  # characters
_SHORT = 4  # characters per token of the hard maximum: a declaration up to this is likely to fit
_BEFORE = 12  # blocks before a signature: comments and attributes
# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_FENCE, _CUT_BY_SYMBOLS = BlockKind.FENCE, (Kind.CODE, Kind.CONFIG)
_MOSTLY = 4, 5  # a chunk belongs to a symbol that contains four fifths of it


class MixedChunker:
    """Fits `Chunker`. Code and configuration go to one chunker, prose to the other."""

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
    """Prose with fences: a chunk's signature is the languages of its fences, the most frequent first.

    So a code block in a note is found by its language, like a source file.
    """
    fences = [block for block in document.blocks if block[0] is _FENCE and block.language]
    if not fences:
        return chunks
    characters: dict[int, dict[str, int]] = {}
    ends = [chunk.span.end for chunk in chunks]
    for _, start, end, name in fences:
        language = language_named(name)
        at = bisect_right(ends, start)
        while language and at < len(chunks) and chunks[at].span.start < end:
            span = chunks[at].span
            counts = characters.setdefault(at, {})
            counts[language] = counts.get(language, 0) + min(span.end, end) - max(span.start, start)
            at += 1
    labelled = list(chunks)
    for at, counts in characters.items():
        languages = sorted(counts, key=counts.__getitem__, reverse=True)
        # `_replace` in a quarter of its time.
        labelled[at] = tuple.__new__(Chunk, (*labelled[at][:-1], " ".join(languages)))
    return tuple(labelled)


def is_code(document: Document) -> bool:
    """Whether a document is cut at its symbols: any document with a language, whatever its kind.

    A notebook is rendered as prose with code in fences.
    """
    code = document.language is not None or document.kind in _CUT_BY_SYMBOLS
    return code and "rendered_from" not in document.metadata


def declared_names(document: Document, chunks: Sequence[Chunk]) -> list[str]:
    """For each chunk, the names of the symbols that begin in it, each once, to be searched by name."""
    ends = [chunk.span.end for chunk in chunks]
    names: list[dict[str, None]] = [{} for _ in chunks]
    for section in document.sections[1:]:
        at = bisect_right(ends, section.span.start)
        if at < len(names):
            names[at][section.path[-1]] = None
    return [" ".join(parts) for parts in names]


class CodeChunker:
    """Fits `Chunker`. A declaration is a chunk, with its comments and its body, up to the hard maximum.

    - A longer one is split: into its members, and a function into runs of statements, cut where the code is least
      indented. No chunk exceeds the hard maximum, and no line is cut unless it exceeds that by itself.
    - Declarations of a single line share a chunk with their neighbours, as do imports and constants; one of several
      lines is a chunk of its own, however small. A comment is in the chunk of what follows it.
    - A chunk belongs to the innermost section in which it starts and that contains most of it. `signature` is that of
      the innermost enclosing declaration whose first line is in another chunk.
    """

    version = "code-5"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        pieces = Pieces(document.text, _pieces(document, self._sizes, self._counter))
        if not pieces.all or not document.sections:
            return ()
        root = scopes(document.sections, pieces)
        uncut = self._sizes.target_max if document.kind is Kind.CONFIG else self._sizes.target_min
        groups = Groups(pieces, self._sizes)
        whole = document.kind is Kind.CONFIG or len(root.inner) <= 1
        if whole and pieces.size(0, len(pieces.all)) <= uncut:
            groups.add(0, len(pieces.all), root)
        else:
            groups.split(root, 0, len(pieces.all))
        maker = _CodeChunks(document, pieces)
        for first, last, scope in groups.all:
            maker.add(first, last, scope)
        return tuple(maker.builder.chunks)


def _pieces(document: Document, sizes: ChunkSizes, counter: TokenCounter) -> list[Piece]:
    """The blocks in order, those of a short declaration as one piece."""
    text, blocks = document.text, document.blocks
    hard_max = sizes.hard_max
    starts = [block.start for block in blocks]
    pieces: list[Piece] = []
    at = 0
    for section in _short_declarations(document.sections, hard_max * _SHORT):
        first = bisect_left(starts, section.start, at)
        last = bisect_left(starts, section.end, first)
        if last - first > 1 and starts[first] == section.start:
            start, end = starts[first], blocks[last - 1].end
            tokens = counter.count(text[start:end])
            size = max(tokens, bulk_of(end - start))
            if size <= hard_max:
                for block in blocks[at:first]:
                    pieces.extend(_cut(text, block, sizes, counter))
                pieces.append(Piece(start, end, tokens, size, BlockKind.CODE))
                at = last
    for block in blocks[at:]:
        pieces.extend(_cut(text, block, sizes, counter))
    return pieces


def _short_declarations(sections: Sequence[Section], longest: int) -> Iterator[Span]:
    """The outermost declarations up to this length, in order. Most fit, and are then counted once."""
    until = 0
    for section in sections[1:]:
        span = section.span
        if span.start >= until and span.end - span.start <= longest:
            yield span
            until = span.end


def _cut(text: str, block: Block, sizes: ChunkSizes, counter: TokenCounter) -> Iterable[Piece]:
    """A block uncut up to the hard maximum, else in runs of lines near the target."""
    start, end = block.start, block.end
    bulk = bulk_of(end - start)
    if bulk <= sizes.hard_max:
        tokens = counter.count(text[start:end])
        if tokens <= sizes.hard_max:
            return (Piece(start, end, tokens, tokens if tokens > bulk else bulk, block.kind),)
    return by_lines(text, start, end, sizes.target_max, counter, block.kind)


class _CodeChunks:
    """Turns groups into chunks, in order, with their section, signature and content type."""

    def __init__(self, document: Document, pieces: Pieces) -> None:
        self.builder = ChunkBuilder(document)
        self._document = document
        self._found = pieces
        self._blocks = document.blocks
        self._block = 0

    def add(self, first: int, last: int, scope: Scope) -> None:
        pieces = self._found
        content_type = self._content_type(pieces.all[last - 1].end)
        if span := self.builder.trimmed(pieces.all[first].start, pieces.all[last - 1].end):
            scope = self._owner(first, last, scope)
            signed = self._signature(span.start, scope)
            self.builder.add(span, scope.section, pieces.tokens(first, last), content_type, signed)

    def _owner(self, first: int, last: int, scope: Scope) -> Scope:
        """The innermost scope in which the chunk starts and that contains most of it."""
        while scope.outer is not None and not scope.first <= first:
            scope = scope.outer
        share, of = _MOSTLY
        size = self._found.size(first, last)
        at = 0
        while at < len(scope.inner):
            at = bisect_right(scope.inner, first, key=lambda inner: inner.first) - 1
            if at < 0 or first >= scope.inner[at].last:
                break
            inner = scope.inner[at]
            if self._found.size(first, min(last, inner.last)) * of < size * share:
                break
            scope, at = inner, 0
        return scope

    def _signature(self, start: int, scope: Scope | None) -> str:
        """The signature of the innermost enclosing declaration that starts in an earlier chunk."""
        while scope is not None:
            if scope.section.level and scope.section.span.start < start:
                if scope.heading is None:
                    scope.heading = self._heading(scope)
                if scope.heading and scope.heading.start < start:
                    return signature(scope.heading.of(self._document.text))
            scope = scope.outer
        return ""

    def _heading(self, scope: Scope) -> Span:
        """The span of a declaration's signature; empty if it has none."""
        blocks = self._blocks
        at = bisect_left(blocks, scope.section.span.start, key=attrgetter("start"))
        for block in blocks[at : at + _BEFORE]:
            if block.kind is BlockKind.HEADING:
                return Span(block.start, min(block.end, block.start + _LONGEST_SIGNATURE * 4))
        return Span(0, 0)

    def _content_type(self, end: int) -> ContentType:
        """The type of the blocks up to `end`: comment or docstring if more than half of the characters are.

        A declaration with its body is code, however long its comments.
        """
        if self._document.kind is Kind.CONFIG:
            return ContentType.CONFIG
        blocks, at = self._blocks, self._block
        comment = docstring = heading = total = 0
        while at < len(blocks) and blocks[at].start < end:
            block = blocks[at]
            size = block.end - block.start
            total += size
            if block.kind is BlockKind.COMMENT:
                comment += size
            elif block.kind is BlockKind.DOCSTRING:
                docstring += size
            elif block.kind is BlockKind.HEADING:
                heading += size
            if block.end > end:
                break  # a block in several chunks counts in each
            at += 1
        self._block = at
        explained = comment + docstring
        if explained * 2 <= total or (heading and explained + heading < total):
            return ContentType.CODE
        return ContentType.DOCSTRING if docstring >= comment else ContentType.COMMENT


def signature(heading: str) -> str:
    """A declaration's first lines on one line, without the opening of its body."""
    plain = " ".join(heading.split()).rstrip("{: ")
    return plain if len(plain) <= _LONGEST_SIGNATURE else plain[:_LONGEST_SIGNATURE].rsplit(" ", 1)[0]
