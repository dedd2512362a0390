"""Packing pieces into runs: which consecutive pieces make one chunk, and how far it overlaps the previous one."""

from __future__ import annotations

from typing import NamedTuple

from octavo.chunking.indivisible_pieces import CHARACTERS_PER_TOKEN, Piece, Pieces, Seam
from octavo.model.document import ATOMIC, BlockKind
from octavo.model.index_recipe import ChunkSizes
from octavo.ports import TokenCounter

# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_HEADING, _BLANK, _TORN = BlockKind.HEADING, Seam.BLANK, Seam.TORN


class PieceRun(NamedTuple):
    """Pieces `first` to `last` (exclusive) as one chunk that starts at `start`, earlier than they do if it overlaps."""

    first: int
    last: int
    start: int
    tokens: int


def pack(pieces: Pieces, first: int, last: int, sizes: ChunkSizes, counter: TokenCounter) -> list[PieceRun]:
    """Runs over the pieces, each within the hard maximum unless it is an atomic piece with a few words before it."""
    if pieces.seamless and pieces.size(first, last) <= sizes.target_max:
        return [tuple.__new__(PieceRun, (first, last, pieces.all[first][0], pieces.tokens(first, last)))]
    runs: list[PieceRun] = []
    before = -1
    for opened, closed in _merge_small_runs(pieces, _bounds(pieces, first, last, sizes), sizes):
        start, tokens, exact = pieces.all[opened].start, pieces.tokens(opened, closed), pieces.add_up(opened, closed)
        if before >= 0 and sizes.overlap:
            room = sizes.hard_max - pieces.size(opened, closed)
            start, shared = _overlap(pieces, before, opened, sizes.overlap, room, counter)
            tokens += shared
            exact = exact and (shared == 0 or pieces.seamless)
        if not exact:
            tokens = counter.count(pieces.text[start : pieces.all[closed - 1].end])
        runs.append(PieceRun(opened, closed, start, tokens))
        before = opened
    return runs


def _bounds(pieces: Pieces, first: int, last: int, sizes: ChunkSizes) -> list[tuple[int, int]]:
    """Greedy: a run is closed by the first piece that would exceed the target, once it is long enough."""
    bounds: list[tuple[int, int]] = []
    opened, size, bare = first, 0, True
    for at in range(first, last):
        piece = pieces.all[at]
        if at > opened and not _joins(piece, size, bare, sizes):
            # Headings at the end of a run move to the next one: they belong to the text below them.
            closed = at
            while not bare and pieces.all[closed - 1].kind is _HEADING:
                closed -= 1
            if closed < at and not _joins(piece, pieces.size(closed, at), True, sizes):
                closed = at
            bounds.append((opened, closed))
            opened, size, bare = closed, pieces.size(closed, at), True
        size += piece.size
        bare = bare and piece.kind is _HEADING
    if opened < last:
        bounds.append((opened, last))
    return bounds


def _joins(piece: Piece, size: int, bare: bool, sizes: ChunkSizes) -> bool:
    """Whether a piece is added to the open run. `bare` runs have only headings so far."""
    together = size + piece.size
    if piece.seam is _TORN:
        return False
    if together <= sizes.target_max:
        return True
    if together <= sizes.hard_max:
        return bare or size < sizes.target_min
    # A heading stays with its block, and a few words with the long block they introduce, even beyond the hard
    # maximum: alone they would match queries for their title and answer nothing.
    introduces = bare or piece.size > sizes.hard_max
    small = size < sizes.min_preferred
    return small and introduces and piece.kind in ATOMIC and piece.kind is not _HEADING


def _merge_small_runs(pieces: Pieces, bounds: list[tuple[int, int]], sizes: ChunkSizes) -> list[tuple[int, int]]:
    """Small runs are merged into the previous one up to the hard maximum; else they take pieces from its end."""
    merged: list[tuple[int, int]] = []
    for opened, closed in bounds:
        size = pieces.size(opened, closed)
        if merged and size < sizes.min_preferred and pieces.all[opened].seam is not _TORN:
            earlier = merged[-1][0]
            if pieces.size(earlier, closed) <= sizes.hard_max:
                merged[-1] = (earlier, closed)
                continue
            opened = _rebalanced_start(pieces, earlier, opened, closed, sizes)
            merged[-1] = (earlier, opened)
        merged.append((opened, closed))
    return merged


def _rebalanced_start(pieces: Pieces, earlier: int, opened: int, closed: int, sizes: ChunkSizes) -> int:
    """Where a small run should start so that both it and the previous run have an adequate size."""
    best = at = opened
    while at - 1 > earlier and pieces.size(best, closed) < sizes.min_preferred:
        if pieces.all[at].seam is _TORN:
            break
        at -= 1
        if pieces.size(earlier, at) < sizes.target_min or pieces.size(at, closed) > sizes.target_max:
            break
        if pieces.all[at - 1].kind is not _HEADING and pieces.all[at].seam is not _TORN:
            best = at
    return best


def _overlap(
    pieces: Pieces, before: int, opened: int, overlap: int, room: int, counter: TokenCounter
) -> tuple[int, int]:
    """Where a run that opens at a piece starts, and the tokens it shares with the run that opened at `before`.

    Complete pieces if they amount to between half and one and a half times the overlap, else words of the last prose
    piece that did not fit. A heading starts a new subject: nothing is shared across one.
    """
    every = pieces.all
    if every[opened].kind is _HEADING or every[opened].seam is _TORN:
        return every[opened].start, 0
    reach = min(overlap + overlap // 2, room)
    at = opened
    while at - 1 > before and pieces.size(at, opened) < overlap:
        piece = every[at - 1]
        if pieces.size(at - 1, opened) > reach or piece.kind is _HEADING or piece.seam is _TORN:
            break
        at -= 1
    start, shared = every[at].start, pieces.tokens(at, opened)
    missing = min(overlap, room) - pieces.size(at, opened)
    short = pieces.size(at, opened) * 2 < overlap
    if short and missing > 0 and every[at].seam is _BLANK and every[at - 1].kind not in ATOMIC:
        words_start, words = _last_words(pieces.text, every[at - 1], missing, counter)
        if words:
            start, shared = words_start, shared + words
    return start, shared


def _last_words(text: str, piece: Piece, wanted: int, counter: TokenCounter) -> tuple[int, int]:
    """The start of the last words of a piece that amount to at most `wanted` tokens; never all of its words.

    If a sentence starts in the first half of them, the overlap starts with it: it reads better from there.
    """
    # The first word of the range is never used, so it may be cut in half.
    begin = max(piece.start, piece.end - (wanted + 1) * CHARACTERS_PER_TOKEN // 2)
    words = counter.words(text[begin : piece.end])
    tokens, start = 0, piece.end
    sentence: tuple[int, int] | None = None
    for index in range(len(words) - 1, 0, -1):
        if tokens + words[index][1] > wanted:
            break
        tokens += words[index][1]
        start = begin + words[index - 1][0]
        if tokens * 2 >= wanted and text[start - 1] in ".!?":
            sentence = start, tokens
    if sentence:
        start, tokens = sentence
    while start < piece.end and text[start].isspace():
        start += 1
    return start, tokens
