"""The headings of a large Markdown text, found without reading most of its lines.

At the start of a line `# ` is a heading unless a fence or an HTML block is open: it ends every paragraph, quote and
list. So between two such lines the block rules matter only where something stands that can open one of these, or be a
heading of another form. Those stretches are scanned by the block rules; of the rest only headings are read.
"""

from __future__ import annotations

import re
from typing import TypeVar

from octavo.parsing.markdown.blocks import scan
from octavo.parsing.markdown.grammar import HTML_END, HTML_START, fence_closing
from octavo.parsing.markdown.structure import Heading, atx_heading

Found = TypeVar("Found", bound=tuple[int, int, int, str])

# A heading with its text, or a fence at the margin; with neither group, what needs a closer look.
_LINE = (
    r"(?=[\#`~<=\- ])(?:(\#{1,6})(?:[ \t]++([^\n]*+))?(?=\n)|(`{3,}+)(?=[^`\n]*+\n)"
    r"|(?:`{3}|~{3}|<|(?:=++|-++)[ \t]*+\n|[ ]{1,3}(?:\#|`{3}|~{3}|<|=|-++[ \t]*+\n)))"
)
_HEADING_TEXT, _FENCE = 2, 3
_FIRST_LINE = re.compile(_LINE)
_NEXT_LINE = re.compile(r"\n" + _LINE)  # a literal in front, which the search skips to
_NEXT_HEADING = re.compile(r"\n\#{1,6}(?=[ \t\n])")
_BLANK = re.compile(r"\n[ \t]*\n")
# In a list item or at the margin: all its lines are indented as far, or blank, so neither reading finds a heading.
_INDENTED_FENCE = re.compile(
    r"([ ]{1,3})```(?!`)[^`\n]*+\n(?:(?!\1[ ]{0,2}```)(?:\1[^\n]*+|[ \t]*+)\n){0,2000}\1`{3,}+[ \t]*+(?=\n)"
)
_SHORTEST = 3  # backticks of a fence
_TRIMMED = ("#", " ", "\t", "")  # at the end of a heading, what may not belong to it
_LONE_TAG = 7  # the kind of HTML block that cannot interrupt a paragraph


def heading_scan(source: str, start: int) -> list[Heading]:
    """The same headings that the block rules find from `start` on, which is the beginning of a line."""
    return scanned(source, start, Heading)


def scanned(source: str, start: int, made: type[Found]) -> list[Found]:
    """Those headings as values of this type, a named tuple of level, start, end and content."""
    text = source if source.endswith("\n") else source + "\n"
    found: list[Found] = []
    search, new = _NEXT_LINE.search, tuple.__new__  # like the constructor, in half of its time
    clean = pos = start  # a block begins at `clean`, and none is open there
    told = _FIRST_LINE.match(text, start) or search(text, pos)
    while told is not None:
        at, pos = told.span()
        at += text[at] == "\n"
        kind = told.lastindex
        if kind == _HEADING_TEXT and (content := told[2])[-1:] not in _TRIMMED:
            found.append(new(made, (len(told[1]), at, pos + 1, content)))
            clean = at
        elif kind and kind <= _HEADING_TEXT:
            found.append(new(made, atx_heading(text, at, pos + 1)))
            clean = at
        elif kind == _FENCE:
            # Nearly always the next three backticks are the whole closing line.
            closing = text.find("```", pos)
            if text.startswith("\n```\n", closing - 1) and len(told[_FENCE]) == _SHORTEST:
                pos = closing + 3
            else:
                pos = _fence_end(text, pos, len(told[_FENCE]))
        elif text[at] in "-=" and text.startswith("\n\n", at - 2):
            pos = at  # below an empty line it underlines nothing
        elif text[at] == "<" and (behind := _html_end(text, at)):
            pos = behind - 1
        elif fenced := _INDENTED_FENCE.match(text, at):
            pos = fenced.end()
        else:
            while found and found[-1][1] >= clean:
                found.pop()
            stretch, pos = _judged(text, clean, at)
            found += (new(made, heading) for heading in stretch)
            clean = found[-1][1] if found else clean
        told = search(text, pos)
    if found and found[-1][2] > len(source):
        level, begin, _, content = found[-1]
        found[-1] = new(made, (level, begin, len(source), content))
    return found


def _fence_end(text: str, opened: int, length: int) -> int:
    """Where the line that closes a fence at the margin ends, before its newline; the end of the text if none does."""
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
