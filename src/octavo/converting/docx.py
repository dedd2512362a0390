"""Word: headings by style, lists, tables, footnotes, comments and text boxes, in the order of the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.heading_styles_and_list_numbers import (
    TITLE_LEVEL,
    ListLevel,
    ListNumbers,
    heading_level,
    item_parts,
)
from octavo.converting.pptx import chart_labels, diagram_labels
from octavo.converting.spreadsheet_tables import Cell, grid
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.converting.zipped_xml import Package, attribute, below, child, core_facts, local
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.document import BlockKind

CONVERTER = "docx-4"
_AUTOMATIC = "Description automatically generated"
_LEAST_DESCRIPTION = 4  # characters: shorter ones are numbers
_LIST = regex(r"^.*?(?:\s([2-9]))?$")
_NO_LIST = "0"  # the number of a list that takes a paragraph out of its style's list
_LONG_CELL = 600  # characters: a table with longer cells lays out a page


def read_docx(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    package = Package(data)
    main = _main_part(package)
    root = package.xml(main)
    body = child(root, "body")
    if body is None:
        return RefusedFile("damaged: it has no body")
    builder = TextBuilder()
    reader = _Reader(builder, package, main)
    with suppress(TooLong):
        reader.blocks(body)
        reader.footnotes()
    facts = core_facts(package)
    title = facts.pop("title", "") or reader.title or next((heading.title for heading in builder.headings), "")
    return builder.converted(CONVERTER, title, facts)


def _main_part(package: Package) -> str:
    for kind, target in package.related("").values():
        if kind == "officeDocument":
            return target
    return "word/document.xml"


class _Reader:
    def __init__(self, builder: TextBuilder, package: Package, main: str) -> None:
        self._builder = builder
        self._package = package
        self._related = package.related(main)
        self._levels = self._heading_styles()
        self._list_depths = self._list_styles()
        self._style_lists = self._listed_by_style()
        self._numbering = Numbering(self._parts("numbering"))
        self._comments = {attribute(node, "id"): _comment(node) for node in self._part("comments", "comment")}
        self._notes = {
            (kind, attribute(node, "id")): " ".join(_text(node).split())
            for kind in ("footnote", "endnote")
            for node in self._part(f"{kind}s", kind)
            if attribute(node, "type") not in ("separator", "continuationSeparator")
        }
        self._cited: list[tuple[str, str]] = []
        self.title = ""

    def blocks(self, parent: Element) -> None:
        for node in parent:
            name = local(node)
            if name == "p":
                self._paragraph(node)
            elif name == "tbl":
                self._table(node)
            elif name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml", "body"):
                self.blocks(node)

    def footnotes(self) -> None:
        for number, key in enumerate(self._cited, 1):
            if note := self._notes.get(key):
                self._builder.paragraph(f"[^{number}]: {note}")

    def _paragraph(self, node: Element) -> None:
        properties = child(node, "pPr")
        style_node = child(properties, "pStyle")
        style = attribute(style_node, "val") if style_node is not None else ""
        text = "".join(self._inline(node)).strip()
        level = self._levels.get(style, 0)
        outline = child(properties, "outlineLvl")
        if outline is not None and attribute(outline, "val").isdigit() and int(attribute(outline, "val")) < 6:
            level = int(attribute(outline, "val")) + 1
        if style.casefold().startswith("toc") and len(style) <= 5:
            return  # the table of contents repeats every heading
        if level == TITLE_LEVEL:
            self.title = self.title or " ".join(text.split())
            self._builder.heading(1, text)
        elif level:
            number = self._number(properties, style, level - 1)  # an empty one is counted as well
            self._builder.heading(level, f"{number} {text}" if text else "")
        elif (depth := self._list_depth(properties, style)) is not None:
            shown, marker = item_parts(self._number(properties, style, depth), text)
            self._builder.item(shown, depth, marker)
        else:
            self._builder.paragraph(text)
        self._beside(node)

    def _number(self, properties: Element | None, style: str, depth: int) -> str:
        """What Word counts before a paragraph: by its own list, else by that of its style."""
        listing = child(properties, "numPr")
        number = child(listing, "numId")
        own = attribute(number, "val") if number is not None else ""
        if own == _NO_LIST:
            return ""
        return self._numbering.next(own or self._style_lists.get(style, ""), depth)

    def _list_depth(self, properties: Element | None, style: str) -> int | None:
        """How deep in a list a paragraph is: it says so itself, or its style does; None outside of lists."""
        listing = child(properties, "numPr")
        if listing is None:
            return self._list_depths.get(style)
        number = child(listing, "numId")
        if number is not None and attribute(number, "val") == _NO_LIST:
            return None
        return _depth(listing) or self._list_depths.get(style, 0)

    def _beside(self, node: Element) -> None:
        """Text boxes and comments that are anchored in a paragraph."""
        for box in _boxes(node):
            self.blocks(box)
        for picture in below(node, "docPr"):
            described = attribute(picture, "descr").removesuffix(_AUTOMATIC).strip()
            self._builder.paragraph(described if len(described) >= _LEAST_DESCRIPTION else "")
        for chart in below(node, "chart"):
            target = self._related.get(attribute(chart, "id"), ("", ""))[1]
            self._builder.paragraph(chart_labels(self._package.xml(target)) if target else "")
        for diagram in below(node, "relIds"):
            for label in diagram_labels(self._package, self._related.get(attribute(diagram, "dm"), ("", ""))[1]):
                self._builder.item(label)
        for mark in below(node, "commentReference"):
            if comment := self._comments.pop(attribute(mark, "id"), ""):
                self._builder.paragraph(f"> {comment}", BlockKind.QUOTE)

    def _inline(self, node: Element) -> Iterator[str]:
        for part in node:
            name = local(part)
            if name == "t":
                yield part.text or ""
            elif name in ("tab", "ptab"):
                yield "\t"
            elif name in ("br", "cr"):
                yield "\n"
            elif name == "noBreakHyphen":
                yield "-"
            elif name in ("footnoteReference", "endnoteReference"):
                key = (name.removesuffix("Reference"), attribute(part, "id"))
                if key in self._notes:
                    self._cited.append(key)
                    yield f"[^{len(self._cited)}]"
            elif name == "hyperlink":
                yield self._link(part)
            elif name not in ("del", "moveFrom", "Fallback", "txbxContent", "pPr", "rPr", "instrText", "delText"):
                yield from self._inline(part)

    def _link(self, node: Element) -> str:
        shown = "".join(self._inline(node))
        kind, target = self._related.get(attribute(node, "id"), ("", ""))
        linked = kind == "hyperlink" and target.startswith(("http://", "https://")) and shown.strip()
        return f"[{shown}]({target})" if linked and " " not in target and "]" not in shown else shown

    def _table(self, node: Element) -> None:
        rows: list[list[tuple[Element, str]]] = []
        for line in (element for element in _flat(node) if local(element) == "tr"):
            cells = [cell for cell in _flat(line) if local(cell) == "tc"]
            rows.append([(cell, " ".join("".join(self._cell(cell)).split())) for cell in cells])
        if any(len(text) > _LONG_CELL for row in rows for _, text in row) or all(len(row) <= 1 for row in rows):
            for row in rows:
                for cell, _ in row:
                    self.blocks(cell)
            return
        self._builder.table(grid([Cell(text, _columns(cell)) for cell, text in row] for row in rows))
        self._beside(node)

    def _cell(self, node: Element) -> Iterator[str]:
        for part in node:
            if local(part) == "p":
                yield from self._inline(part)
                yield " "
            elif local(part) not in ("tcPr", "trPr", "tblPr", "tblGrid"):
                yield from self._cell(part)

    def _heading_styles(self) -> dict[str, int]:
        """Style id → heading level."""
        levels: dict[str, int] = {}
        based: dict[str, str] = {}
        for style in self._part("styles", "style"):
            id_ = attribute(style, "styleId")
            named = child(style, "name")
            label = attribute(named, "val") if named is not None else ""
            if level := heading_level(label):
                levels[id_] = level
            elif (outline := next(below(style, "outlineLvl"), None)) is not None:
                value = attribute(outline, "val")
                if value.isdigit() and int(value) < 6:
                    levels[id_] = int(value) + 1
            parent = child(style, "basedOn")
            if parent is not None:
                based[id_] = attribute(parent, "val")
        for id_ in based:
            above, steps = id_, 0
            while above not in levels and above in based and steps < 10:
                above, steps = based[above], steps + 1
            if levels.get(above, 0) > 0:
                levels.setdefault(id_, levels[above])
        return levels

    def _list_styles(self) -> dict[str, int]:
        """Style id → depth in a list, of styles that are lists: "List Bullet 2" is in one that is in another."""
        depths: dict[str, int] = {}
        for style in self._part("styles", "style"):
            listing = next(below(style, "numPr"), None)
            named = child(style, "name")
            if listing is not None and (label := _LIST.match(attribute(named, "val") if named is not None else "")):
                depths[attribute(style, "styleId")] = int(label[1]) - 1 if label[1] else _depth(listing)
        return depths

    def _listed_by_style(self) -> dict[str, str]:
        """Style id → the number of the list that it makes."""
        styles: dict[str, str] = {}
        for style in self._part("styles", "style"):
            if (number := next(below(style, "numId"), None)) is not None:
                styles[attribute(style, "styleId")] = attribute(number, "val")
        return styles

    def _part(self, kind: str, tag: str) -> list[Element]:
        return [node for node in self._parts(kind) if local(node) == tag]

    def _parts(self, kind: str) -> list[Element]:
        target = next((target for relation, target in self._related.values() if relation == kind), "")
        root = self._package.xml(target) if target else None
        return list(root) if root is not None else []


def _boxes(node: Element) -> Iterator[Element]:
    """The outermost text boxes below; programs write each a second time for those that do not know the first form."""
    for part in node:
        if local(part) == "txbxContent":
            yield part
        elif local(part) != "Fallback":
            yield from _boxes(part)


def _depth(listing: Element) -> int:
    depth = child(listing, "ilvl")
    value = attribute(depth, "val") if depth is not None else ""
    return int(value) if value.isdigit() else 0


def _columns(cell: Element) -> int:
    span = child(child(cell, "tcPr"), "gridSpan")
    value = attribute(span, "val") if span is not None else ""
    return int(value) if value.isdigit() and len(value) < 4 else 1


def _flat(node: Element) -> Iterator[Element]:
    """Children, with those of content controls in their place."""
    for part in node:
        if local(part) in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _flat(part)
        else:
            yield part


def _comment(node: Element) -> str:
    author = attribute(node, "author")
    return f"Comment{f' by {author}' if author else ''}: {' '.join(_text(node).split())}"


def _text(node: Element) -> str:
    parts = []
    for part in node.iter():
        if local(part) == "t":
            parts.append(part.text or "")
        elif local(part) in ("p", "tab", "br"):
            parts.append(" ")
    return "".join(parts)


class Numbering:
    """What Word calls a list's number is one use of an abstract list, and all uses are counted together."""

    def __init__(self, parts: Iterable[Element]) -> None:
        lists: dict[str, dict[int, ListLevel]] = {}
        self._abstract: dict[str, str] = {}
        for part in parts:
            if local(part) == "abstractNum":
                levels = {_value(level, "", "ilvl"): _level(level) for level in part if local(level) == "lvl"}
                lists[attribute(part, "abstractNumId")] = levels
            elif local(part) == "num":
                used = child(part, "abstractNumId")
                self._abstract[attribute(part, "numId")] = attribute(used, "val") if used is not None else ""
        self._numbers = ListNumbers(lists)

    def next(self, number: str, depth: int) -> str:
        """What stands before the next item of a list at this depth."""
        return self._numbers.next(self._abstract.get(number, ""), depth)


def _level(node: Element) -> ListLevel:
    kind, pattern = child(node, "numFmt"), child(node, "lvlText")
    return ListLevel(
        attribute(kind, "val") if kind is not None else "decimal",
        attribute(pattern, "val") if pattern is not None else "",
        _value(next(below(node, "start"), None), "1"),
    )


def _value(node: Element | None, fallback: str = "", name: str = "val") -> int:
    value = (attribute(node, name) if node is not None else "") or fallback
    return int(value) if value.isdigit() and len(value) < 7 else 0
