"""HTML as a tree: forgiving, bounded in depth and size, without scripts and styles."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
VOID = frozenset(_VOID_NAMES.split())
_SILENT_NAMES = "script style template noscript svg math iframe object canvas select datalist"
_SILENT = frozenset(_SILENT_NAMES.split())
_CLOSES: dict[str, frozenset[str]] = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr", "td", "th"}),
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
    "option": frozenset({"option"}),
}
_BLOCK_NAMES = """
address article aside blockquote details dialog div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav
ol p pre section table ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_FENCES = frozenset({"table", "ul", "ol", "dl", "body", "html", "article", "main", "section", "div", "blockquote"})
_DEEPEST = 200


class HtmlElement:
    """An element. Children are elements and texts, in order."""

    __slots__ = ("attributes", "children", "name", "parent")

    def __init__(self, name: str, attributes: dict[str, str] | None = None, parent: HtmlElement | None = None) -> None:
        self.name = name
        self.attributes = attributes or {}
        self.children: list[HtmlElement | str] = []
        self.parent = parent

    def walk(self) -> Iterator[HtmlElement]:
        """This element and all below it, in the order of the document."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in reversed(node.children) if isinstance(child, HtmlElement)]

    def first(self, *names: str) -> HtmlElement | None:
        return next((node for node in self.walk() if node.name in names), None)

    def text(self) -> str:
        """All text below, as it is written."""
        pieces: list[str] = []
        waiting: list[HtmlElement | str] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            if item.name == "br":
                pieces.append("\n")
            waiting += reversed(item.children)
        return "".join(pieces)

    @property
    def classes(self) -> str:
        return f"{self.attributes.get('class', '')} {self.attributes.get('id', '')}".casefold()


def parse_html(text: str) -> HtmlElement:
    parser = _TreeParser()
    parser.feed(text)
    parser.close()
    return parser.root


class _TreeParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = HtmlElement("#root")
        self._open = [self.root]
        self._silent = ""
        self._silent_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent:
            self._silent_depth += tag == self._silent
            return
        if tag == "math":  # a formula says itself in words or TeX where its author has written them
            self._open[-1].children.append(next((f" {value} " for name, value in attrs if name == "alttext"), " "))
        if tag in _SILENT:
            self._silent, self._silent_depth = tag, 1
            return
        self._close_implied(tag)
        node = HtmlElement(tag, {name: value or "" for name, value in attrs}, self._open[-1])
        self._open[-1].children.append(node)
        if tag not in VOID and len(self._open) < _DEEPEST:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._silent_depth -= tag == self._silent
            if not self._silent_depth:
                self._silent = ""
            return
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].name == tag:
                del self._open[at:]
                return
            if self._open[at].name == "table" and tag not in ("body", "html"):
                return  # a stray end inside a table closes nothing around it

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._open[-1].children.append(data)

    def _close_implied(self, tag: str) -> None:
        closes = _CLOSES.get(tag)
        if closes is None:
            if tag in _BLOCKS and self._open[-1].name == "p":
                self._open.pop()
            return
        for at in range(len(self._open) - 1, 0, -1):
            name = self._open[at].name
            if name in closes:
                del self._open[at:]
                if tag != "tr" or name == "tr":
                    return
            elif name in _FENCES:
                return
