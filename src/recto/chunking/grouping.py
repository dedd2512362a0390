"""Sections into groups: which consecutive sections are cut as one text, and whose a chunk of them is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from recto.chunking.blocks import Pieces
from recto.model.document import BlockKind, Section
from recto.model.recipe import ChunkSizes


class Part(NamedTuple):
    """A section's own text, without its subsections': pieces `first` to `last` (exclusive).

    A `bare` part is a heading, or several, and nothing below.
    """

    section: Section
    first: int
    last: int
    size: int
    bare: bool


class Group(NamedTuple):
    """Parts `first` to `last` (exclusive). It is `small` if each of the texts it was made of is."""

    first: int
    last: int
    size: int
    bare: bool
    small: bool


_first = attrgetter("first")
_last = attrgetter("last")


def own_parts(sections: Sequence[Section], pieces: Pieces, depth: int | None) -> list[Part]:
    """The sections that have text of their own, in order; those deeper than `depth` are text of the one they are in."""
    # Between a section within the depth and the next, all are deeper: so the former is an ancestor of them all.
    kept = sections if depth is None else [section for section in sections if section.level <= depth]
    held, heading, new = pieces.all, BlockKind.HEADING, tuple.__new__
    starts = [piece[0] for piece in held]
    ends = [bisect_left(starts, section.span.start) for section in kept[1:]]
    ends.append(len(starts))
    parts: list[Part] = []
    first = 0
    for section, last in zip(kept, ends, strict=False):
        if last > first:
            # Most end with something else than a heading, which is soon found out.
            bare = held[last - 1].kind is heading and all(piece.kind is heading for piece in held[first:last])
            parts.append(new(Part, (section, first, last, pieces.size(first, last), bare)))
            first = last
    return parts


def grouped(parts: Sequence[Part], sizes: ChunkSizes) -> list[Group]:
    """All parts, in order: mostly each by itself, small ones and bare headings with their neighbours."""
    texts = _subtrees(parts, sizes) if sizes.intelligent_heading_depth else _each(parts, sizes)
    groups: list[Group] = []
    at = 0
    while at < len(texts):
        until = _reach(parts, texts, at, sizes)
        group = _together(texts[at:until])
        at = until
        if groups and _trails(parts, groups[-1], group, sizes):
            groups[-1] = _together((groups[-1], group))
        else:
            groups.append(group)
    return groups


def _each(parts: Sequence[Part], sizes: ChunkSizes) -> list[Group]:
    least = sizes.min_preferred
    new = tuple.__new__
    return [new(Group, (at, at + 1, size, bare, size < least)) for at, (_, _, _, size, bare) in enumerate(parts)]


def _subtrees(parts: Sequence[Part], sizes: ChunkSizes) -> list[Group]:
    """Each section with all that is below it where that fits the target, else its own text, then its subsections'."""
    each = _each(parts, sizes)
    if sum(part.size for part in parts) <= sizes.target_max:
        return [_together(each, sizes.min_preferred)] if parts else []
    found: list[Group] = []
    first = 0
    while first < len(parts):
        level, size, last = parts[first].section.level, parts[first].size, first + 1
        # The text before the first heading has nothing below it: what follows is not part of it.
        while level and last < len(parts) and parts[last].section.level > level and size <= sizes.target_max:
            size += parts[last].size
            last += 1
        if size > sizes.target_max:
            last = first + 1
        found.append(_together(each[first:last], sizes.min_preferred))
        first = last
    return found


def _together(groups: Sequence[Group], least: int | None = None) -> Group:
    """Neighbours as one; small if all of them are, or if they come to less than `least` where that is given."""
    if len(groups) == 1:
        return groups[0]
    size = sum(group.size for group in groups)
    small = all(group.small for group in groups) if least is None else size < least
    return Group(groups[0].first, groups[-1].last, size, all(group.bare for group in groups), small)


def _reach(parts: Sequence[Part], texts: Sequence[Group], at: int, sizes: ChunkSizes) -> int:
    """Up to which text the one at `at` is joined by those after it."""
    _, _, size, bare, small = texts[at]
    until = at + 1
    if not (small or bare):
        return until
    level = parts[texts[at].first].section.level
    while until < len(texts) and parts[texts[until].first].section.level >= level:
        following = texts[until]
        fits = following.small and size + following.size <= sizes.target_max
        if not fits and not (bare and size <= sizes.target_max):
            break
        until, size, bare = until + 1, size + following.size, bare and following.bare
        if not fits and not bare:
            break
    # A bare heading at the end goes with its first subsection, which did not fit here.
    while at + 1 < until < len(texts) and _heads(parts, texts[until - 1], texts[until]):
        until -= 1
    return until


def _heads(parts: Sequence[Part], heading: Group, following: Group) -> bool:
    return heading.bare and parts[following.first].section.level > parts[heading.first].section.level


def _trails(parts: Sequence[Part], before: Group, group: Group, sizes: ChunkSizes) -> bool:
    """Whether a group is better off with the one before: headings with nothing to head, the last of small sections."""
    if before.bare:
        return False
    if group.bare:
        return True
    return (
        before.small
        and group.size < sizes.min_preferred
        and before.size + group.size <= sizes.hard_max
        and parts[group.first].section.level >= parts[before.first].section.level
    )


def owner(group: Sequence[Part], first: int, last: int) -> Section:
    """The section that a chunk of pieces `first` to `last` belongs to.

    The one it starts in, looking past bare headings for as long as one later section holds all the rest.
    """
    if len(group) == 1:
        return group[0].section
    held = group[bisect_right(group, first, key=_last) : bisect_left(group, last, key=_first)]
    at = 0
    while at + 1 < len(held) and held[at].bare:
        level = held[at + 1].section.level
        if any(part.section.level <= level for part in held[at + 2 :]):
            break
        at += 1
    return held[at].section
