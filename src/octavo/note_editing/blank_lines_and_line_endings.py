"""Blank lines and line endings: what an edit replaces at its place, and what it never touches."""

from __future__ import annotations

from octavo.lazy_regex import regex
from octavo.note_editing.spliced_text import Splice, Spliced

_LEADING_BLANK = regex(r"(?:[ \t]*+\n)*")
_BLANK_CHARACTERS = " \t\n"


def line_ending(text: str) -> str:
    """The line ending most lines have; LF if none has one, or as many have either."""
    windows = text.count("\r\n") if "\r" in text else 0
    return "\r\n" if windows and windows > text.count("\n") - windows else "\n"


def content_lines(content: str) -> str:
    """Content without blank lines at both ends, its lines ending with LF, the last one with nothing."""
    text = content.replace("\r\n", "\n")
    if not text.strip(_BLANK_CHARACTERS):
        return ""
    start = _LEADING_BLANK.match(text)
    text = text[start.end() if start else 0 :]
    kept = len(text.rstrip(_BLANK_CHARACTERS))
    end = text.find("\n", kept)
    return text if end < 0 else text[:end]


def is_blank(line: str) -> bool:
    return not line.removesuffix("\n").removesuffix("\r").strip(" \t") if line.endswith("\n") else not line.strip(" \t")


def before_blank_lines(text: str, end: int, floor: int = 0) -> int:
    """Where the blank lines begin that end at `end`, which is a line's start or the end of the text."""
    while end > floor:
        start = text.rfind("\n", floor, end - 1) + 1 or floor
        if not is_blank(text[start:end]):
            break
        end = start
    return end


def last_line(text: str, end: int) -> str:
    """The line that ends at `end`, without its line ending."""
    start = text.rfind("\n", 0, end - 1) + 1
    line = text[start:end]
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def placed(text: str, start: int, end: int, block: str, *, floor: int, close: bool = False) -> tuple[Spliced, int]:
    """The text with `block` in the place of `start` to `end`, one blank line on either side, and where it begins.

    `block` has LF endings and none at its end; blank lines around the place belong to it. At `floor` the text begins
    and no blank line is put; `close` puts none before the block either. At the end of the text one line ending is left.
    """
    ending = line_ending(text)
    unfinished = start > floor and not text.endswith("\n", 0, start)
    above = ending if unfinished else ""
    behind = end < len(text)
    if not block:
        gap = ending if behind and start > floor else ""
        return Spliced(text, (Splice(start, end, above + gap),)), start + len(above)
    if start > floor and not close:
        above += ending
    written = block.replace("\n", ending) + ending
    splice = Splice(start, end, above + written + (ending if behind else ""))
    return Spliced(text, (splice,)), start + len(above)
