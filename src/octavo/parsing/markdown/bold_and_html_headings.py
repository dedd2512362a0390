"""Headings that Markdown does not know: a line in bold alone, and HTML's `<h1>` to `<h6>`."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind
from octavo.parsing.markdown.block_structure_types import MarkdownHeading, Structure

_BOLD = regex(r"[ ]{0,3}(?:\*\*(?P<stars>[^*\n]+)\*\*|__(?P<bars>[^_\n]+)__)[ \t]*:?[ \t]*(?:\n|\Z)")
_HTML = regex(r"[ ]{0,3}<h(?P<level>[1-6])\b[^>\n]*>(?P<title>[^\n]*?)</h(?P=level)>[ \t]*(?:\n|\Z)", re.I)
_TAG = regex(r"<[^>\n]*>")


def add_loose_headings(text: str, structure: Structure) -> None:
    """Lines in bold are one level below the last heading of another kind."""
    levels = {heading.start: heading.level for heading in structure.headings}
    blocks: list[Block] = []
    level = 0
    for block in structure.blocks:
        level = levels.get(block.start, level)
        found = _heading(text, block, level)
        if found is None:
            blocks.append(block)
            continue
        structure.headings.append(found)
        level = level if block.kind is BlockKind.PARAGRAPH else found.level
        blocks.append(Block(BlockKind.HEADING, block.start, found.end))
        if rest := text[found.end : block.end].strip():
            blocks.append(Block(block.kind, found.end + text[found.end :].index(rest[0]), block.end))
    structure.blocks[:] = blocks
    structure.headings.sort(key=lambda heading: heading.start)


def _heading(text: str, block: Block, level: int) -> MarkdownHeading | None:
    if block.kind is BlockKind.PARAGRAPH and (bold := _BOLD.match(text, block.start, block.end)):
        title = (bold["stars"] or bold["bars"]).strip().rstrip(":")
        return MarkdownHeading(min(6, level + 1), block.start, bold.end(), title) if title else None
    if block.kind is BlockKind.HTML and (html := _HTML.match(text, block.start, block.end)):
        return MarkdownHeading(int(html["level"]), block.start, html.end(), _TAG.sub("", html["title"]).strip())
    return None
