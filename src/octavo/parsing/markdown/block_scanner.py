"""Markdown block scanner, in agreement with CommonMark on headings and fences.

Common blocks are matched by one regular expression, so that a line of ordinary prose costs no Python code;
everything else goes to `line_by_line_block_reader`, which applies the rules line by line.
"""

from __future__ import annotations

from octavo.model.document import Block, BlockKind
from octavo.parsing.markdown import block_grammar
from octavo.parsing.markdown.block_grammar import (
    ATX,
    FENCED,
    PARAGRAPH,
    UNDERLINED,
    Fence,
    MarkdownHeading,
    Structure,
    atx_heading,
    language_of,
)
from octavo.parsing.markdown.line_by_line_block_reader import BlockReader


def scan(text: str, start: int = 0, *, plain: bool = True) -> Structure:
    """The blocks of `text` from `start`, which is the beginning of a line.

    With `plain` false, every block goes through the line-by-line rules: the same result, only slower.
    """
    source = text if text.endswith("\n") else text + "\n"
    if "\0" in source:
        # CommonMark reads a NUL as U+FFFD; a replacement of the same length keeps the offsets.
        source = source.replace("\0", "\ufffd")
    structure = Structure()
    lines = BlockReader(source, structure)
    if plain:
        _scan_plain(source, start, lines, structure)
    else:
        pos = start
        while pos < len(source):
            pos = _by_lines(source, pos, lines)
    if len(source) > len(text):
        _drop_added_newline(structure, len(text))
    return structure


def _drop_added_newline(structure: Structure, size: int) -> None:
    """Cuts off the final newline that the text itself does not have."""
    if structure.blocks and structure.blocks[-1].end > size:
        structure.blocks[-1] = structure.blocks[-1]._replace(end=size)
    if structure.headings and structure.headings[-1].end > size:
        structure.headings[-1] = structure.headings[-1]._replace(end=size)
    if structure.fences and structure.fences[-1].end > size:
        structure.fences[-1] = structure.fences[-1]._replace(end=size)


def _by_lines(text: str, pos: int, lines: BlockReader) -> int:
    blanks = block_grammar.BLANKS.match(text, pos)
    return blanks.end() if blanks else lines.block(pos)


_SIMPLE = {block_grammar.ITEM: BlockKind.ITEM, block_grammar.QUOTE: BlockKind.QUOTE, block_grammar.RULE: BlockKind.RULE}


def _scan_plain(text: str, pos: int, lines: BlockReader, structure: Structure) -> None:
    match, more = block_grammar.PLAIN_BLOCK.match, block_grammar.PARAGRAPH_MORE.match
    add, add_heading = structure.blocks.append, structure.headings.append
    paragraph, heading, fence = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.FENCE
    size, new = len(text), tuple.__new__  # creates blocks in half of the time of `Block(…)`
    while pos < size:
        m = match(text, pos)
        if m is None:
            pos = _by_lines(text, pos, lines)
            continue
        kind = m.lastindex or 0
        start = m.end(1)
        pos = m.end()
        if kind == PARAGRAPH:
            if pos < size and text[pos] != "\n" and more(text, pos):
                pos = lines.block(start)  # longer than the expression's repeat limit
            elif text.find("|", start, pos) >= 0:
                lines.add(paragraph, start, pos)
            else:
                add(new(Block, (paragraph, start, pos, None)))
        elif kind == ATX:
            add_heading(atx_heading(text, start, pos))
            add(new(Block, (heading, start, pos, None)))
        elif kind == FENCED:
            mark, info = m.group(FENCED - 1, FENCED)
            closing = block_grammar.fence_closing(mark[0], len(mark)).search(text, pos - 1)
            pos = closing.end() if closing else size
            structure.fences.append(new(Fence, (start, pos, info)))
            structure.holes.append((start, pos))
            add(new(Block, (fence, start, pos, language_of(info))))
        elif kind == UNDERLINED:
            under = m.start(UNDERLINED)
            level = 1 if text.find("=", under, pos) >= 0 else 2
            add_heading(MarkdownHeading(level, start, pos, text[start:under].strip(" \t\n")))
            add(Block(heading, start, pos))
        else:
            add(new(Block, (_SIMPLE[kind], start, pos, None)))
