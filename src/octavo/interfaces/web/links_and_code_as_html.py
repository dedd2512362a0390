"""Links, messages, source code and differences as HTML: whatever they say is shown, nothing of it is obeyed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import quote, unquote, urljoin, urlsplit

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex

_PLAIN_WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,:;.]?")
_ELSEWHERE = frozenset({"http", "https", "mailto"})
_LONGEST_HIGHLIGHTED = 400_000  # characters; beyond, colours cost more than they help


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """Where a document is, which of its lines are cited, and the files of its pictures by what it calls them."""

    collection: str
    uri: str
    lines: tuple[int, int] | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)

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


def document_link(collection: str, uri: str, lines: tuple[int, int] | None = None, page: int | None = None) -> str:
    """The page of a document at its cited lines; `page` is that of its original which answers."""
    shown = f"?lines={lines[0]}-{lines[1]}{f'&page={page}' if page else ''}#cited" if lines else ""
    return f"/document/{quote(collection, safe='')}/{quote(uri)}{shown}"


def file_link(collection: str, uri: str) -> str:
    """Where a picture or the original of a document is served."""
    return f"/file/{quote(collection, safe='')}/{quote(uri)}"


def sentence(text: str) -> Markup:
    """What a message says, begun with a capital, with what stands between backticks as code.

    >>> str(sentence("run `octavo index` <now>"))
    'Run <code>octavo index</code> &lt;now&gt;'
    >>> str(sentence("notes/apples.md is not there")), str(sentence("no document is there"))
    ('notes/apples.md is not there', 'No document is there')
    """
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    # Names of files, settings and identifiers keep their letters.
    parts = (text[:1].upper() + text[1:] if _PLAIN_WORD.fullmatch(first) else text).split("`")
    paired = len(parts) % 2
    shown = (Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
    return Markup("").join(shown) if paired else escape("`".join(parts))


def heading_anchor(heading: str) -> str:
    """The part of an address that leads to a heading of the document.

    >>> heading_anchor("What's new?"), heading_anchor("whats-new"), heading_anchor("Sync#What's new?")
    ('#h-whats-new', '#h-whats-new', '#h-whats-new')
    """
    return f"#{quote(heading_id(heading.rpartition('#')[2]))}"


def heading_id(heading: str) -> str:
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


def differences(diff: str) -> Markup:
    """A unified diff, a line a row, what came and what went set apart; the names of the two sides are left out."""
    kinds = {"+": "added", "-": "removed", "@": "at"}
    rows = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))]
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format(kinds.get(line[:1], "same"), line or " ") for line in rows
    )


def code(text: str, language: str, place: DocumentPlace, first_line: int = 1) -> Markup:
    """Source text with a number before each line, coloured where its language is known, cited lines marked."""
    highlighted = coloured(text, language)
    rows = []
    anchored = False
    for number, line in enumerate(highlighted, first_line):
        cited = place.cites(number, number)
        identity = Markup(' id="cited"') if cited and not anchored else Markup("")
        anchored |= cited
        kind = Markup(' class="cited"') if cited else Markup("")
        rows.append(Markup('<tr{}{}><th scope="row">{}</th><td>{}</td></tr>').format(kind, identity, number, line))
    return Markup('<table class="code"><tbody>{}</tbody></table>').format(Markup("\n").join(rows))


def coloured(text: str, language: str) -> list[Markup]:
    """The lines of source text, coloured where its language is known."""
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
