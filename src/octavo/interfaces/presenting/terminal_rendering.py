"""An answer's lines as a terminal shows them: without details, matches marked, quotations cut and wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from octavo.fast_dataclass import dataclass
from octavo.interfaces.presenting.excerpt_selection_and_wrapping import excerpt, flattened, reflowed, unheaded
from octavo.interfaces.presenting.match_highlighting import MarksOf, marked, marks_of
from octavo.lazy_regex import regex
from octavo.operations.styled_answer_lines import DETAIL, FILL, Block, Line, Part, Quote, cells, visible

EXCERPT_LINES = 4  # enough to judge a hit by
_INDENT = "   "
_MARKED = frozenset({"title", "heading"})
_PAGE = regex(r"#(?:page|slide)=\d+$")


@dataclass(frozen=True, slots=True)
class TerminalView:
    """What is shown of an answer: whose words are marked, how much of an excerpt, and where links lead."""

    query: str = ""
    excerpt_lines: int | None = EXCERPT_LINES
    roots: Mapping[str, Path] = field(default_factory=dict)


def terminal_lines(blocks: Iterable[Block], view: TerminalView, width: int) -> Iterator[Line]:
    find = marks_of(view.query)
    for block in blocks:
        if isinstance(block, Quote):
            yield from _quotation(block, view, find, width)
        elif not block or any(part.style != DETAIL for part in block):
            yield _line(block, view, find, width)


def _line(line: Line, view: TerminalView, find: MarksOf, width: int) -> Line:
    shown: list[Part] = []
    room = width - sum(cells(visible(part.text)) for part in line if part is not FILL and part.style != DETAIL)
    for part in line:
        if part is FILL:
            shown.append(Part(" " * room if room > 0 else part.text))
        elif part.style in _MARKED:
            text = visible(part.text)
            shown += marked(text, find(text), style=part.style)
        elif part.style != DETAIL:
            shown.append(part._replace(link=_address(part.link, view.roots)))
    return tuple(shown)


def _quotation(quote: Quote, view: TerminalView, find: MarksOf, width: int) -> Iterator[Line]:
    if quote.whole:
        yield from ((Part(line),) for line in flattened(quote.text).split("\n"))
        return
    most = None if quote.uncut else view.excerpt_lines
    text = flattened(quote.text if most is None else unheaded(quote.text, quote.first_line, quote.titles))
    if not quote.verbatim:
        text = reflowed(text)
    for line in excerpt(text, find(text), width - len(_INDENT) - 2, most, headed=quote.declares):
        yield Part(_INDENT), Part("│ ", "dim"), *line
    if most is None and quote.truncated:
        yield Part(_INDENT), Part("│ … cut at --max-chars", "dim")


def _address(place: str | None, roots: Mapping[str, Path]) -> str | None:
    collection, _, uri = (place or "").partition("/")
    return link(roots.get(collection), uri)


def link(root: Path | None, uri: str) -> str | None:
    """Where a click leads: a file, at its page where the uri ends in `#page=7`; nowhere for what is no file, or for a
    name that no address can hold."""
    page = _PAGE.search(uri)
    uri = uri[: page.start()] if page else uri
    try:
        return (root / uri).as_uri() + (page[0] if page else "") if root else None
    except (ValueError, UnicodeEncodeError):
        return None
