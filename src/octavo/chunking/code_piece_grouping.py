"""Code groups: which consecutive pieces of a source file make one chunk, by its symbols."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from octavo.chunking.indivisible_pieces import Pieces, Seam
from octavo.lazy_regex import regex
from octavo.model.document import BlockKind, Section
from octavo.model.index_recipe import ChunkSizes
from octavo.model.normalised_text_and_spans import Span

_INDENT = regex(r"[ \t]*")
_COMMENTS = frozenset({BlockKind.COMMENT, BlockKind.DOCSTRING})
_LEADING = _COMMENTS - {BlockKind.DOCSTRING} | {BlockKind.HEADING}
_LABEL = 8  # tokens: `private` between two methods says nothing by itself
_KEEP_TOGETHER = frozenset(
    {
        (BlockKind.HEADING, BlockKind.CODE),
        (BlockKind.HEADING, BlockKind.DOCSTRING),
        (BlockKind.HEADING, BlockKind.COMMENT),
        (BlockKind.COMMENT, BlockKind.CODE),
        (BlockKind.COMMENT, BlockKind.HEADING),
        (BlockKind.DOCSTRING, BlockKind.HEADING),
    }
)
"""Neighbours that are separated only if necessary: a comment or signature stays with its code."""


class Scope:
    """A section with its pieces, `first` to `last` (exclusive), and the sections nested in it."""

    __slots__ = ("first", "heading", "inner", "last", "outer", "section")

    def __init__(self, section: Section, first: int, last: int, outer: Scope | None) -> None:
        self.section = section
        self.first = first
        self.last = last
        self.outer = outer
        self.inner: list[Scope] = []
        self.heading: Span | None = None


def scopes(sections: Sequence[Section], pieces: Pieces) -> Scope:
    """The sections as a tree, without those that contain no piece of their own."""
    starts = [piece.start for piece in pieces.all]
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
    """Which consecutive pieces make one chunk, and the innermost scope known to contain them."""

    def __init__(self, pieces: Pieces, sizes: ChunkSizes) -> None:
        self.all: list[tuple[int, int, Scope]] = []
        self._found = pieces
        self._sizes = sizes
        self._sums = [0, *accumulate([piece.size for piece in pieces.all])]

    def add(self, first: int, last: int, scope: Scope) -> None:
        """Adds one group, split only where a word was cut."""
        if not self._found.seamless:
            for at in range(first + 1, last):
                if self._found.all[at].seam is Seam.TORN:
                    self.all.append((first, at, scope))
                    first = at
        self.all.append((first, last, scope))

    def split(self, scope: Scope, first: int, last: int) -> None:
        """Adds groups for a scope that is too large; `first` precedes the scope if small pieces join it."""
        if not scope.inner:
            for opened, closed in self._with_code(self._runs(first, last)):
                self.add(opened, closed, scope)
            return
        size_of, sizes = self._found.size, self._sizes
        mark = len(self.all)
        opened, size, comment = first, 0, first  # small pieces collected so far, from piece `opened` on
        for at, until, inner in self._members(scope, first, last):
            more = size_of(at, until)
            fits = more <= (sizes.hard_max if inner else sizes.target_max)
            # A declaration of several lines is a chunk of its own, however small: it is found and cited as one.
            small = fits and (self.is_one_line(at, until) if inner else more < sizes.min_preferred)
            if small and size + more <= sizes.target_max:
                size += more
                # A comment at the end of the collected pieces is about what follows.
                comment = at if inner is None and self._found.all[at].kind in _COMMENTS else until
                continue
            if size and opened < comment < at:
                self._close(opened, comment, scope, mark)
                opened, size = comment, size_of(comment, at)
            if fits and inner and opened < at and self._only_comments(opened, at):
                # A comment that does not fit before its declaration is divided together with it.
                fits = size_of(opened, until) <= sizes.hard_max
            together = self._joins_next(opened, at, more, scope, mark) if fits else self._leads_into(opened, at, scope)
            if size and not together:
                self._close(opened, at, scope, mark)
                opened = at
            if small:
                size = size_of(opened, until)
                continue
            if fits:
                self.add(opened, until, scope)
            elif inner is None:
                for run in self._with_code(self._runs(opened, until)):
                    self.add(*run, scope)
            else:
                self.split(inner, opened, until)
            opened, size = until, 0
        if size:
            self._close(opened, last, scope, mark)

    def is_one_line(self, at: int, until: int) -> bool:
        """Whether a declaration is a single line, as prototypes and aliases are."""
        piece = self._found.all[at]
        return until - at == 1 and "\n" not in self._found.text[piece.start : piece.end].strip()

    def _members(self, scope: Scope, first: int, last: int) -> Iterator[tuple[int, int, Scope | None]]:
        """The members of a scope, in order: inner scopes and the code between them, leading comments separately."""
        pieces = self._found.all
        at = first
        for inner in scope.inner:
            comment = inner.first
            while at < comment and pieces[comment - 1].kind in _COMMENTS:
                comment -= 1
            if at < comment:
                yield at, comment, None
            if comment < inner.first:
                yield comment, inner.first, None
            yield inner.first, inner.last, inner
            at = inner.last
        if at < last:
            yield at, last, None

    def _joins_next(self, opened: int, at: int, more: int, scope: Scope, mark: int) -> bool:
        """Whether the collected pieces make one chunk with the next member: a signature, a comment, or the first."""
        size = self._found.size(opened, at)
        if size + more > self._sizes.hard_max:
            return False
        kinds = {piece.kind for piece in self._found.all[opened:at]}
        return kinds <= _COMMENTS or (opened <= scope.first and kinds <= _LEADING)

    def _leads_into(self, opened: int, at: int, scope: Scope) -> bool:
        """Whether the collected pieces are small and join the first part of a member that is too large."""
        if opened < at and self._only_comments(opened, at):
            return True
        small = self._found.size(opened, at) < self._sizes.min_preferred
        return small and opened <= scope.first

    def _only_comments(self, first: int, last: int) -> bool:
        return all(piece.kind in _COMMENTS for piece in self._found.all[first:last])

    def _close(self, opened: int, closed: int, scope: Scope, mark: int) -> None:
        """Ends a group; a small one is merged into the previous group of the same scope, if that fits."""
        size = self._found.size(opened, closed)
        if size < self._sizes.min_preferred and len(self.all) > mark:
            first, last, _ = self.all[-1]
            most = self._sizes.hard_max if size <= _LABEL else self._sizes.target_max
            fits = self._found.size(first, closed) <= most
            if fits and last == opened and self._found.all[opened].seam is not Seam.TORN:
                self.all[-1] = (first, closed, scope)
                return
        self.add(opened, closed, scope)

    def _runs(self, first: int, last: int) -> list[tuple[int, int]]:
        """Ranges near the target, split where the code is least indented."""
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

    def _with_code(self, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The same runs, those of comments alone together with the code below them as far as both fit."""
        spans: list[tuple[int, int]] = []
        for opened, closed in runs:
            before = spans[-1] if spans else None
            if (
                before
                and self._only_comments(*before)
                and self._found.size(before[0], closed) <= self._sizes.hard_max
                and self._found.all[opened].seam is not Seam.TORN
            ):
                spans[-1] = (before[0], closed)
            else:
                spans.append((opened, closed))
        return spans

    def _best(self, nearest: int, furthest: int) -> int:
        """The best split: not after a signature or a comment, then least indented, then after a blank line."""
        text, pieces = self._found.text, self._found.all
        best, best_key = furthest, (True, 1 << 30, True)
        for at in range(furthest, nearest - 1, -1):
            start = pieces[at].start
            indent = _INDENT.match(text, start)
            key = (
                (pieces[at - 1].kind, pieces[at].kind) in _KEEP_TOGETHER,
                len(indent[0].expandtabs()) if indent else 0,
                text[max(0, start - 2) : start] != "\n\n",
            )
            if key < best_key:
                best, best_key = at, key
        return best
