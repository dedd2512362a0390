"""An answer's lines as Markdown: titles bold, places as code, quotations as quotations, figures left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from octavo.interfaces.presenting.excerpt_selection_and_wrapping import flattened
from octavo.lazy_regex import regex
from octavo.operations.styled_answer_lines import DETAIL, FILL, Block, Part, Quote, visible

_INDENT = "   "
_LEFT_OUT = frozenset({DETAIL, "dim"})  # a line of nothing else
_SPECIAL = regex(r"([\\`*_\[\]<>])")


def markdown(blocks: Iterable[Block]) -> str:
    return "\n".join(_lines(blocks)).rstrip("\n") + "\n"


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Quote):
            yield from _quotation(block)
        elif not block or any(part.style not in _LEFT_OUT for part in block):
            yield "".join(_part(part) for part in takewhile(lambda part: part is not FILL, block)).rstrip()


def _quotation(quote: Quote) -> Iterator[str]:
    if quote.whole:
        yield quote.text
        return
    yield ""
    yield from (f"{_INDENT}> {line}".rstrip() for line in flattened(quote.text).split("\n"))
    if quote.truncated:
        yield f"{_INDENT}> …"


def _part(part: Part) -> str:
    text = visible(part.text)
    if part.style == DETAIL:
        return ""
    match part.style:
        case "title":
            return f"**{_escaped(text)}**"
        case "place":
            return _code(text)
    return _escaped(text)


def _code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
