"""EPUB: the chapters of a book in the order of its spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from octavo.converting.charsets import declared_text
from octavo.converting.child import Settings
from octavo.converting.html import write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder, one_line
from octavo.converting.zipped_xml import Damaged, Package, attribute, below, child, local
from octavo.model.converted import Converted, Refused

CONVERTER = "epub-1"


def read_epub(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    builder = TextBuilder()
    try:
        package = Package(data)
        if any(name.endswith("rights.xml") for name in package.names):
            return Refused("encrypted: it is protected against copying")
        container = package.xml("META-INF/container.xml")
        if container is None:
            return Refused("damaged: it has no container")
        place = next((attribute(node, "full-path") for node in below(container, "rootfile")), "")
        book = package.xml(place)
        if book is None:
            return Refused("damaged: it has no table of its parts")
        facts = _facts(book)
        for part in _chapters(book, place):
            page = package.read(part)
            if page is not None:
                root = parse_html(declared_text(page) or page.decode("utf-8", "replace"))
                write_html(builder, root.first("body") or root)
    except Damaged as error:
        return Refused(str(error))
    return builder.converted(CONVERTER, facts.pop("title", ""), facts)


def _chapters(book: Element, place: str) -> Iterator[str]:
    folder = posixpath.dirname(place)
    parts = {attribute(node, "id"): node for node in below(book, "item")}
    for reference in below(book, "itemref"):
        node = parts.get(attribute(reference, "idref"))
        if node is None or "nav" in attribute(node, "properties").split():
            continue
        if "html" in attribute(node, "media-type"):
            yield posixpath.normpath(posixpath.join(folder, unquote(attribute(node, "href"))))


def _facts(book: Element) -> dict[str, str]:
    wanted = {"title": "title", "creator": "author", "date": "date", "description": "description"}
    found: dict[str, str] = {}
    metadata = child(book, "metadata")
    for node in metadata if metadata is not None else ():
        field = wanted.get(local(node))
        if field and node.text:
            found.setdefault(field, one_line(node.text)[:500])
    return found
