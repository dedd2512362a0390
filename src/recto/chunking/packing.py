"""Pieces into runs: which consecutive pieces make one chunk, and how far each reaches back into the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recto.chunking.blocks import Piece, Seam
from recto.model.document import ATOMIC, BlockKind
from recto.model.recipe import ChunkSizes
from recto.ports import TokenCounter


class Run(NamedTuple):
    """Pieces `first` to `last` (exclusive) as one chunk that starts at `start`, earlier than they do if it overlaps."""

    first: int
    last: int
    start: int
    tokens: int


def pack(
    text: str, pieces: Sequence[Piece], first: int, last: int, sizes: ChunkSizes, counter: TokenCounter
) -> list[Run]:
    """Runs over `pieces[first:last]`, each within the hard maximum unless it is one atomic piece below its headings."""
    runs: list[Run] = []
    before = -1
    for opened, closed in _settled(pieces, _bounds(pieces, first, last, sizes), sizes):
        start, tokens, exact = pieces[opened].start, 0, True
        for at in range(opened, closed):
            tokens += pieces[at].tokens
            exact = exact and (at == opened or pieces[at].seam is Seam.BLANK)
        if before >= 0 and sizes.overlap:
            room = sizes.hard_max - sum(piece.size for piece in pieces[opened:closed])
            start, shared = _overlap(text, pieces, before, opened, sizes.overlap, room, counter)
            tokens += shared
            exact = exact and (shared == 0 or pieces[opened].seam is Seam.BLANK)
        if not exact:
            tokens = counter.count(text[start : pieces[closed - 1].end])
        runs.append(Run(opened, closed, start, tokens))
        before = opened
    return runs


def _bounds(pieces: Sequence[Piece], first: int, last: int, sizes: ChunkSizes) -> list[tuple[int, int]]:
    """Greedy: a run is closed by the first piece that would take it past the target, once it is long enough."""
    bounds: list[tuple[int, int]] = []
    opened, size, bare = first, 0, True
    for at in range(first, last):
        piece = pieces[at]
        together = size + piece.size
        if at > opened and not _joins(piece, size, bare, sizes):
            # Headings at the end of a run open the next one: they belong to what they head.
            closed = at
            while not bare and pieces[closed - 1].kind is BlockKind.HEADING:
                closed -= 1
            headings = sum(heading.size for heading in pieces[closed:at])
            if closed < at and not _joins(piece, headings, True, sizes):
                closed, headings = at, 0
            bounds.append((opened, closed))
            opened, bare = closed, True
            together = headings + piece.size
        size = together
        bare = bare and piece.kind is BlockKind.HEADING
    if opened < last:
        bounds.append((opened, last))
    return bounds


def _joins(piece: Piece, size: int, bare: bool, sizes: ChunkSizes) -> bool:
    """Whether a piece goes into the run open before it. `bare` runs have only headings so far."""
    if piece.seam is Seam.TORN:
        return False
    together = size + piece.size
    if together <= sizes.target_max:
        return True
    if together <= sizes.hard_max:
        return bare or size < sizes.target_min
    # A heading goes with the block it heads even where that is too long already: alone it says nothing.
    return bare and size <= max(sizes.min_preferred, 1) and piece.kind in ATOMIC


def _settled(pieces: Sequence[Piece], bounds: list[tuple[int, int]], sizes: ChunkSizes) -> list[tuple[int, int]]:
    """Small runs join the one before, up to the hard maximum; failing that they take pieces back from it."""
    settled: list[tuple[int, int]] = []
    for opened, closed in bounds:
        size = sum(piece.size for piece in pieces[opened:closed])
        if settled and size < sizes.min_preferred and pieces[opened].seam is not Seam.TORN:
            earlier = settled[-1][0]
            rest = sum(piece.size for piece in pieces[earlier:opened])
            if rest + size <= sizes.hard_max:
                settled[-1] = (earlier, closed)
                continue
            opened = _taken_back(pieces, earlier, opened, rest, size, sizes)
            settled[-1] = (earlier, opened)
        settled.append((opened, closed))
    return settled


def _taken_back(pieces: Sequence[Piece], earlier: int, opened: int, rest: int, size: int, sizes: ChunkSizes) -> int:
    """Where a small run had better open, so that both it and the run before are of a fair size."""
    best = at = opened
    while at - 1 > earlier and size < sizes.min_preferred and pieces[at].seam is not Seam.TORN:
        at -= 1
        rest, size = rest - pieces[at].size, size + pieces[at].size
        if rest < sizes.target_min or size > sizes.target_max:
            break
        if pieces[at - 1].kind is not BlockKind.HEADING:
            best = at
    return best


def _overlap(
    text: str, pieces: Sequence[Piece], before: int, opened: int, overlap: int, room: int, counter: TokenCounter
) -> tuple[int, int]:
    """Where a run that opens at a piece starts, and the tokens it shares with the run that opened at `before`.

    Whole pieces if they come to between half and one and a half times the overlap, else words of the last prose
    piece that did not fit. A heading opens a subject of its own: nothing is shared across one.
    """
    start = pieces[opened].start
    if pieces[opened].kind is BlockKind.HEADING or pieces[opened].seam is Seam.TORN:
        return start, 0
    reach = min(overlap + overlap // 2, room)
    at, size, shared = opened, 0, 0
    while at - 1 > before and size < overlap:
        piece = pieces[at - 1]
        if size + piece.size > reach or piece.kind is BlockKind.HEADING or piece.seam is not Seam.BLANK:
            break
        at -= 1
        size, shared, start = size + piece.size, shared + piece.tokens, piece.start
    wanted = min(overlap, room) - size
    if size * 2 < overlap and wanted > 0 and at > before and pieces[at].seam is Seam.BLANK:
        piece = pieces[at - 1]
        if piece.kind not in ATOMIC:
            words_start, words = _last_words(text, piece, wanted, counter)
            if words:
                start, shared = words_start, shared + words
    return start, shared


def _last_words(text: str, piece: Piece, wanted: int, counter: TokenCounter) -> tuple[int, int]:
    """Where the last words of a piece begin that come to at most so many tokens; never all of its words."""
    words = counter.words(text[piece.start : piece.end])
    tokens = 0
    start = piece.end
    for index in range(len(words) - 1, 0, -1):
        if tokens + words[index][1] > wanted:
            break
        tokens += words[index][1]
        start = piece.start + words[index - 1][0]
    while start < piece.end and text[start].isspace():
        start += 1
    return start, tokens
