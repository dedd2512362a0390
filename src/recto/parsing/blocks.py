"""The block structure of a Markdown text: a scanner that agrees with CommonMark on headings and fences.

Common blocks are matched whole by one regular expression, so that a line of ordinary prose is never looked at
in Python; everything else goes to `containers`, which knows the rules line by line.
"""

from __future__ import annotations

from recto.model.document import Block, BlockKind
from recto.parsing import grammar
from recto.parsing.containers import Lines
from recto.parsing.structure import Heading, Structure, atx_heading


def scan(text: str, start: int = 0, *, plain: bool = True) -> Structure:
    """The blocks of `text` from `start`, which is the beginning of a line.

    With `plain` false, every block takes the long way: the answer is the same, only slower.
    """
    source = text if text.endswith("\n") else text + "\n"
    if "\0" in source:
        # CommonMark reads a NUL as U+FFFD; a replacement of the same length keeps the offsets.
        source = source.replace("\0", "\ufffd")
    found = Structure()
    lines = Lines(source, found)
    if plain:
        _scan_plain(source, start, lines, found)
    else:
        pos = start
        while pos < len(source):
            pos = _long_way(source, pos, lines)
    return found


def _long_way(text: str, pos: int, lines: Lines) -> int:
    blanks = grammar.BLANKS.match(text, pos)
    return blanks.end() if blanks else lines.block(pos)


def _scan_plain(text: str, pos: int, lines: Lines, found: Structure) -> None:
    match, more = grammar.PLAIN_BLOCK.match, grammar.PARAGRAPH_MORE.match
    add, add_heading = found.blocks.append, found.headings.append
    size = len(text)
    while pos < size:
        m = match(text, pos)
        if m is None:
            pos = _long_way(text, pos, lines)
            continue
        kind = m.lastindex
        start = m.end(1)
        pos = m.end()
        if kind == grammar.PARAGRAPH:
            # A paragraph that may hold a table, or is longer than the expression takes in one turn.
            if text.find("|", start, pos) >= 0 or (pos < size and text[pos] != "\n" and more(text, pos)):
                pos = lines.block(start)
            else:
                add(Block(BlockKind.PARAGRAPH, start, pos))
        elif kind == grammar.ITEM:
            add(Block(BlockKind.ITEM, start, pos))
        elif kind == grammar.ATX:
            add_heading(atx_heading(text, start, pos))
            add(Block(BlockKind.HEADING, start, pos))
        elif kind == grammar.UNDERLINED:
            underline = m[grammar.UNDERLINED]
            level = 1 if "=" in underline else 2
            add_heading(Heading(level, start, pos, text[start : pos - len(underline)].strip(" \t\n")))
            add(Block(BlockKind.HEADING, start, pos))
        elif kind == grammar.QUOTE:
            add(Block(BlockKind.QUOTE, start, pos))
        elif kind == grammar.RULE:
            add(Block(BlockKind.RULE, start, pos))
        else:
            pos = lines.block(start)
