"""Markdown as a terminal shows it: headings, lists, tables and emphasis without their signs, matches marked."""

from __future__ import annotations

import re
from functools import partial

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

from octavo.interfaces.presenting.match_highlighting import marks_of
from octavo.lazy_regex import regex
from octavo.operations.styled_answer_lines import visible

_FRONT_MATTER = regex(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_CALLOUT = regex(r"^([ \t]*(?:>[ \t]?)+)\[!([\w-]{1,40})[^\]\n]{0,40}\][+-]?[ \t]*(.*)$", re.MULTILINE)
_WIKILINK = regex(r"(!?)\[\[([^\]\[|\n]{1,300})(?:\|([^\]\[\n]{1,300}))?\]\]")
_HIGHLIGHT = regex(r"==([^=\n]{1,500})==")
_PLAIN = {"block_quote": "", "item.number": "bold", "item.bullet": "bold", "link_url": "dim", "link": "underline"}
_HEADINGS = {"h1": "bold", "h2": "bold underline", "h3": "bold", "h4": "bold", "h5": "italic", "h6": "italic"}
_THEME = Theme({f"markdown.{name}": style for name, style in (_PLAIN | _HEADINGS).items()})
"""Without colours of its own: the app's theme has those."""
_COMMENT = regex(r"%%.*?%%|<!--.*?-->", re.DOTALL)


def rendered_markdown(text: str, query: str, width: int) -> Text:
    """In lines of at most `width` columns."""
    console = Console(
        width=max(20, width), color_system="standard", force_terminal=True, legacy_windows=False, theme=_THEME
    )
    parsed = Markdown(plain_markdown(visible(text.expandtabs(4), keep="\n")), hyperlinks=False, code_theme="ansi_dark")
    drawn = Text()
    for line in console.render_lines(parsed, pad=False):
        for segment in line:
            drawn.append(segment.text, segment.style)
        drawn.append("\n")
    for mark in marks_of(query)(drawn.plain):
        drawn.stylize("reverse", mark.start, mark.end)
    return drawn


def plain_markdown(text: str) -> str:
    """Obsidian's additions in the words of plain Markdown.

    >>> plain_markdown("> [!info] Mind **[[The dome|it]]**\\n\\nSee ==here== ![[plan.png]]")
    '> **Info: Mind it**\\n\\nSee here (picture plan.png)'
    """
    front = _FRONT_MATTER.match(text)
    text = _COMMENT.sub("", text[front.end() :] if front else text)
    return _CALLOUT.sub(_callout, _WIKILINK.sub(_link, _HIGHLIGHT.sub(r"\1", text)))


def _callout(match: re.Match[str]) -> str:
    kind, title = match[2].capitalize(), match[3].replace("**", "").strip()
    return f"{match[1]}**{kind}{f': {title}' if title else ''}**"


def _link(match: re.Match[str]) -> str:
    shown = match[3] or match[2].strip().replace("#", " → ").strip(" →")
    return f"(picture {match[2]})" if match[1] and _is_picture(match[2]) else shown


_is_picture = partial(re.search, r"\.(?:avif|bmp|gif|ico|jpe?g|png|svg|webp)(?:#|$)", flags=re.IGNORECASE)
