"""Link reference definitions, `[label]: target "title"`, and the target syntax they share with inline links."""

from __future__ import annotations

import re
from collections.abc import Callable

from octavo.lazy_regex import regex
from octavo.parsing.markdown.block_grammar import always

_label_at = always(r"(?:[^\[\]\\]|\\.){0,999}", re.DOTALL)
_gap_at = always(r"[ \t]*")
_ANGLED = regex(r"<([^<>\n\\]*+(?:\\[^\n][^<>\n\\]*+){0,999})>")
_bare_at = always(r"[^\x00-\x20\x7f()\\]*+")
_TITLE_AT = {
    '"': always(r'(?:[^"\\]|\\.){0,9999}', re.DOTALL),
    "'": always(r"(?:[^'\\]|\\.){0,9999}", re.DOTALL),
    "(": always(r"(?:[^()\\]|\\.){0,9999}", re.DOTALL),
}
_CLOSES = {'"': '"', "'": "'", "(": ")"}
_PARENTHESES = 32  # deeper nesting is rejected, as in the reference implementations


def label_key(label: str) -> str:
    """Labels are compared ignoring case and the amount of white space."""
    return " ".join(label.split()).casefold()


def destination(text: str, pos: int) -> tuple[str, int] | None:
    """A link target as written at `pos`, and where it ends; an empty target is possible only in angle brackets."""
    if text.startswith("<", pos):
        angled = _ANGLED.match(text, pos)
        return (angled[1], angled.end()) if angled else None
    end, depth = pos, 0
    while True:
        end = _bare_at(text, end).end()
        char = text[end : end + 1]
        if char == "(":
            depth += 1
            if depth > _PARENTHESES:
                return None
        elif char == ")" and depth:
            depth -= 1
        elif char == "\\":
            if text[end + 1 : end + 2] > " ":
                end += 1
        else:
            break
        end += 1
    return (text[pos:end], end) if end > pos and not depth else None


def definition(first: str, more: Callable[[], str | None]) -> tuple[str, str, int] | None:
    """Key, target and number of lines of the definition that starts with the line `first`, which begins with `[`.

    `more` returns the next line of the same block without its indentation, or None if there is none.
    """
    reader = _Reader(first, more)
    label = reader.label()
    if label is None:
        return None
    reader.skip_gap()
    target = destination(reader.text, reader.pos)
    if target is None:
        return None
    written, reader.pos = target
    end, lines = reader.pos, reader.lines
    reader.skip_gap()
    title = reader.title() if reader.pos > end else None
    if title is not None and reader.at_line_end():
        return label, written, reader.lines
    if title == "":
        return None
    # What follows is not a title: the definition is valid if its own line ends after the target.
    reader.pos = end
    return (label, written, lines) if reader.at_line_end() else None


class _Reader:
    """The text of a block from a definition's start on, fetched line by line as needed."""

    __slots__ = ("lines", "more", "pos", "text")

    def __init__(self, first: str, more: Callable[[], str | None]) -> None:
        self.text, self.more, self.lines, self.pos = first, more, 1, 1

    def fetch(self) -> bool:
        line = self.more()
        if line is None:
            return False
        self.text += line
        self.lines += 1
        return True

    def label(self) -> str | None:
        end = 1
        while True:
            end = _label_at(self.text, end).end()
            if end > 1000:
                return None
            if end < len(self.text):
                break
            if not self.fetch():
                return None
        key = label_key(self.text[1:end])
        if self.text[end : end + 2] != "]:" or not key:
            return None
        self.pos = end + 2
        return key

    def skip_gap(self) -> None:
        """Skips spaces and line ends, fetching the line that follows."""
        while True:
            self.pos = _gap_at(self.text, self.pos).end()
            if self.text[self.pos : self.pos + 1] != "\n":
                return
            self.pos += 1
            if self.pos == len(self.text) and not self.fetch():
                return

    def title(self) -> str | None:
        mark = self.text[self.pos : self.pos + 1]
        if mark not in _TITLE_AT or not mark:
            return None
        start = end = self.pos + 1
        while True:
            end = _TITLE_AT[mark](self.text, end).end()
            if end < len(self.text):
                if self.text[end] == _CLOSES[mark]:
                    self.pos = end + 1
                    return self.text[start:end]
                if mark == "(" or end - start > 9999:
                    return None
            elif not self.fetch():
                return None

    def at_line_end(self) -> bool:
        end = _gap_at(self.text, self.pos).end()
        return self.text[end : end + 1] in ("", "\n")
