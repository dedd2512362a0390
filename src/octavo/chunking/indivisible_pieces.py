"""Pieces: the smallest units of a document, which packing combines and never cuts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import accumulate, islice
from typing import NamedTuple

from octavo.lazy_regex import regex
from octavo.model.document import ATOMIC, Block, BlockKind
from octavo.model.index_recipe import ChunkSizes
from octavo.ports import TokenCounter

CHARACTERS_PER_TOKEN = 16
"""Text with fewer tokens than this still has bulk: a tokenizer may take a megabyte without a space for one
unknown word. Prose has four or five characters per token, so nothing a person wrote reaches the bound."""

ATOMIC_LIMIT = 8
"""An atomic block is not cut up to so many times the hard maximum. A longer one is data rather than a passage, and
is cut at line ends, so that no chunk is too long to read or to embed."""

_BATCH = 256  # lines or sentences counted together, so that a large file needs no list of them all
_SLAB = 1 << 16  # characters split into words at a time, so that a text of one line needs no list of all its words

# White space to every tokenizer: some drop the control characters in `\s` without separating words at them.
_BLANK = r"[^\S\x0b\x0c\x1c-\x1f\x85]"
_SPACE = regex(_BLANK + "+")
# A sentence ends at a stop followed by space (closing quotes and brackets belong to it), or at a CJK stop.
_SENTENCE = regex(rf"[.!?…][\"'”’)\]*_]*{_BLANK}+|[。！？｡][”’」』）]*{_BLANK}*")


class Seam(Enum):
    """What separates a piece from the previous one."""

    BLANK = "blank"  # white space: token counts add up
    TIGHT = "tight"  # nothing, as between two sentences in Chinese: the two together have to be counted again
    TORN = "torn"  # nothing, in the middle of a word: the two are never combined


class Piece(NamedTuple):
    """A range of text that is not cut. `size` is its tokens, or its bulk if that is more; at least one."""

    start: int
    end: int
    tokens: int
    size: int
    kind: BlockKind
    seam: Seam = Seam.BLANK


class Pieces:
    """All pieces of a document, in order, with prefix sums of their sizes."""

    __slots__ = ("_sizes", "_tokens", "all", "seamless", "text")

    def __init__(self, text: str, every: list[Piece]) -> None:
        self.text = text
        self.all = every
        self.seamless = [piece[-1] for piece in every].count(Seam.BLANK) == len(every)
        self._sizes = [0, *accumulate([piece[3] for piece in every])]
        self._tokens = [0, *accumulate([piece[2] for piece in every])]

    def size(self, first: int, last: int) -> int:
        return self._sizes[last] - self._sizes[first]

    def tokens(self, first: int, last: int) -> int:
        """Tokens of `first` to `last` (exclusive) as one text, if it has no tight seam."""
        return self._tokens[last] - self._tokens[first]

    def add_up(self, first: int, last: int) -> bool:
        """Whether the tokens of the pieces sum to the tokens of the text."""
        return self.seamless or all(piece.seam is Seam.BLANK for piece in self.all[first + 1 : last])


def pieces(text: str, blocks: Sequence[Block], sizes: ChunkSizes, counter: TokenCounter) -> Pieces:
    """The blocks in order, uncut where possible: prose up to the hard maximum, others up to `ATOMIC_LIMIT` times that.

    Prose below headings is cut so that its first piece and the headings fit into one chunk.
    """
    hard_max = sizes.hard_max
    heading, blank, new = BlockKind.HEADING, Seam.BLANK, tuple.__new__
    every: list[Piece] = []
    lead = 0
    counted = _counted(text, [(start, end) for _, start, end, _ in blocks], hard_max, counter)
    for (kind, start, end, _), tokens in zip(blocks, counted, strict=True):
        if tokens is not None:
            bulk = (end - start + CHARACTERS_PER_TOKEN - 1) // CHARACTERS_PER_TOKEN
            size = tokens if tokens > bulk else bulk
            if size + lead <= hard_max:
                # `Piece(…)` in half of its time: every block of every document becomes one.
                every.append(new(Piece, (start, end, tokens, size, kind, blank)))
                lead = lead + size if kind is heading else 0
                continue
        if kind in ATOMIC or kind is BlockKind.FRONT_MATTER:
            every.extend(by_lines(text, start, end, hard_max * ATOMIC_LIMIT, counter, kind))
        else:
            room = max(hard_max - lead, (hard_max + 1) // 2)
            every.extend(_by_sentences(text, start, end, room, min(room, sizes.target_max), counter, kind))
        lead = 0
    return Pieces(text, every)


def bulk_of(characters: int) -> int:
    return (characters + CHARACTERS_PER_TOKEN - 1) // CHARACTERS_PER_TOKEN


def _within(text: str, start: int, end: int, limit: int, counter: TokenCounter) -> int | None:
    """The tokens of a range, or None if it exceeds the limit; a range that is far too long is not even counted."""
    if bulk_of(end - start) > limit:
        return None
    tokens = counter.count(text[start:end])
    return tokens if tokens <= limit else None


def _counted(text: str, ranges: Sequence[tuple[int, int]], limit: int, counter: TokenCounter) -> Iterable[int | None]:
    """The tokens of many ranges, counted together; None for one that exceeds the limit."""
    longest = limit * CHARACTERS_PER_TOKEN
    counts = counter.counts([text[start:end] for start, end in ranges if end - start <= longest])
    if len(counts) == len(ranges) and max(counts, default=0) <= limit:
        return counts
    rest = iter(counts)
    within = (next(rest) if end - start <= longest else None for start, end in ranges)
    return [tokens if tokens is None or tokens <= limit else None for tokens in within]


def _each_counted(
    text: str, ranges: Iterable[tuple[int, int]], limit: int, counter: TokenCounter
) -> Iterator[tuple[int, int, int | None]]:
    """Ranges with their tokens, counted in batches: there may be too many for one list."""
    rest = iter(ranges)
    while batch := list(islice(rest, _BATCH)):
        for (start, end), tokens in zip(batch, _counted(text, batch, limit, counter), strict=True):
            yield start, end, tokens


def _piece(start: int, end: int, tokens: int, kind: BlockKind, seam: Seam = Seam.BLANK) -> Piece:
    return Piece(start, end, tokens, max(tokens, bulk_of(end - start)), kind, seam)


def by_lines(text: str, start: int, end: int, limit: int, counter: TokenCounter, kind: BlockKind) -> Iterator[Piece]:
    """Consecutive ranges within the limit, as long as possible, cut at line ends; within a line only if necessary."""
    total = _within(text, start, end, limit, counter)
    if total is not None:
        yield _piece(start, end, total, kind)
        return
    opened, tokens = start, 0
    for at, line_end, line in _each_counted(text, _lines(text, start, end), limit, counter):
        if opened < at and (line is None or tokens + line > limit or bulk_of(line_end - opened) > limit):
            yield _piece(opened, at, tokens, kind)
            opened, tokens = at, 0
        if line is None:
            yield from by_words(text, at, line_end, limit, counter, kind)
            opened = line_end
        else:
            tokens += line
    if opened < end:
        yield _piece(opened, end, tokens, kind)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        line_end = text.find("\n", start, end) + 1 or end
        yield start, line_end
        start = line_end


def _by_sentences(
    text: str, start: int, end: int, room: int, target: int, counter: TokenCounter, kind: BlockKind
) -> Iterator[Piece]:
    """One piece per sentence; a sentence that is too long is cut into lines, then into words."""
    for at, until, tokens in _each_counted(text, _sentences(text, start, end), room, counter):
        seam = Seam.BLANK if at == start or _SPACE.match(text, at - 1, at) else Seam.TIGHT
        if tokens is not None:
            yield _piece(at, until, tokens, kind, seam)
            continue
        for piece in by_lines(text, at, until, target, counter, kind):
            yield piece._replace(seam=seam) if piece.start == at else piece


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in _SENTENCE.finditer(text, start, end):
        yield start, stop.end()
        start = stop.end()
    if start < end:
        yield start, end


def by_words(text: str, start: int, end: int, limit: int, counter: TokenCounter, kind: BlockKind) -> Iterator[Piece]:
    """Runs of words within the limit; a word that is too long is cut."""
    for slab_start, slab_end, seam in _slabs(text, start, end):
        slab = text[slab_start:slab_end]
        opened, closed, tokens = -1, 0, 0
        for word_end, word_tokens in counter.words(slab):
            gap = _SPACE.match(slab, closed, word_end)
            word_start = gap.end() if gap else closed
            long = word_tokens > limit or bulk_of(word_end - word_start) > limit
            if opened >= 0 and (long or tokens + word_tokens > limit or bulk_of(word_end - opened) > limit):
                yield _piece(slab_start + opened, slab_start + closed, tokens, kind, seam)
                opened, seam = -1, Seam.BLANK
            if long:
                yield from _cut_word(text, slab_start + word_start, slab_start + word_end, limit, counter, kind, seam)
                seam = Seam.BLANK
            elif opened < 0:
                opened, tokens = word_start, word_tokens
            else:
                tokens += word_tokens
            closed = word_end
        if opened >= 0:
            yield _piece(slab_start + opened, slab_start + closed, tokens, kind, seam)


def _slabs(text: str, start: int, end: int) -> Iterator[tuple[int, int, Seam]]:
    """Ranges of bounded length that end between words, or inside a word longer than any limit."""
    seam = Seam.BLANK
    while start < end:
        space = _SPACE.search(text, min(start + _SLAB, end), min(start + 2 * _SLAB, end))
        slab_end = space.end() if space else min(start + 2 * _SLAB, end)
        yield start, slab_end, seam
        start, seam = slab_end, Seam.BLANK if space else Seam.TORN


def _cut_word(
    text: str, start: int, end: int, limit: int, counter: TokenCounter, kind: BlockKind, seam: Seam
) -> Iterator[Piece]:
    longest = limit * CHARACTERS_PER_TOKEN
    step = longest
    while start < end:
        until = min(start + step, end)
        tokens = counter.count(text[start:until])
        if tokens > limit and until - start > 1:
            # Aim below the limit at the density just measured: a few attempts for the first piece, one for most others.
            step = max(1, (until - start) * limit * 7 // (tokens * 8))
            continue
        yield _piece(start, until, tokens, kind, seam)
        start, seam = until, Seam.TORN
        if tokens * 2 < limit:
            step = min(step * 2, longest)
