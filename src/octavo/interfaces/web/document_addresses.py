"""URLs of the web pages of documents, files and wikilink names, and the anchors of their headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import quote, unquote, urljoin, urlsplit

from octavo.fast_dataclass import Value

_ELSEWHERE = frozenset({"http", "https", "mailto"})


class DocumentPlace(Value):
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
