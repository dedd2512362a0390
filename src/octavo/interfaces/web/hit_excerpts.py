"""The part of a passage that a hit shows: whole sentences, items or rows that answer most of the query, rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from octavo.answering.sentence_splitting import sentences
from octavo.interfaces.presenting.excerpt_selection_and_wrapping import unheaded, without_link_end
from octavo.interfaces.presenting.match_highlighting import Highlight, MarksOf
from octavo.interfaces.web.document_addresses import DocumentPlace
from octavo.interfaces.web.markdown_to_html import passage, set_apart
from octavo.lazy_regex import regex
from octavo.model.normalised_text_and_spans import Span

_ROOM = 420  # characters of prose that a hit shows
_LINES = 8  # of source
_LEAD = 200  # characters before the first word that answers: a telephone shows little more
_BLOCK = regex(r"[ \t]*(?:[-*+]|\d{1,3}[.)]|>|\||#{1,6})(?:[ \t]|$)|[ \t]*\|")
_PIECE = regex(r"\S(?:.{0,150}\S)?(?=\s|$)|\S+", re.DOTALL)
_FENCE = regex(r"[ \t]*(?:```|~~~)")
_TABLE = regex(r"[ \t]*\|")
_RULE = regex(r"[ \t]*\|[\s|:-]+\|[ \t]*")


def excerpt(
    text: str, place: DocumentPlace, mark: MarksOf, *, titles: Sequence[str] = (), first_line: int = 0
) -> Markup:
    """The sentences of a passage that answer most of the query, as they read in the document.

    Its beginning is left out where it says again what stands above: front matter, and headings that are `titles`.
    """
    text = without_link_end(unheaded(text, first_line, titles))
    highlights = mark(text)
    units = list(_units(text))
    first, last = _best(units, highlights, _ROOM)
    inside = [spot.start for spot in highlights if units[first].start <= spot.start < units[last].end]
    while first < last and inside and min(inside) - units[first].start > _LEAD:
        first += 1
    last = _reach(units, first, _ROOM, 1)
    start, end = (units[first].start, units[last].end) if units else (0, len(text))
    shown = text[start:end]
    if _TABLE.match(shown) and (header := _header(text[:start])):
        shown = f"{header}\n{shown}"
    if end < len(text.rstrip()):
        shown += " …"
    if start and not (_BLOCK.match(shown) or _FENCE.match(shown)):
        shown = f"… {shown}"
    return passage(shown, place, marked_words(text, highlights))


def source_excerpt(text: str, mark: MarksOf) -> Markup:
    """The lines of code, configuration or a commit that answer most of the query."""
    highlights = mark(text)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines = [Span(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    last = min(len(lines), _LINES)
    first, _ = _best(lines, highlights, 0, _LINES)
    first = min(first, len(lines) - last)
    start, end = lines[first].start, lines[first + last - 1].end
    shown = set_apart(text[start:end].strip("\n"), marked_words(text, highlights))
    return Markup("…\n" if start else "") + shown + ("\n…" if text[end:].strip() else "")


def marked_words(text: str, highlights: Sequence[Highlight]) -> re.Pattern[str] | None:
    """The words of a text that answer, as a pattern with one group; None where there are none."""
    words = sorted({text[spot.start : spot.end] for spot in highlights}, key=lambda word: (-len(word), word))
    if not words:
        return None
    return re.compile("(" + "|".join(_bounded(word) for word in words) + ")")


def _bounded(word: str) -> str:
    """Not within a longer word; scripts without spaces have no such bounds."""
    if max(word) >= "\u2e80":
        return re.escape(word)
    return rf"(?<!\w){re.escape(word)}(?!\w)"


def _units(text: str) -> Iterator[Span]:
    """What is shown whole or not at all: sentences of prose; items, rows and quoted lines; code in its fence."""
    at, prose, fence = 0, -1, -1
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        alone = fence >= 0 or not line.strip() or _FENCE.match(line) or _BLOCK.match(line)
        if alone and prose >= 0:
            yield from _sentences(text, prose, start)
            prose = -1
        if _FENCE.match(line):
            if fence >= 0:
                yield Span(fence, at)
                fence = -1
            else:
                fence = start
        elif alone and fence < 0 and line.strip():
            yield Span(start, start + len(line.rstrip()))
        elif not alone and prose < 0:
            prose = start
    if fence >= 0:
        yield Span(fence, at)
    if prose >= 0:
        yield from _sentences(text, prose, at)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    for span in [sentence.span for sentence in sentences(text[start:end], start)] or [Span(start, end)]:
        if span.end - span.start <= _ROOM:
            yield span
        else:  # a list or a table without its signs
            yield from (Span(*piece.span()) for piece in _PIECE.finditer(text, span.start, span.end))


def _best(units: Sequence[Span], highlights: Sequence[Highlight], room: int, most: int = 1) -> tuple[int, int]:
    """The first and the last of the neighbours that fit and answer most of the query: from the beginning where that
    does, else from the sentence that answers.

    As many as fit into `room` characters, and at least `most` of them.
    """
    best, best_value = (0, _reach(units, 0, room, most)), -1
    for first in range(len(units)):
        last = _reach(units, first, room, most)
        inside = [spot for spot in highlights if units[first].start <= spot.start < units[last].end]
        value = len({token for spot in inside for token in spot.tokens}) * 100 + len(inside)
        if value > best_value or (value == best_value and best[0]):
            best, best_value = (first, last), value
    return best


def _reach(units: Sequence[Span], first: int, room: int, most: int) -> int:
    last = first
    while last + 1 < len(units) and (last + 1 - first < most or units[last + 1].end - units[first].start <= room):
        last += 1
    return last


def _header(before: str) -> str:
    """The header of the table whose rows go on after `before`."""
    rows: list[str] = []
    for line in reversed(before.rstrip("\n").split("\n")):
        if not _TABLE.match(line):
            break
        rows.append(line)
    return "\n".join(rows[:-3:-1]) if len(rows) > 1 and _RULE.fullmatch(rows[-2]) else ""
