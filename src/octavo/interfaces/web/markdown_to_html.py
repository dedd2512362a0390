"""Renders Markdown as safe HTML: a note's own HTML is read or shown as text, never passed through."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape as escaped
from itertools import pairwise
from math import inf
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from octavo.algorithms.markdown.heading_attributes import attributes, given_anchor
from octavo.engine.wiring.html_block_to_markdown import html_as_markdown
from octavo.interfaces.web.code_diffs_and_messages_as_html import coloured
from octavo.interfaces.web.document_addresses import DocumentPlace, file_link, heading_id, named_link
from octavo.interfaces.web.markdown_footnotes import footnote_id, take_footnotes
from octavo.lazy_regex import regex
from octavo.retrieval.pictures_and_original_files import is_picture

_FRONT_MATTER = regex(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_SPECIAL = regex(
    r"(?P<embedded>!?)\[\[(?P<target>[^\]\[|\n]{1,300})(?:\|(?P<label>[^\]\[\n]{1,300}))?\]\]"
    r"|\[\^(?P<footnote>[^\]\[\s]{1,100})\]"
    r"|==(?P<highlighted>[^=\n]{1,500})=="
)
"""Obsidian's additions to a line of Markdown: links by name, footnotes, and highlighted words."""
_PICTURE = regex(
    r"!\[\[(?P<name>[^\]\[|#\n]{1,300})|!\[[^\]\n]{0,500}\]\(<?(?P<path>[^)>\n]{1,500}?)>?(?: \"[^\"\n]*\")?\)"
)
_FOOTNOTE = regex(r"\[\^[^\]\[\s]{1,100}\]")
_TABLE_ROW = regex(r"\|[^|\n]+(?:\|[^|\n]*)+\|")
_TASK = regex(r"\[(?P<state>[ xX])\] ")
_RIGHT_TO_LEFT = regex("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_CALLOUT = regex(r"\[!(?P<kind>[a-zA-Z-]{1,40})(?:\|[^\]]{0,40})?\][+-]?")
_WIDTH = regex(r"(?P<width>\d{1,4})(?:x\d{1,4})?")
_FULL_LINE = 0.85  # of the longest line of a paragraph: letters are not all of one width
_SHORT_LINE = 40  # characters: a paragraph of nothing longer is a list or an address
_LAYOUT = regex(
    r"\s*</?(?:a|article|blockquote|br|center|details|div|dl|figure|h[1-6]|hr|img|ol|p|picture|section|summary|table|ul)\b",
    re.IGNORECASE,
)
_CAUTIONS = frozenset({"warning", "caution", "attention", "important", "danger", "error", "bug", "failure"})


def markdown(
    text: str,
    place: DocumentPlace,
    *,
    first_line: int = 1,
    numbers: Sequence[int] = (),
    pages: Mapping[int, str] | None = None,
) -> Markup:
    """Rendered Markdown. Of HTML that lays out a text the text is shown, other HTML as it is written; blocks of cited
    lines carry a class.

    Obsidian's call-outs are boxes of their own, tasks have their boxes, footnotes lead to what they say, and code in a
    known language is coloured. Pictures are shown where they are files of the collection. `first_line` is the number of
    the text's first line in its document, `numbers` those of all lines where they do not follow each other; `pages` are
    the names of the pages that begin at a line.
    """
    front = None if numbers else _FRONT_MATTER.match(text)
    skipped = first_line - 1 + (text[: front.end()].count("\n") if front else 0)
    tokens = _parsed(text[front.end() :] if front else text)
    _mark_blocks(tokens)
    if _RIGHT_TO_LEFT.search(text):
        _follow_direction(tokens)
    anchored = False
    for token in tokens:
        block = token.map if token.nesting >= 0 and token.level == 0 else None
        bounds = (block[0] + skipped + 1, block[1] + skipped) if block else (0, 0)
        if numbers and block:
            bounds = numbers[block[0]], numbers[min(len(numbers), block[1]) - 1]
        if block is not None and place.cites(*bounds):
            token.attrJoin("class", "cited")
            if not anchored:
                token.attrSet("id", "cited")
                anchored = True
        if token.children:
            token.children = _inline(token.children, place)
    _name_headings(tokens)
    if pages:
        tokens = list(_with_pages(tokens, pages, skipped))
    body = _html(tokens)
    folded = Markup('<details class="front"><summary>Front matter</summary><pre>{}</pre></details>')
    return body + (folded.format(front[0]) if front else Markup(""))


def passage(text: str, place: DocumentPlace, words: re.Pattern[str] | None) -> Markup:
    """A few blocks of a document with the words that were asked for set apart. Headings are lines of their own, as the
    page has headings around it; pictures are named."""
    tokens = _parsed(text)
    _mark_blocks(tokens)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
        elif token.children:
            token.children = [piece for child in _inline(token.children, place) for piece in _marked(child, words)]
        elif token.type in ("fence", "code_block"):
            token.type, token.content = "html_block", str(_code(token.content, words))
    return _html(tokens)


def inline(text: str, place: DocumentPlace) -> Markup:
    """A sentence of Markdown: emphasis, code and links, and no block around it. Its footnotes are elsewhere.

    >>> inline("| key | held by |", DocumentPlace("notes", "keys.md"))
    Markup('key · held by')
    """
    if _TABLE_ROW.fullmatch(text):
        text = " · ".join(cell.strip() for cell in text.strip("| ").split("|"))
    tokens = _parser().parseInline(_FOOTNOTE.sub("", text))
    for token in tokens:
        token.children = _inline(token.children or [], place)
    return _html(tokens)


def picture_names(text: str) -> tuple[str, ...]:
    """What a note calls the pictures it shows, by name or by path.

    >>> picture_names("![[dome.png|300]] and ![A door](photos/door%201.webp), not [[bread]]")
    ('dome.png', 'photos/door%201.webp')
    """
    return tuple(dict.fromkeys((match["name"] or match["path"]).strip() for match in _PICTURE.finditer(text)))


def ragged(text: str) -> str:
    """A converted text whose lines end where the next word would still have had room: there the author ended them.

    >>> ragged("Ann Larkfield\\nThe dome was closed in the night of the second, and\\nnobody was there.")
    'Ann Larkfield  \\nThe dome was closed in the night of the second, and\\nnobody was there.'
    """
    return "\n\n".join(_ragged(paragraph) for paragraph in text.split("\n\n"))


def _ragged(paragraph: str) -> str:
    lines = paragraph.split("\n")
    if len(lines) < 2 or lines[0].startswith(("|", "`", "#")):
        return paragraph
    longest = max(map(len, lines))
    room = longest * _FULL_LINE if longest > _SHORT_LINE else inf
    ends = [len(line) + len(following.lstrip().partition(" ")[0]) < room for line, following in pairwise(lines)]
    return "\n".join(line + ("  " if end else "") for line, end in zip(lines, [*ends, False], strict=True))


@cache
def _parser(*, html: bool = False) -> MarkdownIt:
    """With `html`, blocks of it are tokens of their own, which `_parsed` replaces before anything is rendered."""
    parser = MarkdownIt("commonmark", {"html": html, "highlight": _fenced}).enable(["table", "strikethrough"])
    take_footnotes(parser)
    return parser.disable("html_inline")


def _parsed(text: str) -> list[Token]:
    tokens: list[Token] = []
    for token in _parser(html=True).parse(text):
        tokens += _read(token) if token.type == "html_block" else [token]
    return tokens


def _read(block: Token) -> Iterator[Token]:
    """What a block of HTML says: tables, lists and paragraphs; what is none of these, as it is written."""
    content = block.content
    if _LAYOUT.match(content):
        content = html_as_markdown(content)
    for token in _parser().parse(content):
        token.level += block.level
        token.map = block.map and [*block.map]
        yield token


def _html(tokens: Sequence[Token]) -> Markup:
    parser = _parser()
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def _mark_blocks(tokens: Sequence[Token]) -> None:
    _mark_callouts(tokens)
    _mark_tasks(tokens)
    _align(tokens)


def _with_pages(tokens: Sequence[Token], pages: Mapping[int, str], skipped: int) -> Iterator[Token]:
    """Before the first block of each page, what the page is called."""
    waiting = sorted(pages.items(), reverse=True)
    named = Markup('<p class="page-mark" id="page-{0}">Page {0}</p>\n')
    for token in tokens:
        if token.level == 0 and token.nesting >= 0 and token.map:
            while waiting and waiting[-1][0] <= token.map[0] + skipped + 1:
                yield Token("html_block", "", 0, content=str(named.format(waiting.pop()[1])))
        yield token


def _marked(token: Token, words: re.Pattern[str] | None) -> Iterator[Token]:
    if words is None or token.type not in ("text", "code_inline"):
        yield token
        return
    marked = set_apart(token.content, words)
    code = token.type == "code_inline"
    yield Token("html_inline", "", 0, content=f"<code>{marked}</code>" if code else str(marked))


def set_apart(text: str, words: re.Pattern[str] | None) -> Markup:
    """A line of text with the words that were asked for set apart."""
    if words is None:
        return escape(text)
    pieces = words.split(text)  # one group: what was asked for stands at the odd places
    # Every answer has some hundred pieces: to make markup of each takes twice as long.
    return Markup(
        "".join([f"<mark>{escaped(piece)}</mark>" if at % 2 else escaped(piece) for at, piece in enumerate(pieces)])
    )


def _code(text: str, words: re.Pattern[str] | None) -> Markup:
    return Markup("<pre>{}</pre>\n").format(set_apart(text.rstrip("\n"), words))


def _name_headings(tokens: Sequence[Token]) -> None:
    """Each heading can be led to by its words, the first of several that say the same, and by the anchor it gives."""
    named: set[str] = set()
    for opened, content in pairwise(tokens):
        if opened.type == "heading_open" and not opened.attrGet("id"):
            children = content.children or []
            around = attributes(content.content)
            if around and children and children[-1].content.endswith(around.strip()):
                children[-1].content = children[-1].content.removesuffix(around.strip()).rstrip()
            name = heading_id("".join(child.content for child in children))
            if name not in named:
                opened.attrSet("id", name)
            if (given := heading_id(given_anchor(around))) not in {*named, name, heading_id("")}:
                children.insert(0, Token("html_inline", "", 0, content=f'<a id="{given}"></a>'))
            named |= {name, given}


def _mark_callouts(tokens: Sequence[Token]) -> None:
    """`> [!tip] Title` becomes a box with a title: the kind of box where none is given."""
    for opened, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (opened.type, paragraph.type) != ("blockquote_open", "paragraph_open") or not inline.children:
            continue
        first = inline.children[0]
        if match := _CALLOUT.match(first.content):
            opened.attrJoin("class", "callout")
            opened.attrJoin("class", "caution" if match["kind"].lower() in _CAUTIONS else "hint-box")
            rest = first.content[match.end() :].lstrip()
            ends = [place for place, child in enumerate(inline.children) if child.type in ("softbreak", "hardbreak")]
            end = ends[0] if ends else len(inline.children)
            title = [_text(rest), *inline.children[1:end]]
            if not rest and end == 1:
                title = [_text(match["kind"].capitalize())]
            bold = [Token("strong_open", "strong", 1), *title, Token("strong_close", "strong", -1)]
            following = [Token("hardbreak", "br", 0), *inline.children[end + 1 :]] if ends else []
            inline.children = [*bold, *following]


def _mark_tasks(tokens: Sequence[Token]) -> None:
    """`- [ ]` and `- [x]` become a box, empty or ticked."""
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (item.type, paragraph.type) != ("list_item_open", "paragraph_open") or not inline.children:
            continue
        first = inline.children[0]
        if match := _TASK.match(first.content):
            item.attrJoin("class", "task")
            first.content = ("☐ " if match["state"] == " " else "☑ ") + first.content[match.end() :]


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
            target = str(token.attrGet("src") or "")
            made += _picture(place, target, token.content) or _link(place.link(target), _pictured(token.content))
        elif token.type == "text":
            made += _with_specials(token.content, place)
        else:
            made.append(token)
    return made


def _with_specials(text: str, place: DocumentPlace) -> list[Token]:
    made: list[Token] = []
    at = 0
    for match in _SPECIAL.finditer(text):
        made.append(_text(text[at : match.start()]))
        at = match.end()
        if match["highlighted"]:
            inside = _with_specials(match["highlighted"], place)
            made += [Token("mark_open", "mark", 1), *inside, Token("mark_close", "mark", -1)]
        elif match["footnote"]:
            number = _link(f"#{footnote_id(match['footnote'])}", match["footnote"])
            made += [Token("sup_open", "sup", 1), *number, Token("sup_close", "sup", -1)]
        else:
            target = match["target"].strip()
            shown = " → ".join(part.strip() for part in target.split("#") if part.strip())
            picture = _picture(place, target.partition("#")[0], match["label"] or "") if match["embedded"] else []
            if not picture and match["embedded"] and is_picture(target):
                picture = [_text(_pictured(shown))]
            made += picture or _link(named_link(place.collection, target), match["label"] or shown)
    return [*made, _text(text[at:])]


def _picture(place: DocumentPlace, target: str, label: str) -> list[Token]:
    """The picture that a note calls so, as wide as its label says: `![[dome.png|300]]`."""
    uri = place.pictures.get(target)
    if uri is None:
        return []
    width = _WIDTH.fullmatch(label)
    alt = "" if width else label
    size = Markup(' width="{}"').format(width["width"]) if width else Markup("")
    shown = Markup('<img src="{}" alt="{}"{} loading="lazy">').format(
        file_link(place.collection, uri), alt or PurePosixPath(uri).stem, size
    )
    return [Token("html_inline", "", 0, content=str(shown))]


def _pictured(name: str) -> str:
    return f"Picture: {name}" if name else "Picture"


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link(target: str, label: str) -> list[Token]:
    if not target:
        return [_text(label)]
    opened = Token("link_open", "a", 1, attrs={"href": target, "rel": "noopener noreferrer"})
    return [opened, _text(label), Token("link_close", "a", -1)]


def _fenced(content: str, language: str, attributes: str) -> str:
    return str(Markup("\n").join(coloured(content, language))) + "\n"
