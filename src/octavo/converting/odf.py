"""OpenDocument: texts with headings, lists, tables, notes and comments; slides; sheets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.heading_styles_and_list_numbers import TITLE_LEVEL, heading_level
from octavo.converting.spreadsheet_tables import write_rows
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import Package, attribute, below, child, core_facts, local
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo.model.document import BlockKind

CONVERTER = "odf-3"
_UNITS = {"presentation": Unit.SLIDE, "spreadsheet": Unit.SHEET}
_MOST_REPEATED = 100


def read_odf(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    package = Package(data)
    manifest = package.read("META-INF/manifest.xml") or b""
    if b"encryption-data" in manifest:
        return RefusedFile("encrypted: it needs a password")
    root = package.xml("content.xml")
    body = child(root, "body")
    content = next((node for node in body), None) if body is not None else None
    if content is None:
        return RefusedFile("damaged: it has no content")
    facts = core_facts(package, "meta.xml")
    builder = TextBuilder(_UNITS.get(local(content)))
    reader = _Reader(builder, _title_styles(root))
    with suppress(TooLong):
        reader.write(content)
        reader.notes()
    title = facts.pop("title", "") or next((heading.title for heading in builder.headings), "")
    return builder.converted(CONVERTER, title, facts)


class _Reader:
    def __init__(self, builder: TextBuilder, title_styles: frozenset[str]) -> None:
        self._builder = builder
        self._title_styles = title_styles
        self._notes: list[str] = []
        self._slides = 0

    def write(self, content: Element) -> None:
        if local(content) == "spreadsheet":
            for table in content:
                if local(table) == "table":
                    self._builder.mark(attribute(table, "name"))
                    self._builder.heading(1, attribute(table, "name"))
                    write_rows(self._builder, _rows(table))
            return
        self._blocks(content, 0)

    def notes(self) -> None:
        for number, note in enumerate(self._notes, 1):
            self._builder.paragraph(f"[^{number}]: {note}")

    def _blocks(self, parent: Element, depth: int) -> None:
        for node in parent:
            name = local(node)
            if name == "h":
                level = attribute(node, "outline-level")
                self._builder.heading(int(level) if level.isdigit() else 1, self._inline(node))
            elif name == "p":
                self._paragraph(node, depth)
            elif name == "list":
                self._blocks(node, depth + 1)
            elif name == "table":
                self._builder.table(_rows(node))
            elif name == "page":
                self._slide(node)
            elif name not in ("tracked-changes", "sequence-decls", "forms", "table-of-content", "notes", "annotation"):
                self._blocks(node, depth)

    def _paragraph(self, node: Element, depth: int) -> None:
        text = self._inline(node)
        if attribute(node, "style-name") in self._title_styles:
            self._builder.heading(1, text)
        elif depth:
            self._builder.item(text, depth - 1)
        else:
            self._builder.paragraph(text)
        for comment in below(node, "annotation"):
            author = next((one_line(part.text or "") for part in below(comment, "creator")), "")
            remark = " ".join(one_line(_text(part)) for part in below(comment, "p"))
            self._builder.paragraph(f"> Comment{f' by {author}' if author else ''}: {remark}", BlockKind.QUOTE)
        for box in below(node, "text-box"):
            self._blocks(box, 0)

    def _slide(self, node: Element) -> None:
        self._slides += 1
        self._builder.mark(str(self._slides))
        frames = [frame for frame in node if local(frame) in ("frame", "custom-shape", "g")]
        title = next((frame for frame in frames if attribute(frame, "class") == "title"), None)
        shown = one_line(_text(title)) if title is not None else ""
        self._builder.heading(1, shown or f"Slide {self._slides}")
        for frame in frames:
            if frame is not title:
                self._blocks(frame, 0)
        for notes in node:
            if local(notes) == "notes":
                speech = "\n".join(one_line(_text(part)) for part in below(notes, "p"))
                self._builder.paragraph(f"Notes: {speech}" if speech.strip() else "")

    def _inline(self, node: Element) -> str:
        parts: list[str] = [node.text or ""]
        for part in node:
            name = local(part)
            if name == "note":
                body = next(below(part, "note-body"), None)
                self._notes.append(one_line(_text(body)) if body is not None else "")
                parts.append(f"[^{len(self._notes)}]")
            elif name == "s":
                parts.append(" ")
            elif name == "tab":
                parts.append("\t")
            elif name == "line-break":
                parts.append("\n")
            elif name == "a":
                target, shown = attribute(part, "href"), self._inline(part)
                parts.append(f"[{shown}]({target})" if target.startswith("http") and shown else shown)
            elif name not in ("annotation", "annotation-end", "text-box", "bookmark", "desc", "title"):
                parts.append(self._inline(part))
            parts.append(part.tail or "")
        return "".join(parts)


def _title_styles(root: Element | None) -> frozenset[str]:
    """The styles of a document's title: the one that programs have, and those that authors derive from it."""
    derived = (
        attribute(style, "name")
        for style in (below(root, "style") if root is not None else ())
        if heading_level(attribute(style, "parent-style-name")) == TITLE_LEVEL
    )
    return frozenset({"Title", *derived})


def _rows(table: Element) -> Iterator[list[str]]:
    for row in below(table, "table-row"):
        cells: list[str] = []
        for cell in row:
            if local(cell) in ("table-cell", "covered-table-cell"):
                repeated = attribute(cell, "number-columns-repeated")
                text = " ".join(one_line(_text(part)) for part in below(cell, "p"))
                cells += [text] * (min(int(repeated), _MOST_REPEATED) if repeated.isdigit() else 1)
        again = attribute(row, "number-rows-repeated")
        yield from [cells] * (min(int(again), _MOST_REPEATED) if again.isdigit() and any(cells) else 1)


def _text(node: Element) -> str:
    """All text below, with spaces for tabs, breaks and paragraphs."""
    gap = " " if local(node) in ("s", "tab", "line-break", "p") else ""
    return gap + (node.text or "") + "".join(_text(part) + (part.tail or "") for part in node)
