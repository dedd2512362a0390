"""What an answer says to people and models, before anyone writes it: lines of styled parts, and quotations.

An operation renders its answer once, as these. A terminal, Markdown and the text of an MCP tool are three writers of
the same lines: what they differ in is how a style looks, how a quotation is marked, and whether details are shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from octavo.algorithms.model_inputs.prompt_quotations import (
    QUOTED_LINES,
    QUOTED_MEMORIES,
    one_line,
    with_bars,
    with_line_numbers,
)
from octavo.fast_dataclass import Value

# What a terminal obeys instead of showing: C0 and C1 controls, line separators, and the marks that turn the
# direction of what follows. A file name may hold any of them.
_OBEYED = "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

DETAIL = "detail"
"""The style of what a program needs to go on, such as an id: written for models, left out on a terminal."""

PADDING = "padding"
"""The style of the spaces between columns, of which a model needs few."""


class Part(NamedTuple):
    """A stretch of one line with the name of its style, and the `collection/uri` that a click on it opens."""

    text: str
    style: str = ""
    link: str | None = None


Line = tuple[Part, ...]
"""One line of output, without its end."""

FILL = Part("  ", "fill")
"""What pushes the rest of its line to the right edge, where there is one."""


class Quote(Value):
    """Text from an indexed file, a commit or a memory: data, which every writer marks so that it is not taken for more.

    `whole` is what was asked for rather than an excerpt to judge by; an `uncut` excerpt is shown in full. What is
    `verbatim`, like code, keeps its line ends. `titles` were shown above it, and need not be shown again. Where lines
    are not cited, as in memories, they are not `numbered`.
    """

    text: str
    first_line: int = 1
    truncated: bool = False
    whole: bool = False
    uncut: bool = False
    numbered: bool = True
    verbatim: bool = False
    declares: bool = False
    titles: tuple[str, ...] = ()


Block = Line | Quote


def visible(text: str, keep: str = "") -> str:
    """The text with every character a terminal would obey written out, except those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    # Compiled here, and remembered by `re`: few texts have any, and a start does not wait for it.
    return re.sub(_OBEYED, lambda match: match[0] if match[0] in keep else _written(match[0]), text)


def _written(character: str) -> str:
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def cells(text: str) -> int:
    """How many columns a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(character_cells(character) for character in text)


def character_cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def columns(rows: Sequence[Sequence[Part]], gap: int = 2) -> Iterator[Line]:
    """Rows aligned in columns; the last column is left ragged."""
    widths = [max(cells(visible(part.text)) for part in column) for column in zip(*rows, strict=True)]
    for row in rows:
        line: list[Part] = []
        for part, wide in zip(row[:-1], widths, strict=False):
            line += (part, Part(" " * (wide - cells(visible(part.text)) + gap), PADDING))
        yield (*line, row[-1])


_DIFF_STYLES = {"+": "good", "-": "bad", "@": "heading"}


def diff_lines(diff: str) -> Iterator[Line]:
    for number, line in enumerate(diff.removesuffix("\n").split("\n") if diff else ()):
        style = "dim" if number < 2 else _DIFF_STYLES.get(line[:1], "")  # the first two lines name the two sides
        yield (Part(line.removesuffix("\r").expandtabs(4), style),)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """`1 file`, `1,204 files`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(amount: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def duration(seconds: float) -> str:
    """`340 ms`, `12.3 s`, `12 s` for a whole number, `4 min 10 s`."""
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 60:
        return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def more(next_cursor: str | None) -> Iterator[Line]:
    """How to read on, where something did not fit."""
    if next_cursor:
        yield (Part(f"There is more: repeat the request with cursor {next_cursor}"),)


def degraded_lines(degraded: Iterable[str] | None, excluding: str | None = None) -> Iterator[Line]:
    """By which filter nothing could be found, and what could not be searched, a line each."""
    if excluding:
        yield (Part(f"{excluding[0].upper()}{excluding[1:]}.", "warn"),)
    for part in degraded or ():
        yield (Part(f"Degraded: {part}", "warn"),)


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
