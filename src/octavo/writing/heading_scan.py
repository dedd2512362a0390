"""The headings of a large Markdown text, found without reading most of its lines.

At the start of a line `# ` is a heading unless a fence or an HTML block is open: it ends every paragraph, quote and
list. So between two such lines the block rules matter only where something stands that can open one of these, or be a
heading of another form. Those stretches are scanned by the block rules; of the rest only headings are read. Which lines
these are is seen from their first characters, in all lines at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.dataclass import dataclass
from octavo.parsing.markdown.blocks import scan
from octavo.parsing.markdown.grammar import HTML_END, HTML_START, fence_closing
from octavo.parsing.markdown.structure import Heading, atx_heading

# A heading with its text, or a fence at the margin; with neither group, what needs a closer look.
_LINE = re.compile(
    r"(?:(\#{1,6})(?:[ \t]++([^\n]*+))?(?=\n)|(`{3,}+)(?=[^`\n]*+\n)"
    r"|(?:`{3}|~{3}|<|(?:=++|-++)[ \t]*+\n|[ ]{1,3}(?:\#|`{3}|~{3}|<|=|-++[ \t]*+\n)))"
)
_HEADING_TEXT, _FENCE = 2, 3
_NEXT_HEADING = re.compile(r"\n\#{1,6}(?=[ \t\n])")
_BLANK = re.compile(r"\n[ \t]*\n")
# In a list item or at the margin: all its lines are indented as far, or blank, so neither reading finds a heading.
_INDENTED_FENCE = re.compile(
    r"([ ]{1,3})```(?!`)[^`\n]*+\n(?:(?!\1[ ]{0,2}```)(?:\1[^\n]*+|[ \t]*+)\n){0,2000}\1`{3,}+[ \t]*+(?=\n)"
)
_SHORTEST = 3  # backticks of a fence
_LONE_TAG = 7  # the kind of HTML block that cannot interrupt a paragraph

_BLOCK = 1 << 20  # characters whose lines are looked at together: with what is made of them, a part of the cache
_DEEPEST, _DEEPEST_INDENT = 6, 3
_NEWLINE, _SPACE, _DASH, _HASH, _BACKTICK = map(ord, "\n -#`")
_THREE, _BACKTICKS, _FOURTH = np.uint64(0xFFFFFF), np.uint64(0x606060), np.uint64(24)
_BARE = 2
_BITS = np.uint64(8)  # of a character

_Places = NDArray[np.intp]
_Words = NDArray[np.uint64]


def _any_of(characters: bytes) -> NDArray[np.bool_]:
    return np.isin(np.arange(256), list(characters))


_BLANKS = _any_of(b" \t\n")
_TRIMMED = _any_of(b" \t#")  # at the end of a heading, what may not belong to it
_MARKS = _any_of(b"#`~<=-")
_INDENTED_MARKS = _any_of(b" #`~<=-")
_THRICE = _any_of(b"`~")  # marks that a fence has three of


@dataclass(frozen=True, slots=True)
class HeadingPlaces:
    """The headings of a text, by their numbers. `contents` has those that are not all that follows the first space of
    their line, by where they start."""

    levels: list[int]
    starts: list[int]
    ends: list[int]
    contents: dict[int, str]

    def content(self, number: int, text: str) -> str:
        start = self.starts[number]
        told = self.contents.get(start)
        return text[start + self.levels[number] + 1 : self.ends[number]].removesuffix("\n") if told is None else told


def heading_scan(source: str, start: int) -> list[Heading]:
    """The same headings that the block rules find from `start` on, which is the beginning of a line."""
    found = heading_places(source, start)
    numbers = range(len(found.starts))
    return [Heading(found.levels[n], found.starts[n], found.ends[n], found.content(n, source)) for n in numbers]


def heading_places(source: str, start: int) -> HeadingPlaces:
    text = source if source.endswith("\n") else source + "\n"
    lines = _telling_lines(text, start)
    judged = _Judged(start, [], [], [])
    pos = start - 1  # lines that begin behind it are still to be judged
    others, fences, hide_from, hide_to = lines.others, lines.fences, judged.firsts.append, judged.lasts.append
    for number, at in enumerate(others):
        if at <= pos:
            continue
        if fences[number] and fences[number + 1] == _BARE and (fences[number] == _BARE or _opens(text, at)):
            pos = others[number + 1] + _SHORTEST
            hide_from(at)
            hide_to(pos)
            continue
        told = _LINE.match(text, at)
        if told is None:
            continue
        kind = told.lastindex
        if kind and kind <= _HEADING_TEXT:
            judged.headings.append(atx_heading(text, at, told.end() + 1))
            continue
        if kind == _FENCE:
            pos = judged.hide(at, _fence_end(text, told.end(), len(told[_FENCE])))
        elif text[at] in "-=" and text.startswith("\n\n", at - 2):
            continue  # below an empty line it underlines nothing
        elif text[at] == "<" and (behind := _html_end(text, at)):
            pos = judged.hide(at, behind - 1)
        elif fenced := _INDENTED_FENCE.match(text, at):
            pos = judged.hide(at, fenced.end())
        else:
            clean = judged.last_heading(lines.starts, at)
            stretch, pos = _judged_by_blocks(text, clean, at)
            judged.replace(clean, pos, stretch)
    return _together(lines, judged, len(source))


class _TellingLines(NamedTuple):
    """The lines that may be a heading or open a fence or an HTML block.

    Certain to be a heading if no block is open, of that level, its text all that follows the first space, are those at
    `starts`; what the `others` are must be looked at. `fences` says which of these begin with three backticks at the
    margin and not four, and which are nothing else, with a last one that does not.
    """

    levels: _Places
    starts: _Places
    ends: _Places
    others: list[int]
    fences: list[int]


class _Judged(NamedTuple):
    """What lines that had to be looked at turned out to be: headings, and stretches `first` to `last` in which no other
    line is one. Both in their order."""

    start: int
    headings: list[Heading]
    firsts: list[int]
    lasts: list[int]

    def last_heading(self, starts: _Places, at: int) -> int:
        """Where the last heading before a place begins, at which no block is open; the start if there is none."""
        known = self.headings[-1].start if self.headings else self.start
        number = int(np.searchsorted(starts, at)) - 1
        while number >= 0 and starts[number] > known:
            stretch = bisect_left(self.firsts, starts[number]) - 1
            if stretch < 0 or starts[number] > self.lasts[stretch]:
                return int(starts[number])
            number -= 1
        return known

    def hide(self, first: int, last: int) -> int:
        self.firsts.append(first)
        self.lasts.append(last)
        return last

    def replace(self, first: int, last: int, headings: list[Heading]) -> None:
        while self.headings and self.headings[-1].start >= first:
            self.headings.pop()
        while self.firsts and self.firsts[-1] >= first:
            self.firsts.pop()
            self.lasts.pop()
        self.headings.extend(headings)
        self.hide(first, last)


def _telling_lines(text: str, start: int) -> _TellingLines:
    levels, starts, ends = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    others: list[int] = []
    fences: list[int] = []
    while start < len(text):
        end = text.rfind("\n", start, start + _BLOCK) + 1 or text.index("\n", start) + 1
        found = _telling_lines_within(text[start:end])
        levels.append(found.levels)
        starts.append(found.starts + start)
        ends.append(found.ends + start)
        others += [at + start for at in found.others]
        fences += found.fences
        start = end
    return _TellingLines(np.concatenate(levels), np.concatenate(starts), np.concatenate(ends), others, [*fences, 0])


def _telling_lines_within(lines: str) -> _TellingLines:
    # A character that takes more than a byte is none of those looked for. Eight of them are one number: all that is
    # looked at on a line but its last character.
    codes = (lines + "\n" * 8).encode("latin-1", "replace")
    ends = np.flatnonzero(np.frombuffer(codes, np.uint8, len(lines)) == _NEWLINE) + 1
    starts = np.concatenate([np.zeros(1, np.intp), ends[:-1]])
    words: _Words = np.ndarray((len(lines),), "<u8", codes, strides=(1,))[starts]
    telling = _INDENTED_MARKS[_first(words)].nonzero()
    starts, ends, words = starts[telling], ends[telling], words[telling]
    mark = words
    for _ in range(_DEEPEST_INDENT):
        mark = np.where(_first(mark) == _SPACE, mark >> _BITS, mark)
    first, second, third = _first(mark), _first(mark >> _BITS), _first(mark >> (_BITS + _BITS))
    item = (first == _DASH) & (second == _SPACE) & ~_BLANKS[third]
    unfenced = _THRICE[first] & ((second != first) | (third != first))
    telling = (_MARKS[first] & ~item & ~unfenced).nonzero()
    starts, ends, words = starts[telling], ends[telling], words[telling]
    levels = _levels(words)
    levels[_TRIMMED[np.frombuffer(codes, np.uint8)[ends - 2]]] = 0
    plain, other = levels > 0, levels == 0
    words = words[other]
    fences = (words & _THREE == _BACKTICKS) * np.where(_first(words >> _FOURTH) == _NEWLINE, _BARE, 1)
    fences[_first(words >> _FOURTH) == _BACKTICK] = 0
    return _TellingLines(levels[plain], starts[plain], ends[plain], starts[other].tolist(), fences.tolist())


def _first(words: _Words) -> NDArray[np.uint8]:
    return words.astype(np.uint8)


def _levels(words: _Words) -> _Places:
    """How many hashes lines begin with, where one space and something else follow; else 0."""
    levels = np.zeros(len(words), np.intp)
    for depth in range(_DEEPEST):
        levels += (levels == depth) & (_first(words) == _HASH)
        words = np.where(levels > depth, words >> _BITS, words)
    levels[(_first(words) != _SPACE) | _BLANKS[_first(words >> _BITS)]] = 0
    return levels


def _together(lines: _TellingLines, judged: _Judged, size: int) -> HeadingPlaces:
    levels, starts, ends = lines.levels, lines.starts, lines.ends
    if judged.firsts:
        stretch = np.searchsorted(judged.firsts, starts, "right") - 1
        shown = (stretch < 0) | (starts > np.asarray(judged.lasts)[stretch])
        levels, starts, ends = levels[shown], starts[shown], ends[shown]
    if judged.headings:
        more = np.array([heading[:3] for heading in judged.headings], np.intp)
        order = np.argsort(np.concatenate([starts, more[:, 1]]))
        levels, starts, ends = (
            np.concatenate([those, more[:, column]])[order] for column, those in enumerate((levels, starts, ends))
        )
    contents = {heading.start: heading.content for heading in judged.headings}
    return HeadingPlaces(levels.tolist(), starts.tolist(), np.minimum(ends, size).tolist(), contents)


def _opens(text: str, at: int) -> bool:
    """Whether three backticks open a fence: none may follow on their line."""
    return text.find("`", at + _SHORTEST, text.index("\n", at)) < 0


def _fence_end(text: str, opened: int, length: int) -> int:
    """Where the line that closes a fence at the margin ends, before its newline; the end of the text if none does."""
    # Nearly always the next three backticks are the whole closing line.
    closing_line = text.find("```", opened)
    if length == _SHORTEST and text.startswith("\n```\n", closing_line - 1):
        return closing_line + _SHORTEST
    closing = fence_closing("`", length).search(text, opened)
    return closing.end() - 1 if closing else len(text)


def _html_end(text: str, at: int) -> int:
    """Where the HTML block at the margin ends, or the line if it begins none; 0 where only the block rules can say."""
    opening = HTML_START.match(text, at)
    if opening is None:
        return text.index("\n", at) + 1
    kind = opening.lastindex or 0
    if kind == _LONE_TAG and not text.startswith("\n\n", at - 2):
        return 0  # it goes on with a paragraph, if one is open
    closing = HTML_END.get(kind, _BLANK).search(text, at)
    if closing is None:
        return len(text)
    return text.index("\n", closing.end() - 1) + 1 if kind in HTML_END else closing.start() + 1


def _judged_by_blocks(text: str, clean: int, at: int) -> tuple[list[Heading], int]:
    """The headings from `clean` to the first line behind `at` that the block rules call a heading at the margin, and
    where to go on: at the end of that line, where no block is open."""
    behind, reach = at, 1
    while True:
        for _ in range(reach):
            following = _NEXT_HEADING.search(text, behind)
            behind = following.end() if following else len(text)
        end = text.find("\n", behind) + 1 or len(text)
        headings = [
            heading._replace(start=heading.start + clean, end=heading.end + clean)
            for heading in scan(text[clean:end]).headings
        ]
        last = headings[-1] if headings else None
        if behind >= len(text):
            return headings, len(text)
        if last is not None and last.end == end and text[last.start] == "#":
            return headings, end - 1
        reach *= 2
