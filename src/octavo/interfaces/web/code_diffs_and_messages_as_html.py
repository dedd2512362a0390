"""Renders source code, diffs and messages as HTML; whatever markup they contain is escaped."""

from __future__ import annotations

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from octavo.interfaces.web.document_addresses import DocumentPlace
from octavo.lazy_regex import regex

_PLAIN_WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,:;.]?")
_LONGEST_HIGHLIGHTED = 400_000  # characters; beyond, colours cost more than they help


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
