"""From the lines of PDF pages to paragraphs: repeated heads and feet, hyphens at line ends, headings by their size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import count, pairwise
from statistics import median

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex

_DIGITS = regex(r"\d+|\b[ivxlc]{1,6}\b", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_BULLET = regex(r"^\s*(?:[•●▪■◦‣∙·–—\uf0b7\uf0a7o]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s)")
_CONJUNCTIONS = "and or und oder et ou y e o to bis"
_SUSPENDING = frozenset(_CONJUNCTIONS.split())  # "Word- and Excel-based" keeps its hyphen
_WORD = regex(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = regex(r"([^\W\d_]+)[-\u2010\u00ad\ufffe\x02]$")
_CONTINUED = regex(r"([^\W\d_]+)(\S*)[ \t]*")
_JOINED = regex(r"([^\W\d_]+)[\ufffe\x02]([^\W\d_]+)")
_HYPHENS = str.maketrans("\ufffe\x02", "--")
_MARGIN_LINES = 3
_REPEATED = 0.3  # of the pages: what stands at the edge of so many is no text of theirs, alternating or not
_SHORTEST = 3  # pages: in fewer, nothing is repeated enough to tell
_TITLE_LINES = 3
_LAST_WORDS = "a an and as at by for from how in into of on or that the this to when where which who with"
_GOES_ON = frozenset(_LAST_WORDS.split())
_CONTENTS = frozenset({"contents", "tableofcontents", "inhalt", "inhaltsverzeichnis", "sommaire", "índice", "indice"})
_LISTED = 3  # titles below "Contents" on its page that are listed there and do not stand there
_NUMBERED = regex(r"^(?:§+ ?\d|\d{1,3}(?:\.\d{1,3})*[.)]? +[^\W\d_]|(?:[A-Z]|[IVX]{1,5})[.)] +[^\W\d_])")
_NUMBERING = "§0123456789.) "
_HYPHENATED = regex(r"(?<=[^\W\d_])- (?=[a-z])")  # where two lines of a title meet
_DEPTH = regex(r"^\d+(?:\.\d+)*")
_LISTED_WITH_PAGE = regex(r"\.{3,}|[^.]\s\d+$|\(cont", re.IGNORECASE)
_LEADER = "...."  # between a title and its page
_CONTENTS_ENTRY = regex(r"([^.]{1,200}(?:\.[^.]{1,200}){0,9}?)\.{4,}\s*\d+$")
_CAPTION = regex(r"^(?:fig|figure|table|abb|abbildung|tabelle|tableau)\.?\s*\d", re.IGNORECASE)
_ITEM_SIGN = regex(r"^[•●▪■◦‣∙·–—\uf0b7\uf0a7]\s")
_FORMULA = regex("[=<>≤≥≠≈∈∑∫∂√]|(?:[\U0001d400-\U0001d7ff].*){3}")
_TWO_SENTENCES = regex(r"[a-z]{3}[.?!] \S+(?: \S+){4}")  # a question with its answer, or the end of a paragraph
_MOST_BOLD = 0.25  # of the text: where more is bold, it means something else
_GAP = 1.35  # of the usual distance between lines: a wider one ends a paragraph


@dataclass(slots=True)
class Line:
    """A line as the page has it: its text, where its first character stands, and how tall that is.

    Where it stands is told as its reader sees it: of a line that runs up the page, `left` counts from the page's foot.
    """

    text: str
    left: float = 0.0
    bottom: float = 0.0
    height: float = 0.0
    turned: int = 0
    """Quarter turns, counterclockwise, of the direction in which it runs."""
    level: int = 0
    """Of the heading it is, if it is one."""
    bold: bool = False
    running: bool = False
    """Whether it is the first of a running head or foot, which stays and is no heading."""


@dataclass(slots=True)
class Page:
    """The lines of one page, in the order in which they are read."""

    lines: list[Line] = field(default_factory=list)
    top: float = 0.0
    links: list[str] = field(default_factory=list)
    """Addresses that places on it lead to."""
    beside: list[str] = field(default_factory=list)
    """What is filled into its forms, and notes that are pinned to it."""


def key(text: str) -> str:
    """What two spellings of one line share: letters and digits."""
    return "".join(filter(str.isalnum, text)).casefold()


def drop_repeated(pages: Sequence[Page]) -> None:
    """Running heads, feet and page numbers go, except where they stand first.

    Lines are repeated if they differ in numbers alone. Of those numbers, the ones that count pages mean nothing;
    another one, as of a chapter or an exhibit, makes another line, whose first occurrence stays as well.
    """
    if len(pages) < _SHORTEST:
        return
    edges = [_edge_lines(page) for page in pages]
    places: dict[str, dict[int, str]] = {}
    for at, lines in enumerate(edges):
        for line in lines:
            places.setdefault(_running(line.text), {}).setdefault(at, line.text)
    least = max(min(3, len(pages) - 1), round(len(pages) * _REPEATED))
    counting = {text: _page_numbers(where) for text, where in places.items() if len(where) >= least}
    seen: set[str] = set()
    for page, lines in zip(pages, edges, strict=True):
        gone = set()
        for line in lines:
            text = _running(line.text)
            if text in counting:
                told = _without_numbers(line.text, counting[text])
                if told in seen or not any(map(str.isalpha, told)):
                    gone.add(id(line))
                seen.add(told)
                line.running = True
        page.lines = [line for line in page.lines if id(line) not in gone]


def _page_numbers(where: Mapping[int, str]) -> frozenset[int]:
    """Which numbers of a repeated line go up with its page: the first, the second…"""
    numbers = {at: [_value(number) for number in _DIGITS.findall(text)] for at, text in where.items()}
    columns = min(map(len, numbers.values()), default=0)
    return frozenset(
        column
        for column in range(columns)
        if Counter(row[column] - at for at, row in numbers.items()).most_common(1)[0][1] * 2 > len(numbers)
        and len({row[column] for row in numbers.values()}) > 1
    )


def _value(number: str) -> int:
    """Of a page's number in digits or in Roman numerals.

    >>> _value("12"), _value("xiv")
    (12, 14)
    """
    if number[0].isdigit():
        return int(number[-9:])
    values = [_ROMAN[letter] for letter in number.casefold()]
    return sum(-value if value < following else value for value, following in pairwise([*values, 0]))


def _without_numbers(text: str, columns: frozenset[int]) -> str:
    numbers = count()
    return _DIGITS.sub(lambda match: "#" if next(numbers) in columns else match[0], " ".join(text.casefold().split()))


def _edge_lines(page: Page) -> list[Line]:
    lines = sorted(page.lines, key=lambda line: (line.turned, -line.bottom))
    if len(lines) <= 2 * _MARGIN_LINES:
        return list(lines)
    return [*lines[:_MARGIN_LINES], *lines[-_MARGIN_LINES:]]


def _running(text: str) -> str:
    """A line without what changes from page to page."""
    return _DIGITS.sub("#", " ".join(text.casefold().split()))[:150]


def join_fractions(pages: Sequence[Page]) -> None:
    """A raised numerator ends a line for PDFium: what follows its fraction slash belongs to the same line."""
    for page in pages:
        joined: list[Line] = []
        for line in page.lines:
            if joined and line.text.startswith("⁄") and joined[-1].text[-1:].isdigit():
                joined[-1].text += line.text
            else:
                joined.append(line)
        page.lines = joined


def join_hyphens(pages: Sequence[Page]) -> None:
    """Words cut at a line's end are put together, with their hyphen where the document writes it elsewhere."""
    words = {word.casefold() for page in pages for line in page.lines for word in _WORD.findall(line.text)}
    for page in pages:
        lines = page.lines
        for line, following in pairwise(lines):
            broken = _BROKEN.search(line.text)
            rest = _CONTINUED.match(following.text) if broken else None
            if broken is None or rest is None or not rest[1][0].islower() or rest[1] in _SUSPENDING:
                continue
            hyphenated, joined = f"{broken[1]}-{rest[1]}", broken[1] + rest[1]
            keeps = hyphenated.casefold() in words and joined.casefold() not in words
            line.text = line.text[: broken.start()] + (hyphenated if keeps else joined) + rest[2]
            following.text = following.text[rest.end() :]
        page.lines = [line for line in lines if line.text.strip()]
        for line in page.lines:
            if "\ufffe" in line.text or "\x02" in line.text:
                line.text = _JOINED.sub(lambda match: _whole_word(match, words), line.text).translate(_HYPHENS)


def _whole_word(match: re.Match[str], words: set[str]) -> str:
    """A word that the page breaks at a line's end, which PDFium has put together with a mark in place of the hyphen."""
    if match[2] in _SUSPENDING:
        return f"{match[1]}- {match[2]}"
    hyphenated, joined = f"{match[1]}-{match[2]}", match[1] + match[2]
    keeps = hyphenated.casefold() in words and joined.casefold() not in words
    return hyphenated if keeps or not match[2][0].islower() else joined


def paragraphs(page: Page) -> Iterable[list[Line]]:
    """Lines that belong together: a wide gap, another size, the next column or a list item begins others."""
    lines = page.lines
    steps = [
        above.bottom - below.bottom
        for above, below in pairwise(lines)
        if above.bottom > below.bottom and above.turned == below.turned
    ]
    usual = median(steps) if steps else 0.0
    together: list[Line] = []
    for line in lines:
        if together and _begins(together[-1], line, usual):
            yield together
            together = []
        together.append(line)
    if together:
        yield together


def _begins(above: Line, line: Line, usual: float) -> bool:
    if above.level or line.level or above.turned != line.turned:
        return True
    step = above.bottom - line.bottom
    if abs(step) < 1.0:
        return False
    taller = max(above.height, line.height) > 1.25 * min(above.height, line.height) > 0
    return step < 0 or step > _GAP * max(usual, line.height * 0.9) or taller or _BULLET.match(line.text) is not None


def mark_headings(pages: Sequence[Page]) -> None:
    """Headings by size, where the text has one usual size and few, short lines are clearly taller."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.height * 2) / 2] += len(line.text)
    if not sizes:
        return
    body, characters = sizes.most_common(1)[0]
    if characters < 0.4 * sizes.total() or body <= 0:
        return
    candidates = [line for page in pages for line in _without_contents(list(_standing_alone(page, body)))]
    if len(candidates) > 4 * len(pages) + 4:
        return
    tall = sorted({round(line.height) for line in candidates}, reverse=True)
    for line in candidates:
        line.level = min(tall.index(round(line.height)) + 1, 4)


def mark_bold_headings(pages: Sequence[Page]) -> None:
    """Bold lines that stand alone and begin with a number, where little else is bold: size says nothing of these."""
    lines = [line for page in pages for line in page.lines]
    if sum(len(line.text) for line in lines if line.bold) > _MOST_BOLD * sum(len(line.text) for line in lines):
        return
    above = max((line.level for line in lines), default=0)
    for page in pages:
        for title in _bold_titles(page):
            title.level = min(above + 1 + _depth(title.text), 6)


def mark_listed_headings(pages: Sequence[Page]) -> None:
    """Lines that the printed table of contents lists, number and all, where neither size nor weight tells it."""
    lines = [line for page in pages for line in page.lines]
    entries = (_CONTENTS_ENTRY.match(line.text) for line in lines if _LEADER in line.text)
    listed = {key(entry[1]) for entry in entries if entry is not None and _NUMBERED.match(entry[1])}
    if not listed:
        return
    levels = {_depth(line.text): line.level for line in lines if line.level and key(line.text) in listed}
    for line in lines:
        if not line.level and not line.running and key(line.text) in listed:
            depth = _depth(line.text)
            known = max((below for below in levels if below <= depth), default=-1)
            line.level = min(levels.get(known, 1) + depth - known, 6)


def _depth(title: str) -> int:
    """How many parts of a title's number follow the first: 2 of `2.3.1 Boolean objects`."""
    depth = _DEPTH.match(title)
    return depth[0].count(".") if depth else 0


def _bold_titles(page: Page) -> Iterable[Line]:
    runs: list[list[Line]] = []
    for line in page.lines:
        if not line.bold or line.level or line.running:
            runs.append([])
        elif runs and runs[-1] and not _NUMBERED.match(line.text) and _is_continued(runs[-1][-1], line):
            runs[-1].append(line)
        else:
            runs.append([line])
    for run, following in pairwise([*runs, []]):
        title = _HYPHENATED.sub("", " ".join(line.text.strip() for line in run))
        if not 0 < len(run) <= _TITLE_LINES or following or not _NUMBERED.match(title):
            continue
        if not _LISTED_WITH_PAGE.search(title) and _may_be_heading(title.lstrip(_NUMBERING).rstrip(".")):
            run[0].text = title
            for line in run[1:]:
                line.text = ""
            yield run[0]
    page.lines = [line for line in page.lines if line.text]


def _without_contents(titles: list[Line]) -> list[Line]:
    """Titles of a page; those that a table of contents lists are no headings, and its own is."""
    for at, title in enumerate(titles):
        if key(title.text) in _CONTENTS and len(titles) - at > _LISTED:
            return titles[: at + 1]
    return titles


def _standing_alone(page: Page, body: float) -> Iterable[Line]:
    """Tall lines that make a title, of which a page may break one over three; a longer run is a quotation."""
    runs: list[list[Line]] = []
    for line in page.lines:
        if line.height < 1.18 * body or line.running:
            runs.append([])
        elif runs and runs[-1] and _is_continued(runs[-1][-1], line):
            runs[-1].append(line)
        else:
            runs.append([line])
    lines = []
    for run in runs:
        title = " ".join(line.text.strip() for line in run)
        if 0 < len(run) <= _TITLE_LINES and _may_be_heading(title):
            run[0].text = title
            for line in run[1:]:
                line.text = ""
            lines.append(run[0])
    page.lines = [line for line in page.lines if line.text]
    return lines


def _is_continued(first: Line, second: Line) -> bool:
    """Whether two tall lines are one title."""
    alike = round(first.height) == round(second.height) and first.turned == second.turned
    return alike and 0 < first.bottom - second.bottom < 2 * first.height


def _may_be_heading(text: str) -> bool:
    """No fragment of a sentence, no item, caption or formula: it begins like a title and does not end like a clause."""
    text = text.strip()
    if any(pattern.search(text) for pattern in (_ITEM_SIGN, _CAPTION, _FORMULA, _TWO_SENTENCES)):
        return False
    letters = sum(map(str.isalpha, text))
    if not letters >= 3 or len(text) > 160 or letters * 2 < len(text.replace(" ", "")):
        return False
    first, words = next(filter(str.isalnum, text), ""), text.split()
    ends = text[-1] not in ".,;:-–—" and words[-1].casefold() not in _GOES_ON
    return not first.islower() and ends and len(words) <= 20
