"""Renders answers, hits, previews, stages and Markdown as Textual text; answers have the command line's lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import chain, repeat
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

from octavo.engine.search.index_freshness import learning
from octavo.interfaces.presenting.formatted_answer_writing import STYLES
from octavo.interfaces.presenting.match_highlighting import marked, marks_of
from octavo.interfaces.presenting.terminal_rendering import TerminalView, terminal_lines
from octavo.lazy_regex import regex
from octavo.model.converted_file import Position
from octavo.model.search_result import StageTrace
from octavo.operations.operation_lookup import EVERY
from octavo.operations.reading.results import DocumentRow
from octavo.operations.search.rendering import in_words
from octavo.operations.search.results import FoundHit, SearchAnswer
from octavo.operations.styled_answer_lines import Block, Line, visible

_AROUND = 8  # lines of context before a passage


def answer_text(operation: str, answer: Any, width: int, query: str = "") -> Text:
    """What the command of an operation prints."""
    return blocks_text(EVERY[operation].rendered(answer), width, query)


def blocks_text(blocks: Iterable[Block], width: int, query: str = "") -> Text:
    return lines_text(terminal_lines(blocks, TerminalView(query, None), width))


def lines_text(lines: Iterable[Line]) -> Text:
    text = Text()
    for line in lines:
        for part in line:
            text.append(visible(part.text), STYLES.get(part.style, ""))
        text.append("\n")
    return text


def hit_text(hit: FoundHit, query: str) -> Text:
    """A hit in the list: its title with its place below."""
    heading = " → ".join(hit.heading_path) or hit.title
    score = f" {hit.score:.2f}" if hit.score is not None else ""
    text = Text(f"{hit.rank}. ", "dim")
    for part in marked(heading, marks_of(query)(heading), style="title"):
        # Underlined, not coloured: it has to be seen in the chosen row too, and where there are no colours.
        text.append(visible(part.text), "bold underline" if part.style == "match" else STYLES["title"])
    text.append("\n")
    lines = "" if hit.position.shown else f"-{hit.end_line}"
    return text.append(visible(f"{hit.place}{lines}{where_inside(hit.position)}{score}"), "dim")


def where_inside(position: Position) -> str:
    """What stands behind a place: the page in words, and the address of what it is a copy of."""
    return "".join(f"  {part}" for part in (position.shown, position.address) if part)


def document_text(row: DocumentRow) -> Text:
    """A document in the list of the start page."""
    text = Text().append(visible(row.title or row.uri), STYLES["title"])
    return text.append(f"\n{visible(f'{row.collection}/{row.uri}')} · {row.modified_at[:10]}", "dim")


def start_text(documents: int) -> Text:
    """What stands beside the documents that were changed last."""
    text = Text("Type words or a question to search.\n\n")
    if documents:
        text.append("Listed are the documents changed last. Down goes to them, Enter reads one.\n\n")
    return text.append('"exact words" · -without · tag:… · path:… · title:… narrow a search', "dim")


def preview_range(hit: FoundHit) -> tuple[int, int]:
    """The lines to read around a passage."""
    return max(1, hit.start_line - _AROUND), hit.end_line + 3 * _AROUND


def preview_text(text: str, first: int, cited: tuple[int, int], query: str, width: int) -> tuple[Text, int]:
    """A document's lines with their numbers, and in which row the cited ones begin.

    Those have a bar, and the query's words in them are marked. Long lines go on below their own beginning.
    """
    find = marks_of(query)
    drawn, row, begins = Text(), 0, 0
    for number, line in enumerate(text.split("\n"), first):
        shown = visible(line.expandtabs(4))
        inside = cited[0] <= number <= cited[1]
        begins = row if number == cited[0] else begins
        body = Text("", "" if inside else "dim")
        for part in marked(shown, find(shown) if inside else ()):
            body.append(part.text, "reverse" if part.style == "match" else "")
        for margin, piece in zip(chain((f"{number:>5}",), repeat(" " * 5)), _wrapped(body, width - 9), strict=False):
            drawn.append(f"{margin} {'┃' if inside else ' '} ", "bold" if inside else "dim")
            drawn.append_text(piece).append("\n")
            row += 1
    return drawn, begins


def _wrapped(line: Text, width: int) -> list[Text]:
    """In pieces of so many columns at most, cut between words where there are any."""
    console = Console(width=max(20, width), color_system=None)
    return list(line.wrap(console, max(20, width))) or [line]


def stage_cells(stage: StageTrace) -> tuple[str, ...]:
    outcome = f"skipped: {stage.skipped}" if stage.skipped else f"failed: {stage.failed}" if stage.failed else ""
    detail = outcome or "; ".join(f"{name.replace('_', ' ')} {in_words(value)}" for name, value in stage.detail.items())
    return stage.stage, stage.shape, str(stage.received), str(stage.returned), f"{stage.took_ms:.1f}", visible(detail)


def step_cells(hit: FoundHit) -> list[tuple[str, ...]]:
    return [(step.stage, f"{step.score:.3f}", str(step.rank), visible(step.detail or "")) for step in hit.steps or ()]


def summary(answer: SearchAnswer) -> str:
    passages = "1 passage" if len(answer.hits) == 1 else f"{len(answer.hits)} passages"
    told = (passages, answer.profile, "; ".join(answer.degraded or ()), learning(answer.freshness))
    return " · ".join(filter(None, told))


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
