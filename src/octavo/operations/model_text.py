"""The lines of an answer as a language model reads them: everything, with quoted text marked as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from octavo.memory.bars import PREFACE, bars
from octavo.operations.lines import PADDING, Block, Quote
from octavo.operations.quoting import DATA, one_line, quoted


def written(blocks: Iterable[Block]) -> str:
    """The whole answer. Where something is quoted, the first line says how quotations are marked."""
    found = list(blocks)
    quotes = [block for block in found if isinstance(block, Quote)]
    head = [] if not quotes else [DATA] if any(quote.numbered for quote in quotes) else [PREFACE, ""]
    return "\n".join([*head, *lines(found)]).rstrip("\n")


def lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Quote):
            yield quoted(block.text, block.first_line) if block.numbered else bars(block.text)
            if block.truncated:
                yield "   (the excerpt is cut here)"
        else:
            yield one_line("".join("  " if part.style == PADDING else part.text for part in block)).rstrip()
