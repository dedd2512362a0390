"""The lines of an answer as a language model reads them: everything, with quoted text marked as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from octavo.algorithms.model_inputs.prompt_quotations import (
    QUOTED_LINES,
    QUOTED_MEMORIES,
    one_line,
    with_bars,
    with_line_numbers,
)
from octavo.operations.styled_answer_lines import PADDING, Block, Quote


def written(blocks: Iterable[Block]) -> str:
    """The whole answer. Where something is quoted, the first line says how quotations are marked."""
    rendered = list(blocks)
    quotes = [block for block in rendered if isinstance(block, Quote)]
    head = [] if not quotes else [QUOTED_LINES] if any(quote.numbered for quote in quotes) else [QUOTED_MEMORIES, ""]
    return "\n".join([*head, *lines(rendered)]).rstrip("\n")


def lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Quote):
            yield with_line_numbers(block.text, block.first_line) if block.numbered else with_bars(block.text)
            if block.truncated:
                yield "   (the excerpt is cut here)"
        else:
            yield one_line("".join("  " if part.style == PADDING else part.text for part in block)).rstrip()
