"""The block structure of a Markdown text: blocks, headings, fences, and the ranges without prose."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.model.document import Block


class MarkdownHeading(NamedTuple):
    """A heading outside quotes and lists. `content` is its inline Markdown, markers removed."""

    level: int
    start: int
    end: int
    content: str


class Fence(NamedTuple):
    """A fenced code block at any depth, from its first line's start to its last line's end; `info` is as written."""

    start: int
    end: int
    info: str


@dataclass(slots=True)
class Structure:
    """Filled in document order. `holes` are code, HTML and link definitions: not searched for links or tags."""

    blocks: list[Block] = field(default_factory=list)
    headings: list[MarkdownHeading] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    holes: list[tuple[int, int]] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)


def language_of(info: str) -> str | None:
    """The language a fence names: the first word of its info string, also in the spelling `{python}`."""
    return _language(info[:100])


@lru_cache(maxsize=256)
def _language(info: str) -> str | None:
    words = info.replace("{", " ").replace("}", " ").replace(",", " ").split()
    return words[0].lstrip(".").lower() or None if words else None


def atx_heading(text: str, start: int, end: int) -> MarkdownHeading:
    """The heading on the line `text[start:end]`, which is known to be one."""
    line = text[start:end].strip(" \t\n")
    content = line.lstrip("#")
    level = len(line) - len(content)
    open_ended = content.rstrip("#")
    if open_ended != content and (not open_ended or open_ended[-1] in " \t"):
        # A run of hashes set off by a space closes the heading and is not part of it.
        content = open_ended
    return tuple.__new__(
        MarkdownHeading, (level, start, end, content.strip(" \t"))
    )  # in half of the constructor's time
