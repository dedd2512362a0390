"""HTML: the main content of a page with its headings, lists, tables and code; what surrounds it is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.html_tree import HtmlElement, parse_html
from octavo.converting.spreadsheet_tables import Cell, grid
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted
from octavo.model.document import BlockKind

CONVERTER = "html-5"

_LEVELS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_NAMES = """
address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header
hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul
"""
_BLOCK = frozenset(_BLOCK_NAMES.split()) | frozenset(_LEVELS)
_SURROUNDING = frozenset({"nav", "aside", "footer", "button", "dialog", "head"})
_SURROUNDING_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "dialog", "menu"})
_SURROUNDING_CLASSES = regex(
    r"(?:^|[\s_-])(?:navbar|nav-?bar|sidebar|side-?bar|breadcrumbs?|cookie|menu|toc|table-of-contents|pagination|footer|"
    r"share|social|advert|banner|skip-?link|headerlink|nav-chapters|mobile-nav|theme-doc-toc|related|newsletter)(?:$|[\s_-])"
)
_CONTENT_CLASSES = regex(
    r"(?:^|[\s_-])(?:article|post|entry|markdown|content|document|body|main)(?:-?(?:body|content|text))?(?:$|[\s_-])"
)
_HIDDEN = regex(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE = regex(r"(?:language|lang|highlight|brush)[-:]\s*([\w+#-]+)")
_LEAST_SHARE = 0.25  # of a page's text: a smaller element is not what the page is about
_LINKED = 0.6  # of a list's text: one that is mostly links, outside of the content, leads elsewhere


def read_html(name: str, data: bytes, settings: ConversionSettings) -> Converted:
    root = parse_html(data.decode("utf-8", "replace"))
    builder = TextBuilder()
    content = main_content(root)
    about = page_facts(root, content)
    write_html(builder, content)
    title = about.pop("title", "") or next((heading.title for heading in builder.headings), "")
    return builder.converted(CONVERTER, title, about)


def write_html(builder: TextBuilder, node: HtmlElement, *, whole: bool = False) -> None:
    """What is below a node, of a book or a message the `whole`; a text that is too long ends where it does."""
    try:
        _Writer(builder, is_hidden if whole else is_surrounding).write(node)
    except TooLong:
        return


def page_facts(root: HtmlElement, content: HtmlElement) -> dict[str, Any]:
    """Title, canonical address, author, date, description and DOI, as the page's head gives them."""
    metas: dict[str, str] = {}
    about: dict[str, Any] = {}
    for node in root.walk():
        given = node.attributes
        if node.name == "meta":
            label = (given.get("name") or given.get("property") or given.get("itemprop") or "").casefold()
            if label and given.get("content"):
                metas.setdefault(label, one_line(given["content"])[:1000])
        elif node.name == "link" and "canonical" in given.get("rel", "").casefold().split():
            about.setdefault("url", given.get("href", ""))
        elif node.name == "title" and "title" not in about:
            about["title"] = one_line(node.text())
    fact_names = {
        "url": ("og:url",),
        "author": ("author", "citation_author", "article:author", "dc.creator"),
        "date": ("article:published_time", "citation_publication_date", "date", "dc.date", "datepublished"),
        "description": ("description", "og:description"),
        "doi": ("citation_doi", "dc.identifier"),
        "fetched": ("fetched",),
    }
    for field, names in fact_names.items():
        value = next((metas[name] for name in names if name in metas), "")
        if value and not about.get(field) and (field != "doi" or value.removeprefix("doi:").startswith("10.")):
            about[field] = value.removeprefix("doi:") if field == "doi" else value
    if not str(about.get("url", "")).startswith(("http://", "https://")):
        about.pop("url", None)
    title = about.get("title") or metas.get("og:title", "") or metas.get("citation_title", "")
    heading = content.first("h1") or root.first("h1")
    about["title"] = _own_title(title, one_line(heading.text()) if heading is not None else "")
    return {name: value for name, value in about.items() if value}


def _own_title(title: str, heading: str) -> str:
    """A page's title is often `Article - Site`: the heading alone says which page it is."""
    heading = heading.rstrip("¶#§ ")
    return heading if heading and heading.casefold() in title.casefold() else title


def main_content(root: HtmlElement) -> HtmlElement:
    """The element that holds what the page is about, or all of it."""
    body = root.first("body") or root
    whole = _size(body)
    candidates = [
        [node for node in body.walk() if node.name == "main" or node.attributes.get("role") == "main"],
        [node for node in body.walk() if node.name == "article" or node.attributes.get("itemprop") == "articleBody"],
        [node for node in body.walk() if node.name in ("div", "section") and _CONTENT_CLASSES.search(node.classes)],
    ]
    for at, elements in enumerate(candidates):
        sizes = [(_size(node), node) for node in elements]
        size, best = max(sizes, key=lambda pair: pair[0], default=(0, body))
        # Several articles of like size are a list of them: then the page is about all of them.
        alone = sum(other for other, _ in sizes) <= 1.5 * size or at == 0
        least = 0.02 if at == 0 else _LEAST_SHARE if at == 1 else 0.5
        if alone and size >= max(least * whole, 40):
            return best
    return body


def _size(node: HtmlElement) -> int:
    """How much text there is below a node that is not navigation."""
    total = 0
    waiting = [node]
    while waiting:
        current = waiting.pop()
        for child in current.children:
            if isinstance(child, str):
                total += len(child.strip())
            elif not is_surrounding(child):
                waiting.append(child)
    return total


def is_hidden(node: HtmlElement) -> bool:
    """Whether a reader does not see an element, or only as a list of links to the others."""
    given = node.attributes
    if node.name in ("head", "nav") or "hidden" in given or given.get("aria-hidden") == "true":
        return True
    return _HIDDEN.search(given.get("style", "")) is not None


def is_surrounding(node: HtmlElement) -> bool:
    """Whether an element belongs to the site and not to the page's content."""
    if node.name in _SURROUNDING or node.attributes.get("role", "") in _SURROUNDING_ROLES or is_hidden(node):
        return True
    if node.name in ("body", "main", "article", "html"):
        return False
    return bool(_SURROUNDING_CLASSES.search(node.classes)) and node.first("h1", "main", "article") is None


class _Writer:
    """Writes a tree into a builder: inline text is gathered until a block begins."""

    def __init__(self, builder: TextBuilder, left_out: Callable[[HtmlElement], bool]) -> None:
        self._builder = builder
        self._left_out = left_out
        self._gathered: list[str] = []
        self._lists: list[str] = []
        self._numbers: list[int] = []
        self._begun: list[bool] = []  # whether the items around this place have text already
        self._quoted = 0

    def write(self, node: HtmlElement) -> None:
        self._children(node)
        self._flush()

    def _children(self, node: HtmlElement) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._gathered.append(child)
            elif not self._left_out(child):
                self._element(child)

    def _element(self, node: HtmlElement) -> None:
        name = node.name
        if name in _LEVELS:
            self._flush()
            self._builder.heading(_LEVELS[name], _inline(node).rstrip("¶#§ "))
        elif name == "pre":
            self._flush()
            self._builder.code(node.text(), _language(node))
        elif name == "table":
            self._flush()
            self._table(node)
        elif name in ("ul", "ol"):
            self._flush()
            self._lists.append(name)
            self._numbers.append(_number(node.attributes.get("start", "1")))
            self._children(node)
            self._flush()
            self._lists.pop()
            self._numbers.pop()
        elif name == "li" and self._lists:
            self._flush()
            self._begun.append(False)
            self._children(node)
            self._flush()
            self._begun.pop()
        elif name == "blockquote":
            self._flush()
            self._quoted += 1
            self._children(node)
            self._flush()
            self._quoted -= 1
        elif name == "br":
            self._gathered.append("\n")
        elif name == "img":
            self._gathered.append(f" {node.attributes.get('alt', '')} ")
        elif name == "code":
            code = one_line(node.text())
            self._gathered.append(f"`{code}`" if code and "`" not in code else code)
        elif name == "a":
            self._link(node)
        elif name in _BLOCK:
            self._flush()
            self._children(node)
            self._flush()
        else:
            self._children(node)

    def _link(self, node: HtmlElement) -> None:
        target = node.attributes.get("href", "")
        inner = list(node.walk())
        if "headerlink" in node.classes or "anchor" in node.classes.split():
            return
        if any(child.name in _BLOCK or child.name == "img" for child in inner):
            self._children(node)
            return
        shown = _inline(node)
        linked = target.startswith(("http://", "https://")) and shown and "]" not in shown
        self._gathered.append(f"[{shown}]({target})" if linked and " " not in target else shown)

    def _table(self, node: HtmlElement) -> None:
        rows = [row for row in node.walk() if row.name == "tr"]
        cells = [[child for child in row.children if isinstance(child, HtmlElement)] for row in rows]
        nested = any(inner.name == "table" and inner is not node for inner in node.walk())
        wide = any(_blocks_in(cell) > 3 for row in cells for cell in row)
        if nested or wide or not rows:
            # A table that lays out the page, or has cells without rows: they are read one after the other.
            self._children(node)
            self._flush()
            return
        if caption := node.first("caption"):
            self._builder.paragraph(_inline(caption))
        self._builder.table(grid([_cell(cell) for cell in row] for row in cells))

    def _flush(self) -> None:
        text = _collapsed("".join(self._gathered))
        self._gathered.clear()
        if not text:
            return
        if self._lists and self._begun and self._begun[-1]:
            self._builder.item_paragraph(text, len(self._lists) - 1)
        elif self._lists:
            marker = "-"
            if self._lists[-1] == "ol":
                marker = f"{self._numbers[-1]}."
                self._numbers[-1] += 1
            self._builder.item(text, len(self._lists) - 1, marker)
            if self._begun:
                self._begun[-1] = True
        elif self._quoted:
            self._builder.paragraph("\n".join(f"> {line}" for line in text.split("\n")), BlockKind.QUOTE)
        else:
            self._builder.paragraph(text)


def _cell(node: HtmlElement) -> Cell:
    columns, rows = (_number(node.attributes.get(name, "1")) for name in ("colspan", "rowspan"))
    return Cell(_inline(node), columns, rows)


def _collapsed(text: str) -> str:
    """White space as a browser shows it; a line break that was asked for is lost in it, as in most texts it should."""
    return " ".join(text.split())


def _inline(node: HtmlElement) -> str:
    return " ".join(_visible(node).split())


def _visible(node: HtmlElement) -> str:
    def texts(current: HtmlElement) -> Iterator[str]:
        for child in current.children:
            if isinstance(child, str):
                yield child
            elif child.name == "img":
                yield f" {child.attributes.get('alt', '')} "
            elif child.name == "br":
                yield " "
            elif "headerlink" not in child.classes:
                yield " " if child.name in _BLOCK else ""
                yield from texts(child)
                yield " " if child.name in _BLOCK else ""

    return "".join(texts(node))


def _blocks_in(node: HtmlElement) -> int:
    return sum(child.name in ("p", "div", "li", "pre", *_LEVELS) for child in node.walk())


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 7 else 1


def _language(node: HtmlElement) -> str:
    for child in [node, *node.walk(), *([node.parent] if node.parent is not None else [])]:
        if match := _LANGUAGE.search(child.attributes.get("class", "")):
            return match[1].casefold()
    return ""
