"""Section chunker: prose documents, cut at headings and block boundaries; small sections are chunked together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from octavo.chunking.chunk_builder import ChunkBuilder
from octavo.chunking.indivisible_pieces import Piece, Pieces, pieces
from octavo.chunking.piece_packing import pack
from octavo.model.chunk import Chunk, ContentType
from octavo.model.document import BlockKind, Document, Section
from octavo.model.index_recipe import ChunkSizes
from octavo.ports import TokenCounter


class SectionPieces(NamedTuple):
    """A section's own text, without its subsections': pieces `first` to `last` (exclusive).

    A `bare` text consists of headings only.
    """

    section: Section
    first: int
    last: int
    size: int
    bare: bool


class SectionGroup(NamedTuple):
    """Section texts `first` to `last` (exclusive). It is `small` if each group merged into it was."""

    first: int
    last: int
    size: int
    bare: bool
    small: bool


_first = attrgetter("first")
_last = attrgetter("last")


def section_texts(sections: Sequence[Section], pieces: Pieces, depth: int | None) -> list[SectionPieces]:
    """Sections with text of their own, in order; those deeper than `depth` belong to the section around them."""
    # Between a section within the depth and the next, all are deeper: so the former is an ancestor of them all.
    shallow = sections if depth is None else [section for section in sections if section.level <= depth]
    every, heading, new = pieces.all, BlockKind.HEADING, tuple.__new__
    starts = [piece[0] for piece in every]
    ends = [bisect_left(starts, section.span.start) for section in shallow[1:]]
    ends.append(len(starts))
    texts: list[SectionPieces] = []
    first = 0
    for at, stop in enumerate(ends[: len(shallow)]):
        for section, last in _owners(shallow, at, starts, first, stop):
            # Most end with something other than a heading, so the first check usually decides.
            bare = every[last - 1].kind is heading and all(piece.kind is heading for piece in every[first:last])
            texts.append(new(SectionPieces, (section, first, last, pieces.size(first, last), bare)))
            first = last
    return texts


def _owners(
    sections: Sequence[Section], at: int, starts: Sequence[int], first: int, last: int
) -> Iterator[tuple[Section, int]]:
    """Whose the pieces from a section to the next one are, each with where they end.

    They are the section's own; what stands below one that has ended belongs to the one around it.
    """
    section = sections[at]
    while first < last:
        until = bisect_left(starts, section.span.end, first, last)
        around = None
        if until < last:
            around = next((above for above in reversed(sections[:at]) if above.span.end > starts[until]), None)
        if around is None:
            until = last
        if until > first:
            yield section, until
        section, first = around or section, until


def split_at(texts: Sequence[SectionPieces], pieces: Pieces, breaks: Sequence[int]) -> Iterator[list[SectionPieces]]:
    """The texts of each stretch between two breaks; a section that reaches across one has a text on either side."""
    starts = [piece[0] for piece in pieces.all]
    cuts = sorted({bisect_left(starts, at) for at in breaks} | {len(starts)})
    stretch: list[SectionPieces] = []
    waiting = iter(cuts)
    until = next(waiting)
    for section, first, last, _, _ in texts:
        while first < last:
            while until <= first:
                if stretch:
                    yield stretch
                    stretch = []
                until = next(waiting)
            end = min(last, until)
            bare = all(piece.kind is BlockKind.HEADING for piece in pieces.all[first:end])
            stretch.append(SectionPieces(section, first, end, pieces.size(first, end), bare))
            first = end
    if stretch:
        yield stretch


def grouped(texts: Sequence[SectionPieces], sizes: ChunkSizes) -> list[SectionGroup]:
    """All texts, in order: mostly one per group, small ones and bare headings together with their neighbours."""
    initial = _subtrees(texts, sizes) if sizes.intelligent_heading_depth else _single(texts, sizes)
    groups: list[SectionGroup] = []
    at = 0
    while at < len(initial):
        until = _merge_end(texts, initial, at, sizes)
        group = _merged(initial[at:until])
        at = until
        if groups and _joins_previous(texts, groups[-1], group, sizes):
            groups[-1] = _merged((groups[-1], group))
        else:
            groups.append(group)
    return groups


def _single(texts: Sequence[SectionPieces], sizes: ChunkSizes) -> list[SectionGroup]:
    least = sizes.min_preferred
    new = tuple.__new__
    return [new(SectionGroup, (at, at + 1, size, bare, size < least)) for at, (_, _, _, size, bare) in enumerate(texts)]


def _subtrees(texts: Sequence[SectionPieces], sizes: ChunkSizes) -> list[SectionGroup]:
    """Each section with everything below it if that fits the target, else its own text, then its subsections'."""
    single = _single(texts, sizes)
    if sum(text.size for text in texts) <= sizes.target_max:
        return [_merged(single, sizes.min_preferred)] if texts else []
    groups: list[SectionGroup] = []
    first = 0
    while first < len(texts):
        level, size, last = texts[first].section.level, texts[first].size, first + 1
        # The text before the first heading has no subsections: what follows is not part of it.
        while level and last < len(texts) and texts[last].section.level > level and size <= sizes.target_max:
            size += texts[last].size
            last += 1
        if size > sizes.target_max:
            last = first + 1
        groups.append(_merged(single[first:last], sizes.min_preferred))
        first = last
    return groups


def _merged(groups: Sequence[SectionGroup], least: int | None = None) -> SectionGroup:
    """Neighbours as one group; small if all of them are, or if `least` is given, if their sum is below it."""
    if len(groups) == 1:
        return groups[0]
    size = sum(group.size for group in groups)
    small = all(group.small for group in groups) if least is None else size < least
    return SectionGroup(groups[0].first, groups[-1].last, size, all(group.bare for group in groups), small)


def _merge_end(texts: Sequence[SectionPieces], groups: Sequence[SectionGroup], at: int, sizes: ChunkSizes) -> int:
    """The end (exclusive) of the groups that are merged with the one at `at`."""
    _, _, size, bare, small = groups[at]
    until = at + 1
    if not (small or bare):
        return until
    level = texts[groups[at].first].section.level
    while until < len(groups) and texts[groups[until].first].section.level >= level:
        following = groups[until]
        fits = following.small and size + following.size <= sizes.target_max
        if not fits and not (bare and size <= sizes.target_max):
            break
        until, size, bare = until + 1, size + following.size, bare and following.bare
        if not fits and not bare:
            break
    # A bare heading at the end stays with its first subsection, which did not fit here.
    while at + 1 < until < len(groups) and _is_heading_of(texts, groups[until - 1], groups[until]):
        until -= 1
    return until


def _is_heading_of(texts: Sequence[SectionPieces], heading: SectionGroup, following: SectionGroup) -> bool:
    return heading.bare and texts[following.first].section.level > texts[heading.first].section.level


def _joins_previous(
    texts: Sequence[SectionPieces], before: SectionGroup, group: SectionGroup, sizes: ChunkSizes
) -> bool:
    """Whether a group is merged into the previous one: headings without text below, the last of small sections."""
    if before.bare:
        return False
    if group.bare:
        return True
    return (
        before.small
        and group.size < sizes.min_preferred
        and before.size + group.size <= sizes.hard_max
        and texts[group.first].section.level >= texts[before.first].section.level
    )


def owner(group: Sequence[SectionPieces], first: int, last: int) -> Section:
    """The section that a chunk of pieces `first` to `last` belongs to.

    The one it starts in, or past bare headings as long as one later section contains all the rest.
    """
    if len(group) == 1:
        return group[0].section
    covered = group[bisect_right(group, first, key=_last) : bisect_left(group, last, key=_first)]
    at = 0
    while at + 1 < len(covered) and covered[at].bare:
        level = covered[at + 1].section.level
        if any(text.section.level <= level for text in covered[at + 2 :]):
            break
        at += 1
    return covered[at].section


# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_FENCE, _CODE, _TABLE, _FRONT_MATTER = BlockKind.FENCE, BlockKind.CODE, BlockKind.TABLE, BlockKind.FRONT_MATTER
_PROSE = ContentType.PROSE


class SectionChunker:
    """Fits `Chunker`. Every section is chunked separately, at block boundaries, into chunks near the target size.

    Exceptions, all to improve what is found:

    - Consecutive sections below the preferred minimum share a chunk up to the target, as long as all are inside the
      section around the first: twenty headings with a line each are not twenty chunks.
    - A heading without text is kept with the next section, or with the previous one if none follows.
    - Front matter is omitted, because its fields are indexed by name; unless there is nothing else.

    A chunk belongs to the section it starts in, or past bare headings as long as one later section contains all the
    rest: `## Examples` followed by `### Fetching`, in one chunk, belongs to Fetching, but to Examples if it contains
    two such subsections.
    """

    version = "sections-1"

    def __init__(self, sizes: ChunkSizes, counter: TokenCounter) -> None:
        self._sizes = sizes
        self._counter = counter

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        sizes = self._sizes
        blocks = [block for block in document.blocks if block[0] is not _FRONT_MATTER]
        text_pieces = pieces(document.text, blocks or document.blocks, sizes, self._counter)
        texts = section_texts(document.sections, text_pieces, sizes.max_heading_depth)
        builder = ChunkBuilder(document)
        for members in self._groups(texts, text_pieces, document.breaks):
            for first, last, start, tokens in pack(
                text_pieces, members[0].first, members[-1].last, sizes, self._counter
            ):
                # A piece may be blank, of control characters for example.
                if span := builder.trimmed(start, text_pieces.all[last - 1].end):
                    section = owner(members, first, last)
                    builder.add(span, section, tokens, _content_type(text_pieces.all[first:last]))
        return tuple(builder.chunks)

    def _groups(
        self, texts: list[SectionPieces], text_pieces: Pieces, breaks: Sequence[int]
    ) -> Iterator[list[SectionPieces]]:
        for page in split_at(texts, text_pieces, breaks) if breaks else (texts,):
            for group in grouped(page, self._sizes):
                yield page[group.first : group.last]


def _content_type(run: Sequence[Piece]) -> ContentType:
    """Code or table if more than half of the characters are."""
    code = table = total = 0
    for start, end, _, _, kind, _ in run:
        total += end - start
        if kind is _FENCE or kind is _CODE:
            code += end - start
        elif kind is _TABLE:
            table += end - start
    if code * 2 > total:
        return ContentType.CODE
    return ContentType.TABLE if table * 2 > total else _PROSE
