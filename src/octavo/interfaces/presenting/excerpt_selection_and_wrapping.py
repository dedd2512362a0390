"""Which few lines of an excerpt to show, wrapped and marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from octavo.interfaces.presenting.match_highlighting import Highlight, marked
from octavo.lazy_regex import regex
from octavo.operations.styled_answer_lines import Line, Part, cells, character_cells, visible

# A line this long did not end where its author wanted a line to end, unless it has a form of its own.
_RUNNING = 40
_PROSE = regex(r"(?!\d+[.)]\s)[\w(\[\"'“‘*_`](?![-*+_]*\s)|\w\s")
_FRONT_MATTER = regex(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_HEADING = regex(r"\s*#{1,6}[ \t]+(?P<title>[^\n]*?)[ \t]*(?:\n|$)")
_LINK_END = regex(r"\A(?:[^\[\]\n|]{0,200}\|)?([^\[\]\n|]{1,200})\](?:\]|\([^()\n]{0,500}\))")
_SAYS_NOTHING = regex(r"\s*|[ \t]*\|?[ \t]*:?-{3,}:?[ \t|:-]*")  # blank, a rule, or below the head of a table
_SENTENCE_END = regex(r"[.!?][\"'”’)\]*_]*\s+(?=[^a-z\s])|[。！？][」』”’）]*|\n")
_FORMED = regex(r"\s{4}|\s*(?:[#|]|```|~~~)")
_WORD = regex(r"\S+")
_HANGING = regex(r"[ >]*(?:(?:[-*+]|\d{1,3}[.)]) +(?:\[.\] +)?)?")


def excerpt(
    text: str, highlights: Sequence[Highlight], width: int, most: int | None, *, headed: bool = False
) -> Iterator[Line]:
    """The excerpt wrapped and marked: the `most` lines around its best match, or all of it.

    What is `headed` opens with what it is, as code does with a declaration: its first lines, where they answer as well.
    """
    lines = [
        line for line in wrapped(text, width) if most is None or not _SAYS_NOTHING.fullmatch(text, line.start, line.end)
    ]
    first = 0 if most is None else _best(text, lines, highlights, most, headed)
    if most is not None and first and (begin := _opening(text, lines[first], highlights, width * (most - 1))):
        after = [Wrapped(line.start + begin, line.end + begin, line.indent) for line in wrapped(text[begin:], width)]
        lines = [*lines[:first], *(line for line in after if not _SAYS_NOTHING.fullmatch(text, line.start, line.end))]
    last = len(lines) if most is None else min(len(lines), first + most)
    for index, line in enumerate(lines[first:last], first):
        parts = [Part(" " * line.indent), *marked(text[line.start : line.end], highlights, line.start)]
        if index == last - 1 and last < len(lines):
            parts.append(Part(" …", "dim"))
        yield tuple(parts)


def _best(text: str, lines: Sequence[Wrapped], highlights: Sequence[Highlight], most: int, headed: bool) -> int:
    """The first line of the window that answers most of the query.

    Of several, one that opens where a line of the text does, then the one with most marks, then one that leads in with
    one line.
    """
    inside = [[mark for mark in highlights if line.start <= mark.start < line.end] for line in lines]
    best, best_value = 0, (0, False, False, 0, 0)
    for first in range(max(1, len(lines) - most + 1)):
        window = inside[first : first + most]
        here = [mark for line in window for mark in line]
        lead = next((index for index, line in enumerate(window) if line), 0)
        opens = not lines or text[lines[first].start - 1 : lines[first].start] in ("", "\n")
        answered = len({token for mark in here for token in mark.tokens})
        value = (answered, headed and first == 0, opens, len(here), -abs(lead - 1))
        if here and value > best_value:
            best, best_value = first, value
    return best


def _opening(text: str, line: Wrapped, highlights: Sequence[Highlight], room: int) -> int:
    """Where the sentence begins that the first match from this line on stands in; 0 where the line begins as in the
    text, or where the match would not be seen."""
    if text[line.start - 1] == "\n":
        return 0
    match = min((mark.start for mark in highlights if mark.start >= line.start), default=line.start)
    begin = max((end.end() for end in _SENTENCE_END.finditer(text, 0, match + 2) if end.end() <= match), default=0)
    return begin if match - begin <= room else 0


def without_link_end(text: str) -> str:
    """A passage that begins within a link, with the words of that link and without the signs of its end.

    >>> without_link_end("types|property type]] to change it"), without_link_end("text](page.md) shows [[it]]")
    ('property type to change it', 'text shows [[it]]')
    """
    return _LINK_END.sub(r"\1", text, count=1)


def unheaded(text: str, first_line: int, titles: Sequence[str]) -> str:
    """The text from where it says something new: after front matter, and after headings shown above it."""
    whole = text
    if first_line == 1 and (front := _FRONT_MATTER.match(text)):
        text = text[front.end() :]
    while (heading := _HEADING.match(text)) and heading["title"] in titles:
        text = text[heading.end() :]
    return text if text.strip() else whole


def flattened(text: str) -> str:
    """An excerpt as it is shown: tabs as spaces, what a terminal would obey written out, line ends kept."""
    return visible(text.expandtabs(4), keep="\n").rstrip("\n")


def reflowed(text: str) -> str:
    """Lines of running text joined, so that they can be wrapped anew; everything with a form of its own is left."""
    joined: list[str] = []
    running = fenced = False
    for line in text.split("\n"):
        continues = running and _PROSE.match(line.lstrip()) is not None
        if continues:
            joined[-1] += " " + line.lstrip()
        else:
            joined.append(line)
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        running = not fenced and len(line) >= _RUNNING and (continues or _FORMED.match(line) is None)
    return "\n".join(joined)


class Wrapped(NamedTuple):
    """One line of a wrapped text: where it starts and ends, and how far in it hangs below a list's marker."""

    start: int
    end: int
    indent: int = 0


def wrapped(text: str, width: int) -> Iterator[Wrapped]:
    """Indentation stays; words too long for a line are cut; what continues a list item is indented like it."""
    start = 0
    for source in text.split("\n"):
        for first, last, indent in _wrapped_line(source, max(2, width)):
            yield Wrapped(start + first, start + last, indent)
        start += len(source) + 1


def _wrapped_line(source: str, width: int) -> Iterator[Wrapped]:
    marker = _HANGING.match(source)
    hanging = cells(marker[0]) if marker else 0
    if hanging > min(width // 2, width - 2):
        hanging = 0  # a wide character must still fit beside it
    first = last = indent = 0
    for word in _WORD.finditer(source):
        if indent + cells(source[first : word.end()]) > width:
            if last > first:
                yield Wrapped(first, last, indent)
                first, indent = word.start(), hanging
            while indent + cells(source[first : word.end()]) > width:
                cut = _fitting(source, first, word.end(), width - indent)
                yield Wrapped(first, cut, indent)
                first, indent = cut, hanging
        last = word.end()
    yield Wrapped(first, max(first, last), indent)


def _fitting(source: str, first: int, last: int, width: int) -> int:
    used = 0
    for index in range(first, last):
        used += character_cells(source[index])
        if used > width:
            return max(index, first + 1)
    return last
