"""Excel: a section for each sheet, its rows as tables that repeat the header; formulas by their last values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from typing import NamedTuple
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.spreadsheet_tables import Formats, epoch_of, write_rows
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import Package, attribute, below, child, core_facts, local
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo.model.document import BlockKind

CONVERTER = "xlsx-4"
_THREADED, _THREAD = "[Threaded comment]", "Comment:"  # what Excel writes for programs that know no threads
_CELL = regex(r"([A-Z]{1,3})(\d+)")
_MOST_GAP = 100  # empty columns that are kept between two cells


def read_xlsx(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    builder = TextBuilder(Unit.SHEET)
    package = Package(data)
    main = next((target for kind, target in package.related("").values() if kind == "officeDocument"), "")
    main = main or "xl/workbook.xml"
    root = package.xml(main)
    if root is None:
        return RefusedFile("damaged: it has no workbook")
    related = package.related(main)
    strings = _strings(package, related)
    late = any(attribute(node, "date1904") in ("1", "true") for node in below(root, "workbookPr"))
    shown = _styles(package, related, epoch_of(since_1904=late))
    facts = core_facts(package)
    with suppress(TooLong):
        for sheet in below(root, "sheet"):
            target = related.get(_relation(sheet), ("", ""))[1]
            builder.mark(attribute(sheet, "name"))
            builder.heading(1, attribute(sheet, "name"))
            if target:
                write_rows(builder, _rows(package.each(target, "row"), strings, shown))
                _write_beside(builder, package, package.related(target))
    return builder.converted(CONVERTER, facts.pop("title", ""), facts)


def _write_beside(builder: TextBuilder, package: Package, related: dict[str, tuple[str, str]]) -> None:
    """Comments and text boxes of a sheet."""
    parts = [(kind, package.xml(target)) for kind, target in related.values() if kind in ("comments", "drawing")]
    for kind, root in parts:
        if root is None:
            continue
        if kind == "drawing":
            for box in below(root, "txBody"):
                for line in (node for node in box if local(node) == "p"):
                    builder.paragraph(one_line("".join(part.text or "" for part in below(line, "t"))))
            continue
        authors = [one_line(node.text or "") for node in below(root, "author")]
        for node in below(root, "comment"):
            number = attribute(node, "authorId")
            author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
            text = "".join(part.text or "" for part in below(node, "t"))
            if text.startswith(_THREADED):
                author, text = "", text.partition(_THREAD)[2]
            if text.strip():
                shown = f"> Comment{f' by {author}' if author else ''}: {one_line(text)}"
                builder.paragraph(shown, BlockKind.QUOTE)


def _relation(node: Element) -> str:
    return next((value for key, value in node.attrib.items() if key.endswith("}id")), "")


def _strings(package: Package, related: dict[str, tuple[str, str]]) -> list[str]:
    target = next((target for kind, target in related.values() if kind == "sharedStrings"), "")
    root = package.xml(target) if target else None
    if root is None:
        return []
    return [_string(node) for node in root if local(node) == "si"]


def _string(node: Element) -> str:
    """Without the reading aids of Japanese text."""
    return "".join(
        part.text or ""
        for run in node
        if local(run) in ("r", "t")
        for part in ([run] if local(run) == "t" else below(run, "t"))
    )


class _Styles(NamedTuple):
    """The number format of each cell style, and what the formats show."""

    numbers: tuple[int, ...]
    formats: Formats
    epoch: date

    def shown(self, value: float, style: str) -> str:
        at = int(style) if style.isdigit() else 0
        return self.formats.shown(value, self.numbers[at] if at < len(self.numbers) else 0, self.epoch)


def _styles(package: Package, related: dict[str, tuple[str, str]], epoch: date) -> _Styles:
    target = next((target for kind, target in related.values() if kind == "styles"), "")
    root = package.xml(target) if target else None
    if root is None:
        return _Styles((), Formats({}), epoch)
    codes = {
        int(attribute(node, "numFmtId")): attribute(node, "formatCode")
        for node in below(root, "numFmt")
        if attribute(node, "numFmtId").isdigit()
    }
    styles = next(below(root, "cellXfs"), None)
    numbers = [attribute(node, "numFmtId") for node in (styles if styles is not None else ())]
    return _Styles(tuple(int(number) if number.isdigit() else 0 for number in numbers), Formats(codes), epoch)


def _rows(rows: Iterable[Element], strings: list[str], shown: _Styles) -> Iterator[list[str]]:
    """In their order; where numbers of rows are left out, there is an empty one."""
    last = 0
    for row in rows:
        number = row.get("r", "")
        if number.isdigit():
            if int(number) > last + 1:
                yield []
            last = int(number)
        cells: list[str] = []
        for cell in row:
            if local(cell) != "c":
                continue
            place = _CELL.match(cell.get("r", ""))
            column = _column(place[1]) if place else len(cells)
            if 0 < column - len(cells) <= _MOST_GAP:
                cells += [""] * (column - len(cells))
            cells.append(_value(cell, strings, shown))
        yield cells


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Element, strings: list[str], shown: _Styles) -> str:
    kind = cell.get("t", "")
    if kind == "inlineStr":
        inline = child(cell, "is")
        return _string(inline) if inline is not None else ""
    node = child(cell, "v")
    text = (node.text or "") if node is not None else ""
    if kind == "s":
        return strings[int(text)] if text.isdigit() and int(text) < len(strings) else ""
    if kind == "b":
        return "TRUE" if text == "1" else "FALSE"
    if kind in ("str", "e", "d"):
        return text
    if not text:
        formula = child(cell, "f")  # nothing computed it yet
        return f"={formula.text}" if formula is not None and formula.text else ""
    try:
        return shown.shown(float(text), cell.get("s", ""))
    except ValueError:
        return text
