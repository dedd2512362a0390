"""Symbols into groups: which consecutive pieces of a file of code make one chunk."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from recto.chunking.blocks import Pieces, Seam
from recto.model.document import BlockKind, Section
from recto.model.recipe import ChunkSizes
from recto.model.text import Span

_INDENT = re.compile(r"[ \t]*")
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


def scopes(sections: Sequence[Section], found: Pieces) -> Scope:
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


class Groups:
    """Which consecutive pieces make one chunk, and the innermost scope known to hold them."""

    def __init__(self, found: Pieces, sizes: ChunkSizes) -> None:
        self.all: list[tuple[int, int, Scope]] = []
        self._found = found
        self._sizes = sizes
        self._sums = [0, *accumulate([piece.size for piece in found.all])]

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
            together = self._goes_on(opened, at, more, scope, mark) if fits else self._opens(opened, at, scope)
            if size and not together:
                self._close(opened, at, scope, mark)
                opened = at
            if small:
                size = size_of(opened, until)
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
