"""Footnotes in Markdown: `[^1]: What it says`, further paragraphs indented by four spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from octavo.lazy_regex import regex

_DEFINITION = regex(r"\[\^(?P<name>[^\]\[\s]{1,100})\]:[ \t]*")
_INDENT = 4


def footnote_id(name: str) -> str:
    """Begins with `note-`: what a document calls its footnotes is never the id of anything else on the page.

    >>> footnote_id("1"), footnote_id("Smith (1901)")
    ('note-1', 'note-Smith-1901-')
    """
    return "note-" + re.sub(r"[^\w-]+", "-", name)


def take_footnotes(parser: MarkdownIt) -> None:
    """Before `reference`, which would take a footnote of one word for the target of a link."""
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})


def _footnote(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A paragraph for each of the footnote's, the first with its name before it and the id that `[^1]` leads to."""
    line = _line(state, first)
    definition = _DEFINITION.match(line)
    if definition is None or state.is_code_block(first):
        return False
    if silent:
        return True
    end = _end(state, first, last)
    content = [line[definition.end() :], *(_line(state, number).strip() for number in range(first + 1, end))]
    for number, paragraph in enumerate(_paragraphs(content)):
        opened = state.push("paragraph_open", "p", 1)
        opened.attrs = {"class": "footnote"}
        opened.map = [first, end]
        if not number:
            opened.attrs["id"] = footnote_id(definition["name"])
        inline = state.push("inline", "", 0)
        inline.content = paragraph if number else f"**{definition['name']}** {paragraph}"
        inline.map = [first, end]
        inline.children = []
        state.push("paragraph_close", "p", -1)
    state.line = end
    return True


def _end(state: StateBlock, first: int, last: int) -> int:
    """The line after the footnote: what follows on at once or indented belongs to it, up to the next definition."""
    end = first + 1
    for number in range(first + 1, last):
        if state.isEmpty(number):
            continue
        indented = state.sCount[number] - state.blkIndent >= _INDENT
        follows = number == end and not _DEFINITION.match(_line(state, number))
        if not indented and not follows:
            break
        end = number + 1
    return end


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _paragraphs(lines: Sequence[str]) -> list[str]:
    return [part.strip("\n") for part in re.split(r"\n{2,}", "\n".join(lines)) if part.strip()] or [""]
