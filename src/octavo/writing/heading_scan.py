"""The headings of a large Markdown text, found without reading most of its lines.

At the start of a line `# ` is a heading unless a fence or an HTML block is open: it ends every paragraph, quote and
list. So between two such lines the block rules matter only where something stands that can open one of these, or be a
heading of another form. Those stretches are scanned by the block rules; of the rest only headings are read.
"""

from __future__ import annotations

import re

from octavo.parsing.markdown.blocks import scan
from octavo.parsing.markdown.grammar import HTML_END, HTML_START, fence_closing
from octavo.parsing.markdown.structure import Heading, atx_heading

# A heading, or a fence at the margin; with neither group, what needs a closer look.
_LINE = (
    r"(?:(\#{1,6})(?=[ \t\n])|(`{3,}+)(?=[^`\n]*+\n)"
    r"|(?:`{3}|~{3}|<|(?:=++|-++)[ \t]*+\n|[ ]{1,3}(?:\#|`{3}|~{3}|<|=|-++[ \t]*+\n)))"
)
_FIRST_LINE = re.compile(_LINE)
_NEXT_LINE = re.compile(r"\n" + _LINE)  # a literal in front, which the search skips to
_NEXT_HEADING = re.compile(r"\n\#{1,6}(?=[ \t\n])")
_BLANK = re.compile(r"\n[ \t]*\n")
_LONE_TAG = 7  # the kind of HTML block that cannot interrupt a paragraph


def heading_scan(source: str, start: int) -> list[Heading]:
    """The same headings that the block rules find from `start` on, which is the beginning of a line."""
    text = source if source.endswith("\n") else source + "\n"
    found: list[Heading] = []
    clean = pos = start  # a block begins at `clean`, and none is open there
    told = _FIRST_LINE.match(text, start) or _NEXT_LINE.search(text, pos)
    while told is not None:
        at = told.start() if text[told.start()] != "\n" else told.start() + 1
        kind = told.lastindex
        if kind == 1:
            end = text.find("\n", at) + 1
            found.append(atx_heading(text, at, end))
            clean, pos = at, end - 1
        elif kind == 2:
            closing = fence_closing("`", len(told[2])).search(text, told.end())
            pos = closing.end() - 1 if closing else len(text)
        elif text[at] in "-=" and text.startswith("\n\n", at - 2):
            pos = at  # below an empty line it underlines nothing
        elif text[at] == "<" and (behind := _html_end(text, at)):
            pos = behind - 1
        else:
            while found and found[-1].start >= clean:
                found.pop()
            stretch, pos = _judged(text, clean, at)
            found += stretch
            clean = found[-1].start if found else clean
        told = _NEXT_LINE.search(text, pos)
    if found and found[-1].end > len(source):
        found[-1] = found[-1]._replace(end=len(source))
    return found


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


def _judged(text: str, clean: int, at: int) -> tuple[list[Heading], int]:
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
