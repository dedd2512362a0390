"""Heading lines: written, recognised and moved to another level."""

from __future__ import annotations

import re

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex
from octavo.note_editing.note_heading_outline import NoteHeading, NoteOutline

DEEPEST = 6
_MARKERS = regex(r"[ \t]*+#{1,6}(?:[ \t]|\Z)")
_OPENING_MARKERS = regex(r"[ ]{0,3}(#{1,6})")
_AFTER_MARKERS = regex(r"[ \t]|\r?\n|\Z")
_CLOSES = regex(r"(?:\A|[ \t])#+\Z")


def heading_line(level: int, text: str) -> str:
    """An ATX heading with this text. Hashes at its end would be taken for closing ones, so it is closed by its own."""
    closing = " #" if _CLOSES.search(text) else ""
    return f"{'#' * level} {text}{closing}"


def one_line(text: str, what: str) -> str:
    """A heading's text without outer space; it must be a line and not blank."""
    if "\n" in text or "\r" in text:
        raise InvalidArgument(
            f"the {what} has more than one line", hint=f"give the {what} alone, and the text below it as text"
        )
    stripped = text.strip(" \t")
    if not stripped:
        raise InvalidArgument(f"the {what} is blank", hint=f"give the text of the {what}")
    return stripped


def heading_text(text: str) -> str:
    """What a new section may be called: one line, without the markers that its level gives it."""
    if _MARKERS.match(text):
        raise InvalidArgument(
            f"the heading {text[:100]!r} begins with # markers", hint="leave them out and say the level with --level"
        )
    return one_line(text, "heading")


def at_level(source: NoteOutline, heading: NoteHeading, level: int, ending: str) -> str:
    """The heading's lines in `source`, at another level: an ATX heading's opening hashes, else an ATX heading instead.

    Of a setext heading that stays at its level nothing changes.
    """
    written = source.text[heading.start : heading.end]
    if level == heading.level:
        return written
    opening = _opening(written)
    if opening:
        return written[: opening.start(1)] + "#" * level + written[opening.end(1) :]
    return heading_line(level, heading.text) + (ending if written.endswith("\n") else "")


def renamed(source: NoteOutline, heading: NoteHeading, text: str, ending: str) -> str:
    """The heading's lines in `source` with another text; a setext heading keeps its underline."""
    written = source.text[heading.start : heading.end]
    end = (ending if not written.endswith("\r\n") else "\r\n") if written.endswith("\n") else ""
    opening = _opening(written)
    if opening:
        return written[: opening.start(1)] + heading_line(heading.level, text) + end
    lines = written.removesuffix("\n").removesuffix("\r").split("\n")
    return f"{text}{ending}{lines[-1]}{end}"


def is_atx(written: str) -> bool:
    """Whether a heading's lines are an ATX heading."""
    return _opening(written) is not None


def _opening(written: str) -> re.Match[str] | None:
    """The opening hashes of an ATX heading. A setext heading may begin with hashes too: `#tag` above its underline."""
    opening = _OPENING_MARKERS.match(written)
    return opening if opening and _AFTER_MARKERS.match(written, opening.end()) else None
