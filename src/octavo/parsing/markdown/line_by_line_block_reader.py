"""CommonMark's container rules, line by line: quotes, lists and everything that can be nested in them.

A line's position is three numbers: `p`, the offset of its first character that is not a space; `c`, the column of
that character with tabs expanded; and `base`, the column where the content of the innermost container begins. The
indentation is `c - base`. Open containers are a list of widths: how far an item's content is indented beyond its
parent's, or 0 for a quote.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind
from octavo.parsing.markdown import block_grammar
from octavo.parsing.markdown.block_grammar import Fence, MarkdownHeading, Structure, always, atx_heading, language_of
from octavo.parsing.markdown.link_reference_definitions import definition

_QUOTE = 0
_DEEPEST = 1000  # nested containers; anything deeper is text
_RUN_AT = {char: always(rf"[{re.escape(char)} \t]*") for char in "-*_"}
_spaces_at = block_grammar.indent_at
# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_FENCE, _PARAGRAPH = BlockKind.FENCE, BlockKind.PARAGRAPH
_DELIMITER = regex(r"\n[ ]{0,3}(\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+){0,1000}\|?)[ \t]*+(?=\n)")
_PIPE = regex(r"(?<!\\)\|")


class BlockReader:
    """Reads one block at a time from a text that ends with a newline, into `found`."""

    __slots__ = ("found", "origin", "quotes", "size", "stack", "text")

    def __init__(self, text: str, structure: Structure) -> None:
        self.text, self.size, self.found = text, len(text), structure
        self.stack: list[int] = []
        self.quotes: list[int] = []  # the depths in `stack` that are quotes
        self.origin = 0  # the column where the content of the innermost quote begins on the line last entered

    def block(self, pos: int) -> int:
        """Adds the top-level block that begins on the line at `pos`; returns where the next line begins."""
        text, stack = self.text, self.stack
        self._leave(0)
        last = line = pos
        kind: BlockKind | None = None
        hollow = 0  # the depth of an item that began on the previous line, without content
        while line < self.size:
            depth, p, c, base = self.enter(line)
            self._leave(depth)
            if kind is not None and not stack:
                break
            if text[p] == "\n":
                if hollow and hollow == len(stack):
                    stack.pop()
                hollow = 0
                line = p + 1
                if self.quotes:
                    last = line  # only the content of the quote is blank
                continue
            p, c, base = self.open(p, c, base)
            if kind is None and stack:
                kind = BlockKind.ITEM if stack[0] else BlockKind.QUOTE
            if text[p] == "\n":
                last = line = p + 1
                hollow = len(stack) if stack[-1] else 0
                continue
            hollow = 0
            leaf, line, last = self.leaf(line, p, c, base)
            if kind is None:
                self.add(leaf, pos, last)
                return line
        if kind is not None:
            self.found.blocks.append(Block(kind, pos, last))
        return line

    def add(self, kind: BlockKind, start: int, end: int) -> None:
        """Adds a top-level block; a paragraph may turn out to end in a table."""
        blocks = self.found.blocks
        if kind is _FENCE:
            blocks.append(Block(kind, start, end, language_of(self.found.fences[-1].info)))
        elif kind is _PARAGRAPH and (table := table_start(self.text, start, end)) is not None:
            if table > start:
                blocks.append(Block(kind, start, table))
            blocks.append(Block(BlockKind.TABLE, table, end))
        else:
            blocks.append(Block(kind, start, end))

    def _leave(self, depth: int) -> None:
        """Closes the containers from `depth` on."""
        if depth < len(self.stack):
            del self.stack[depth:]
            while self.quotes and self.quotes[-1] >= depth:
                self.quotes.pop()

    def enter(self, line: int) -> tuple[int, int, int, int]:
        """How many of the open containers the line continues, and its position inside them."""
        text = self.text
        p = _spaces_at(text, line).end()
        c = _column(text, line, p, 0)
        base = self.origin = 0
        for depth, width in enumerate(self.stack):
            if width:
                if c - base < width:
                    if text[p] != "\n":
                        return depth, p, c, base
                    # A blank line belongs to every item down to the next quote.
                    quote = bisect_left(self.quotes, depth)
                    return self.quotes[quote] if quote < len(self.quotes) else len(self.stack), p, c, base
                base += width
            elif text[p] == ">":  # at any indentation: markdown-it checks that of the first line only
                p, c, base = self.after_quote(p, c)
            else:
                return depth, p, c, base
        return len(self.stack), p, c, base

    def after_quote(self, p: int, c: int) -> tuple[int, int, int]:
        """The position after a `>` and the one column of space that belongs to it.

        Columns inside a quote are counted from the content of the enclosing quote: where markdown-it puts tab stops.
        """
        text = self.text
        after = _spaces_at(text, p + 1).end()
        column = _column(text, p + 1, after, c + 1) - self.origin
        base = c + 1 - self.origin + (after > p + 1)
        self.origin = base
        return after, column, base

    def open(self, p: int, c: int, base: int) -> tuple[int, int, int]:
        """Pushes the containers that begin at a position, and returns the position inside them."""
        text, stack = self.text, self.stack
        barren, barren_char = 0, ""  # up to here, runs of this character are known not to be a rule
        while c - base < 4 and len(stack) < _DEEPEST:
            char = text[p]
            if char == ">":
                self.quotes.append(len(stack))
                stack.append(_QUOTE)
                p, c, base = self.after_quote(p, c)
                continue
            if (char == "-" or char == "*") and (p >= barren or char != barren_char):
                end = _RUN_AT[char](text, p).end()
                if text[end] == "\n" and text.count(char, p, end) > 2:
                    break
                barren, barren_char = end, char
            mark = block_grammar.ITEM_MARK.match(text, p)
            if mark is None:
                break
            end = mark.end()
            marked = c + end - p
            p = _spaces_at(text, end).end()
            c = _column(text, end, p, marked)
            # Beyond four columns the content is indented code, one column in; an empty item's starts where it appears.
            content = c if text[p] != "\n" and c - marked <= 4 else marked + 1
            stack.append(content - base)
            base = content
            if text[p] == "\n":
                break
        return p, c, base

    def leaf(self, line: int, p: int, c: int, base: int) -> tuple[BlockKind, int, int]:
        """The leaf block at a position: its kind, where the next line begins, where the block itself ends."""
        text = self.text
        if c - base >= 4:
            return self._code(p)
        char = text[p]
        if char == "#":
            heading = block_grammar.HEADING.match(text, p)
            if heading:
                if not self.stack:
                    self.found.headings.append(atx_heading(text, line, heading.end()))
                return BlockKind.HEADING, heading.end(), heading.end()
        elif char == "`" or char == "~":
            fence = block_grammar.FENCE.match(text, p)
            if fence:
                return self._fence(line, p, fence)
        elif char == "-" or char == "*" or char == "_":
            end = _RUN_AT[char](text, p).end()
            if text[end] == "\n" and text.count(char, p, end) > 2:
                return BlockKind.RULE, end + 1, end + 1
        elif char == "<":
            html = block_grammar.HTML_START.match(text, p)
            if html:
                return self._html(p, html.lastindex or 0)
        elif char == "[":
            end = self._definitions(p)
            if end > p:
                return _PARAGRAPH, end, end
        return self._paragraph(line, p)

    def _code(self, p: int) -> tuple[BlockKind, int, int]:
        start, last = p, self.text.index("\n", p) + 1
        line = last
        while line < self.size:
            depth, p, c, base = self.enter(line)
            if depth < len(self.stack):
                break
            blank = self.text[p] == "\n"
            if not blank and c - base < 4:
                break
            line = self.text.index("\n", p) + 1
            if not blank:
                last = line
        self.found.holes.append((start, last))
        return BlockKind.CODE, last, last

    def _fence(self, line: int, p: int, opening: re.Match[str]) -> tuple[BlockKind, int, int]:
        mark, info = (opening[1], opening[2]) if opening[1] else (opening[3], opening[4])
        end = self._fence_end(opening.end(), mark)
        self.found.fences.append(Fence(line, end, info))
        self.found.holes.append((p, end))
        return _FENCE, end, end

    def _fence_end(self, line: int, mark: str) -> int:
        char = mark[0]
        closing = block_grammar.fence_closing(char, len(mark))
        if not self.stack:
            closed = closing.search(self.text, line - 1)
            return closed.end() if closed else self.size
        text = self.text
        while line < self.size:
            depth, p, c, base = self.enter(line)
            if depth < len(self.stack):
                return line
            line = text.index("\n", p) + 1
            if text[p] == char and c - base < 4 and closing.match("\n" + text[p:line]):
                return line
        return line

    def _html(self, p: int, kind: int) -> tuple[BlockKind, int, int]:
        text, start = self.text, p
        ending = block_grammar.HTML_END.get(kind)
        line = last = text.index("\n", p) + 1
        if ending is None or not ending.search(text, p, line):
            while line < self.size:
                depth, p, _, _ = self.enter(line)
                blank = text[p] == "\n"
                if depth < len(self.stack) or (blank and ending is None):
                    break
                line = text.index("\n", p) + 1
                if not blank:
                    last = line
                if ending is not None and ending.search(text, p, line):
                    break
        self.found.holes.append((start, last))
        return BlockKind.HTML, line, last

    def _definitions(self, p: int) -> int:
        """Where the link definitions that begin at `p` end: a line's start, or `p` if there are none."""
        text, end = self.text, p
        while text[p] == "[":
            ends = [text.index("\n", p) + 1]

            def more(ends: list[int] = ends) -> str | None:
                place = self._continues(ends[-1], block_grammar.INTERRUPT_LAZY)
                if place is None:
                    return None
                ends.append(text.index("\n", place) + 1)
                return text[place : ends[-1]]

            read = definition(text[p : ends[0]], more)
            if read is None:
                break
            key, target, lines = read
            end = ends[lines - 1]
            if not key.startswith("^"):  # a footnote is a definition to CommonMark, but prose to a reader
                self.found.definitions.setdefault(key, target)
                self.found.holes.append((p, end))
            if end >= self.size:
                break
            depth, p, c, base = self.enter(end)
            if depth < len(self.stack) or c - base >= 4:
                break
        return end

    def _paragraph(self, line: int, p: int) -> tuple[BlockKind, int, int]:
        text, start = self.text, line
        line = text.index("\n", p) + 1
        while line < self.size:
            if not self.stack:
                more = block_grammar.PARAGRAPH_MORE.match(text, line)
                if more:
                    line = more.end()
                    continue
            depth, p, c, base = self.enter(line)
            if depth == len(self.stack) and c - base < 4:
                underline = block_grammar.UNDERLINE.match(text, p)
                if underline:
                    if not self.stack:
                        level = 1 if text[p] == "=" else 2
                        content = text[start:line].strip(" \t\n")
                        self.found.headings.append(MarkdownHeading(level, start, underline.end(), content))
                    return BlockKind.HEADING, underline.end(), underline.end()
            place = self._continues(line, block_grammar.INTERRUPT)
            if place is None:
                break
            line = text.index("\n", place) + 1
        return _PARAGRAPH, line, line

    def _continues(self, line: int, interrupt: re.Pattern[str]) -> int | None:
        """Where the text of a line begins if it continues the previous paragraph, lazily or not; else None."""
        if line >= self.size:
            return None
        text, stack = self.text, self.stack
        depth, p, c, base = self.enter(line)
        if text[p] == "\n":
            return None
        if depth == len(stack):
            return p if c - base >= 4 or not interrupt.match(text, p) else None
        # Where CommonMark and markdown-it differ, markdown-it is followed. Outdented from an item, the start of another
        # block counts at any indentation, except a list where the line would be code to the list's parent. After a
        # quote ends, a line that would be code stays. Neither exception applies to a quote within that quote.
        if c - base < 4 or len(self.quotes) - bisect_left(self.quotes, depth) > 1:
            stops = block_grammar.INTERRUPT_LAZY
        elif stack[depth] == _QUOTE:
            return p
        else:
            innermost = depth + 1 == len(stack) or stack[depth + 1] == _QUOTE
            stops = block_grammar.INTERRUPT_NO_LIST if innermost else block_grammar.INTERRUPT_LAZY
        return None if stops.match(text, p) else p


def _column(text: str, start: int, end: int, column: int) -> int:
    """The column after the spaces and tabs of `text[start:end]`, which start at `column`."""
    if "\t" not in text[start:end]:
        return column + end - start
    for char in text[start:end]:
        column += 4 - column % 4 if char == "\t" else 1
    return column


def table_start(text: str, start: int, end: int) -> int | None:
    """Where a table begins inside the paragraph `text[start:end]`, at its header row, if there is one."""
    if text.find("|", start, end) < 0:
        return None
    for row in _DELIMITER.finditer(text, start, end):
        header = text.rfind("\n", start, row.start()) + 1 or start
        if "|" in row[1] and _cells(text[header : row.start()]) == _cells(row[1]):
            return header
    return None


def _cells(row: str) -> int:
    row = row.strip()
    return len(_PIPE.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and len(row) > 1 and row[-2] != "\\")
