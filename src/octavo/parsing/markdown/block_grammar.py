"""Markdown's blocks: what a line can begin, as regular expressions over the text, and the structure that is read.

Every pattern runs in linear time: a repetition is possessive over one character class, or a group whose
iterations begin with a newline. Possessive groups are avoided, because early releases of Python 3.11 do not reset the
position when such a group fails half-way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple, cast

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
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


def always(pattern: str, flags: int = 0) -> Callable[[str, int], re.Match[str]]:
    """The `match` of a pattern that matches the empty string too, so its result is never None."""
    return cast("Callable[[str, int], re.Match[str]]", re.compile(pattern, flags).match)


_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)

# The seven kinds of HTML block of CommonMark 0.31, section 4.6; the last cannot interrupt a paragraph.
# White space is ASCII's alone: a no-break space separates nothing in a tag.
_RAW_TEXT = r"(?ai:script|pre|style|textarea)(?=[ \t\n\r\f\v>])"
_BLOCK_TAG = rf"/?(?ai:{_BLOCK_TAGS})(?=[ \t\n\r\f\v]|/?>)"
_GAP = r"[ \t\r\f\v]"
_ATTRIBUTE = (
    rf"{_GAP}+[a-zA-Z_:][a-zA-Z0-9:._-]*+"
    rf"""(?:{_GAP}*+={_GAP}*+(?:[^"'=<>`\x00-\x20]++|'[^'\n]*+'|"[^"\n]*+"))?"""
)
_LONE_TAG = rf"(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*{_GAP}*/?>|/[A-Za-z][A-Za-z0-9-]*+{_GAP}*>){_GAP}*\n"

_HTML_INTERRUPT = rf"<(?:{_RAW_TEXT}|!--|\?|![A-Za-z]|!\[CDATA\[|{_BLOCK_TAG})"

HTML_START = regex(rf"<(?:({_RAW_TEXT})|(!--)|(\?)|(![A-Za-z])|(!\[CDATA\[)|({_BLOCK_TAG})|({_LONE_TAG}))")
HTML_END: dict[int, re.Pattern[str]] = {
    1: re.compile(r"</(?ai:script|pre|style|textarea)>"),
    2: re.compile(r"-->"),
    3: re.compile(r"\?>"),
    4: re.compile(r">"),
    5: re.compile(r"\]\]>"),
}
"""By the group of HTML_START that matched; kinds 6 and 7 end at a blank line."""

_HASHES = r"\#{1,6}[ \t\n]"
_TICKS = r"```[^`\n]*+\n|````++[^`\n]*+\n"
_THEMATIC = r"\*[ \t]*+\*[ \t]*+\*[* \t]*+\n|_[ \t]*+_[ \t]*+_[_ \t]*+\n|-[ \t]*+-[ \t]*+-[- \t]*+\n"
_UNDERLINE = r"(?:=++|-++)[ \t]*+\n"
_MARK = r"(?:[-+*]|[0-9]{1,9}[.)])"

INTERRUPT = regex(
    rf"{_HASHES}|{_TICKS}|~~~|>|[-+*][ \t]++[^ \t\n]|0{{0,8}}1[.)][ \t]++[^ \t\n]|{_THEMATIC}|{_HTML_INTERRUPT}"
)
"""What ends a paragraph at the same indentation. A list does so only if it has content and starts at 1."""

INTERRUPT_LAZY = regex(rf"{_HASHES}|{_TICKS}|~~~|>|{_MARK}[ \t\n]|{_THEMATIC}|{_HTML_INTERRUPT}")
"""What ends a link definition, or a paragraph whose containers the line does not continue: here any list does."""

INTERRUPT_NO_LIST = regex(rf"{_HASHES}|{_TICKS}|~~~|>|{_THEMATIC}|{_HTML_INTERRUPT}")

ITEM_MARK = regex(rf"{_MARK}(?=[ \t\n])")
indent_at = always(r"[ \t]*")
BLANKS = regex(r"(?:[ \t]*\n){1,1000}")
HEADING = regex(r"(\#{1,6})(?=[ \t\n])[^\n]*\n")
UNDERLINE = regex(_UNDERLINE)
FENCE = regex(r"(`{3,})(?!`)([^`\n]*)\n|(~{3,})(?!~)([^\n]*)\n")
PARAGRAPH_MORE = regex(rf"(?!(?:[ \t]*+\n|[ ]{{0,3}}(?:{INTERRUPT.pattern}|{_UNDERLINE})|\Z))[^\n]*+\n")

# Characters after which a line can only begin a paragraph, and the uses of the other characters
# that can only begin one too: `**bold**`, `-1`, `#tag`, `2 things`, `[link](...)`.
_WORDLIKE = (
    r"`(?!``)|~(?!~~)|\*\*?(?![* \t\n])|__?(?![_ \t\n])|-(?![- \t\n])|\+(?![ \t\n])"
    r"|[0-9](?![0-9]{0,8}[.)][ \t\n])|\#(?![# \t\n])"
)
_OPENS = rf"(?:[^ \t\n#`~>\-+*_0-9<\[]|{_WORDLIKE}|\[[^\[\]\\\n]*+(?:\[|\](?!:)))"
_CONTINUES = rf"(?:[^ \t\n#`~>\-+*_=0-9<]|{_WORDLIKE})"
_STOPS = rf"(?:[ \t]*+\n|[ ]{{0,3}}(?:{INTERRUPT.pattern}|{_UNDERLINE})|\Z)"


def _plain_item(mark: str, width: int) -> str:
    """An item whose lines are all plain text or plain nested items, up to a line that certainly ends it.

    At any depth of nesting, such a line leaves a paragraph open inside the item: a plain line after it
    continues that paragraph at any indentation; after a blank line, an indentation of less than four columns
    beyond the item's own content is not code at any depth.
    """
    return (
        rf"{mark}[ ]{_OPENS}[^\n]*+"
        rf"(?:\n(?:[ \t]*+{_CONTINUES}[^\n]*+"
        rf"|[ ]{{{width},}}+{_MARK}[ ]{_OPENS}[^\n]*+"
        rf"|\n++[ ]{{{width},{width + 3}}}+(?:{_MARK}[ ])?{_OPENS}[^\n]*+)){{0,200}}\n"
        rf"(?=\n++(?:[^ \t\n]|\Z)|\Z|{INTERRUPT_LAZY.pattern})"
    )


_PLAIN_ITEM = "|".join((_plain_item("[-+*]", 2), _plain_item("[0-9][.)]", 3), _plain_item("[0-9]{2}[.)]", 4)))
_PLAIN_QUOTE = (
    rf">[ ]{{0,4}}+{_OPENS}[^\n]*+(?:\n>[ ]{{0,4}}+(?:(?:{_MARK}[ ])?(?!=){_OPENS}[^\n]*+)?(?=\n)){{0,200}}\n(?=\n|\Z)"
)

PARAGRAPH, UNDERLINED, ATX, FENCED, ITEM, QUOTE, RULE = 2, 3, 4, 6, 7, 8, 9
PLAIN_BLOCK = regex(
    r"\n*+()(?:"
    rf"[ ]{{0,3}}+({_OPENS}[^\n]*+(?:\n(?:{_CONTINUES}[^\n]*+|(?!{_STOPS})[^\n]*+)){{0,500}}\n)"
    rf"([ ]{{0,3}}{_UNDERLINE})?"
    r"|(\#{1,6}(?=[ \t\n])[^\n]*+\n)"
    r"|(`{3,}+)([^`\n]*+)\n"
    rf"|({_PLAIN_ITEM})"
    rf"|({_PLAIN_QUOTE})"
    rf"|({_THEMATIC})"
    r")"
)
"""One complete block of a common form; the last group that matched says which. Others need the line-by-line rules."""


@lru_cache(maxsize=64)
def fence_closing(char: str, length: int) -> re.Pattern[str]:
    """The line that closes a fence opened by `length` characters, with the preceding newline."""
    return re.compile(rf"\n[ ]{{0,3}}{char}{{{length},}}+[ \t]*+\n")
