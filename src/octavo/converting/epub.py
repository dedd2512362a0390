"""EPUB: the chapters of a book in the order of its spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from octavo.converting.charset_declarations import declared_text
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.html import write_html
from octavo.converting.html_tree import HtmlElement, parse_html
from octavo.converting.text_builder import TextBuilder, one_line
from octavo.converting.zipped_xml import Package, attribute, below, child, local
from octavo.model.converted_file import Converted, RefusedFile

CONVERTER = "epub-2"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def read_epub(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    builder = TextBuilder()
    package = Package(data)
    if any(name.endswith("rights.xml") for name in package.names):
        return RefusedFile("encrypted: it is protected against copying")
    container = package.xml("META-INF/container.xml")
    if container is None:
        return RefusedFile("damaged: it has no container")
    place = next((attribute(node, "full-path") for node in below(container, "rootfile")), "")
    book = package.xml(place)
    if book is None:
        return RefusedFile("damaged: it has no table of its parts")
    facts = _facts(book)
    titles = _titles(package, book, place)
    for part in _chapters(book, place):
        page = package.read(part)
        if page is not None:
            body = _body(page)
            if part in titles and body.first(*_HEADINGS) is None and body.text().strip():
                builder.heading(1, titles[part])
            write_html(builder, body, whole=True)
    return builder.converted(CONVERTER, facts.pop("title", ""), facts)


def _body(page: bytes) -> HtmlElement:
    root = parse_html(declared_text(page) or page.decode("utf-8", "replace"))
    return root.first("body") or root


def _titles(package: Package, book: Element, place: str) -> dict[str, str]:
    """Part → what the table of contents calls it, for chapters that do not say so themselves."""
    titles: dict[str, str] = {}
    for node in below(book, "item"):
        part = _part(place, attribute(node, "href"))
        if "nav" in attribute(node, "properties").split():
            page = package.read(part)
            for link in _body(page).walk() if page is not None else ():
                if link.name == "a" and link.attributes.get("href"):
                    titles.setdefault(_part(part, link.attributes["href"]), one_line(link.text()))
        elif "ncx" in attribute(node, "media-type"):
            contents = package.xml(part)
            for point in below(contents, "navPoint") if contents is not None else ():
                label, target = next(below(point, "text"), None), next(below(point, "content"), None)
                if label is not None and target is not None:
                    titles.setdefault(_part(part, attribute(target, "src")), one_line(label.text or ""))
    return titles


def _part(place: str, address: str) -> str:
    """The name of a part to which an address in another one leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(address.partition("#")[0])))


def _chapters(book: Element, place: str) -> Iterator[str]:
    parts = {attribute(node, "id"): node for node in below(book, "item")}
    for reference in below(book, "itemref"):
        node = parts.get(attribute(reference, "idref"))
        if node is None or "nav" in attribute(node, "properties").split():
            continue
        if "html" in attribute(node, "media-type"):
            yield _part(place, attribute(node, "href"))


def _facts(book: Element) -> dict[str, str]:
    names = {"title": "title", "creator": "author", "date": "date", "description": "description"}
    facts: dict[str, str] = {}
    metadata = child(book, "metadata")
    for node in metadata if metadata is not None else ():
        field = names.get(local(node))
        if field and node.text:
            facts.setdefault(field, one_line(node.text)[:500])
    return facts
