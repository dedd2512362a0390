"""Documents and excerpts as HTML: whatever they say is shown, nothing of it is obeyed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from html import escape as escaped
from itertools import pairwise
from urllib.parse import quote, unquote, urljoin, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from octavo.dataclass import dataclass
from octavo.interfaces.presenting.marks import Highlight, MarksOf, marked
from octavo.interfaces.web.footnotes import footnote_id, take_footnotes
from octavo.operations.lines import Part

_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_SPECIAL = re.compile(
    r"!?\[\[(?P<target>[^\]\[|\n]{1,300})(?:\|(?P<label>[^\]\[\n]{1,300}))?\]\]"
    r"|\[\^(?P<footnote>[^\]\[\s]{1,100})\]"
    r"|==(?P<highlighted>[^=\n]{1,500})=="
)
"""Obsidian's additions to a line of Markdown: links by name, footnotes, and highlighted words."""
_FOOTNOTE = re.compile(r"\[\^[^\]\[\s]{1,100}\]")
_TABLE_ROW = re.compile(r"\|[^|\n]+(?:\|[^|\n]*)+\|")
_TASK = re.compile(r"\[(?P<state>[ xX])\] ")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_CALLOUT = re.compile(r"\[!(?P<kind>[a-zA-Z-]{1,40})(?:\|[^\]]{0,40})?\][+-]?")
_CAUTIONS = frozenset({"warning", "caution", "attention", "important", "danger", "error", "bug", "failure"})
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,:;.]?")
_ELSEWHERE = frozenset({"http", "https", "mailto"})
_LONGEST_HIGHLIGHTED = 400_000  # characters; beyond, colours cost more than they help


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """Where a document is, and which of its lines are cited."""

    collection: str
    uri: str
    lines: tuple[int, int] | None = None

    def link(self, target: str) -> str:
        """Where a relative link of this document leads; empty where it leads nowhere safe."""
        parts = urlsplit(target)
        if parts.scheme:
            return target if parts.scheme in _ELSEWHERE else ""
        if parts.netloc or target.startswith("/"):
            return ""
        anchor = heading_anchor(unquote(parts.fragment)) if parts.fragment else ""
        if not parts.path:
            return anchor
        return document_link(self.collection, urljoin(self.uri, unquote(parts.path))) + anchor

    def cites(self, first: int, last: int) -> bool:
        return self.lines is not None and first <= self.lines[1] and last >= self.lines[0]


def document_link(collection: str, uri: str, lines: tuple[int, int] | None = None) -> str:
    shown = f"?lines={lines[0]}-{lines[1]}#cited" if lines else ""
    return f"/document/{quote(collection, safe='')}/{quote(uri)}{shown}"


def sentence(said: str) -> Markup:
    """What a message says, begun with a capital, with what stands between backticks as code.

    >>> str(sentence("run `octavo index` <now>"))
    'Run <code>octavo index</code> &lt;now&gt;'
    >>> str(sentence("notes/apples.md is not there")), str(sentence("no document is there"))
    ('notes/apples.md is not there', 'No document is there')
    """
    first = said.split(maxsplit=1)[0] if said.strip() else ""
    # Names of files, settings and identifiers keep their letters.
    parts = (said[:1].upper() + said[1:] if _PLAIN_WORD.fullmatch(first) else said).split("`")
    paired = len(parts) % 2
    shown = (Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
    return Markup("").join(shown) if paired else escape("`".join(parts))


def heading_anchor(heading: str) -> str:
    """The part of an address that leads to a heading of the document.

    >>> heading_anchor("What's new?"), heading_anchor("whats-new"), heading_anchor("Sync#What's new?")
    ('#h-whats-new', '#h-whats-new', '#h-whats-new')
    """
    return f"#{quote(_heading_id(heading.rpartition('#')[2]))}"


def _heading_id(heading: str) -> str:
    """Begins with `h-`: what a document calls its headings is never the id of anything else on the page."""
    return "h-" + re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def named_link(collection: str, name: str) -> str:
    """Where the name that a wikilink gives leads; without a collection, to whatever is called so in any of them."""
    target, _, heading = name.partition("#")
    if not target.strip():
        return heading_anchor(heading)
    if not collection:
        return f"/find?name={quote(name)}"
    return f"/find/{quote(collection, safe='')}/{quote(name)}"


def readable(text: str, heading: str) -> str:
    """Prose without the heading that is named above it; lines that only end where a line was full run on.

    A line break becomes a space, so every other character stays where it was in what is returned.
    """
    lines = text.split("\n")
    if heading and lines[0].lstrip("#").strip() == heading:
        lines = lines[1:]
        while lines and not lines[0].strip():
            lines = lines[1:]
    shown = ""
    for before, line in pairwise(["", *lines]):
        joins = before.strip() and line[:1].isalpha() and not before.startswith(("#", "|", "```"))
        shown += (" " if joins else "\n") + line
    return shown.removeprefix("\n")


def differences(diff: str) -> Markup:
    """A unified diff, a line a row, what came and what went set apart; the names of the two sides are left out."""
    kinds = {"+": "added", "-": "removed", "@": "at"}
    rows = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))]
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format(kinds.get(line[:1], "same"), line or " ") for line in rows
    )


def excerpt(text: str, mark: MarksOf, most: int = 8) -> Markup:
    """The lines of a passage that answer most of what was asked, with its words set apart."""
    found = mark(text)
    start, end = _window(text, found, most)
    start += len(text[start:end]) - len(text[start:end].lstrip("\n"))
    end = start + len(text[start:end].rstrip())
    shown = _as_marked(marked(text[start:end], [spot for spot in found if spot.start >= start], start))
    return Markup("… " if start else "") + shown + (" …" if text[end:].strip() else "")


def with_marks(text: str, mark: MarksOf) -> Markup:
    """A line of text with the words that were asked for set apart."""
    return _as_marked(marked(text, mark(text), 0))


def _as_marked(parts: Iterable[Part]) -> Markup:
    # Every answer has some hundred parts: to make markup of each takes twice as long, to fill a template ten times.
    shown = ((escaped(part.text), part.style == "match") for part in parts)
    return Markup("".join([f"<mark>{said}</mark>" if meant else said for said, meant in shown]))


def _window(text: str, found: Sequence[Highlight], most: int) -> tuple[int, int]:
    """Where the `most` lines begin and end that answer most of the query; the first of several."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    if len(starts) <= most:
        return 0, len(text)
    ends = [*starts[1:], len(text)]
    best, best_value = 0, 0
    # A window that ends with a line without marks has none that an earlier one had not.
    lines = [bisect_right(starts, spot.start) - 1 for spot in found]
    for last in sorted({max(line, most - 1) for line in lines}):
        here = [spot for spot, line in zip(found, lines, strict=True) if last - most < line <= last]
        value = len({token for spot in here for token in spot.tokens}) * 100 + len(here)
        if value > best_value:
            best, best_value = last - most + 1, value
    return starts[best], ends[best + most - 1]


def markdown(text: str, place: DocumentPlace) -> Markup:
    """Rendered Markdown. HTML in it is shown as text; pictures are links; blocks of cited lines carry a class.

    Obsidian's call-outs are boxes of their own, tasks have their boxes, footnotes lead to what they say, and code in a
    known language is coloured.
    """
    front = _FRONT_MATTER.match(text)
    skipped = text[: front.end()].count("\n") if front else 0
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _fenced}).enable(["table", "strikethrough"])
    take_footnotes(parser)
    tokens = parser.parse(text[front.end() :] if front else text)
    _mark_callouts(tokens)
    _mark_tasks(tokens)
    _align(tokens)
    if _RIGHT_TO_LEFT.search(text):
        _follow_direction(tokens)
    anchored = False
    for token in tokens:
        block = token.map if token.nesting >= 0 and token.level == 0 else None
        if block is not None and place.cites(block[0] + skipped + 1, block[1] + skipped):
            token.attrJoin("class", "cited")
            if not anchored:
                token.attrSet("id", "cited")
                anchored = True
        if token.children:
            token.children = _inline(token.children, place)
    _name_headings(tokens)
    body = Markup(parser.renderer.render(tokens, parser.options, {}))
    folded = Markup('<details class="front"><summary>Front matter</summary><pre>{}</pre></details>')
    return body + (folded.format(front[0]) if front else Markup(""))


def inline(text: str, place: DocumentPlace) -> Markup:
    """A sentence of Markdown: emphasis, code and links, and no block around it. Its footnotes are elsewhere.

    >>> inline("| key | held by |", Place("notes", "keys.md"))
    Markup('key · held by')
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
    if _TABLE_ROW.fullmatch(text):
        text = " · ".join(cell.strip() for cell in text.strip("| ").split("|"))
    tokens = parser.parseInline(_FOOTNOTE.sub("", text))
    for token in tokens:
        token.children = _inline(token.children or [], place)
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def _name_headings(tokens: Sequence[Token]) -> None:
    """Each heading can be led to by its words; the first of several that say the same."""
    named: set[str] = set()
    for opened, content in pairwise(tokens):
        if opened.type == "heading_open" and not opened.attrGet("id"):
            words = "".join(child.content for child in content.children or ())
            name = _heading_id(words)
            if name not in named:
                opened.attrSet("id", name)
            named.add(name)


def _mark_callouts(tokens: Sequence[Token]) -> None:
    """`> [!tip] Title` becomes a box with a title: the kind of box where none is given."""
    for opened, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (opened.type, paragraph.type) != ("blockquote_open", "paragraph_open") or not inline.children:
            continue
        first = inline.children[0]
        if found := _CALLOUT.match(first.content):
            opened.attrJoin("class", "callout")
            opened.attrJoin("class", "caution" if found["kind"].lower() in _CAUTIONS else "hint-box")
            rest = first.content[found.end() :].lstrip()
            ends = [place for place, child in enumerate(inline.children) if child.type in ("softbreak", "hardbreak")]
            end = ends[0] if ends else len(inline.children)
            title = [_text(rest), *inline.children[1:end]]
            if not rest and end == 1:
                title = [_text(found["kind"].capitalize())]
            bold = [Token("strong_open", "strong", 1), *title, Token("strong_close", "strong", -1)]
            following = [Token("hardbreak", "br", 0), *inline.children[end + 1 :]] if ends else []
            inline.children = [*bold, *following]


def _mark_tasks(tokens: Sequence[Token]) -> None:
    """`- [ ]` and `- [x]` become a box, empty or ticked."""
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (item.type, paragraph.type) != ("list_item_open", "paragraph_open") or not inline.children:
            continue
        first = inline.children[0]
        if found := _TASK.match(first.content):
            item.attrJoin("class", "task")
            first.content = ("☐ " if found["state"] == " " else "☑ ") + first.content[found.end() :]


def _align(tokens: Sequence[Token]) -> None:
    """Columns are aligned by a class, as the policy of the page forbids styles in elements; tables that may be wider
    than a window can be scrolled by keys."""
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrJoin("class", str(style).replace("text-align:", "align-"))


def _follow_direction(tokens: Sequence[Token]) -> None:
    """Each block runs as its first letter does: bullets and columns of Arabic and Hebrew begin on the right."""
    for token in tokens:
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")


def _inline(tokens: Sequence[Token], place: DocumentPlace) -> list[Token]:
    made: list[Token] = []
    for token in tokens:
        if token.type == "link_open":
            target = place.link(str(token.attrGet("href") or ""))
            token.attrs = {"href": target, "rel": "noopener noreferrer"} if target else {}
            made.append(token)
        elif token.type == "image":
            made += _link(place.link(str(token.attrGet("src") or "")), f"Picture: {token.content}".removesuffix(": "))
        elif token.type == "text":
            made += _with_specials(token.content, place)
        else:
            made.append(token)
    return made


def _with_specials(text: str, place: DocumentPlace) -> list[Token]:
    made: list[Token] = []
    at = 0
    for found in _SPECIAL.finditer(text):
        made.append(_text(text[at : found.start()]))
        at = found.end()
        if found["highlighted"]:
            inside = _with_specials(found["highlighted"], place)
            made += [Token("mark_open", "mark", 1), *inside, Token("mark_close", "mark", -1)]
        elif found["footnote"]:
            number = _link(f"#{footnote_id(found['footnote'])}", found["footnote"])
            made += [Token("sup_open", "sup", 1), *number, Token("sup_close", "sup", -1)]
        else:
            target = found["target"].strip()
            shown = " → ".join(part.strip() for part in target.split("#") if part.strip())
            made += _link(named_link(place.collection, target), found["label"] or shown)
    return [*made, _text(text[at:])]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link(target: str, label: str) -> list[Token]:
    if not target:
        return [_text(label)]
    opened = Token("link_open", "a", 1, attrs={"href": target, "rel": "noopener noreferrer"})
    return [opened, _text(label), Token("link_close", "a", -1)]


def code(text: str, language: str, place: DocumentPlace, first_line: int = 1) -> Markup:
    """Source text with a number before each line, coloured where its language is known, cited lines marked."""
    highlighted = _coloured(text, language)
    rows = []
    anchored = False
    for number, line in enumerate(highlighted, first_line):
        cited = place.cites(number, number)
        identity = Markup(' id="cited"') if cited and not anchored else Markup("")
        anchored |= cited
        kind = Markup(' class="cited"') if cited else Markup("")
        rows.append(Markup('<tr{}{}><th scope="row">{}</th><td>{}</td></tr>').format(kind, identity, number, line))
    return Markup('<table class="code"><tbody>{}</tbody></table>').format(Markup("\n").join(rows))


def _fenced(content: str, language: str, attributes: str) -> str:
    return str(Markup("\n").join(_coloured(content, language))) + "\n"


def _coloured(text: str, language: str) -> list[Markup]:
    lines = text.removesuffix("\n")
    try:
        lexer = get_lexer_by_name(language, stripnl=False) if len(text) <= _LONGEST_HIGHLIGHTED else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return [escape(line) for line in lines.split("\n")]
    formatter = HtmlFormatter(nowrap=True)
    # Pygments closes its spans at the end of each line.
    rendered: str = highlight(lines, lexer, formatter)
    return [Markup(line) for line in rendered.removesuffix("\n").split("\n")]
