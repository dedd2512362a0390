"""Excel: a section for each sheet, its rows as tables that repeat the header; formulas by their last values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from xml.etree.ElementTree import Element

from octavo.converting.child import Settings
from octavo.converting.tables import write_rows
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.converting.zipped_xml import Damaged, Package, attribute, below, child, core_facts, local
from octavo.model.converted import Converted, Refused, Unit

CONVERTER = "xlsx-2"
_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_PERCENTS = frozenset({9, 10})
_DATE_CODE = re.compile(r"(?:[dyh]|m{3}|s{2})", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|\\.|\[[^\]]*\]")
_CELL = re.compile(r"([A-Z]{1,3})(\d+)")
_MOST_GAP = 100  # empty columns that are kept between two cells


def read_xlsx(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    builder = TextBuilder(Unit.SHEET)
    try:
        package = Package(data)
        main = next((target for kind, target in package.related("").values() if kind == "officeDocument"), "")
        main = main or "xl/workbook.xml"
        root = package.xml(main)
        if root is None:
            return Refused("damaged: it has no workbook")
        related = package.related(main)
        strings = _strings(package, related)
        shown = _styles(package, related)
        late = any(attribute(node, "date1904") in ("1", "true") for node in below(root, "workbookPr"))
        epoch = date(1904, 1, 1) if late else date(1899, 12, 30)
        facts = core_facts(package)
        try:
            for sheet in below(root, "sheet"):
                target = related.get(_relation(sheet), ("", ""))[1]
                part = package.xml(target) if target else None
                builder.mark(attribute(sheet, "name"))
                builder.heading(1, attribute(sheet, "name"))
                if part is not None:
                    write_rows(builder, _rows(part, strings, shown, epoch))
        except TooLong:
            pass
    except Damaged as error:
        return Refused(str(error))
    return builder.converted(CONVERTER, facts.pop("title", ""), facts)


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
    """The numbers of the cell styles that show dates, and of those that show per cent."""

    dates: frozenset[int]
    percents: frozenset[int]


def _styles(package: Package, related: dict[str, tuple[str, str]]) -> _Styles:
    target = next((target for kind, target in related.values() if kind == "styles"), "")
    root = package.xml(target) if target else None
    if root is None:
        return _Styles(frozenset(), frozenset())
    codes = {
        int(attribute(node, "numFmtId")): _QUOTED.sub("", attribute(node, "formatCode"))
        for node in below(root, "numFmt")
        if attribute(node, "numFmtId").isdigit()
    }
    dates = _DATES | {id_ for id_, code in codes.items() if _DATE_CODE.search(code)}
    percents = _PERCENTS | {id_ for id_, code in codes.items() if "%" in code}
    styles = next(below(root, "cellXfs"), None)
    formats = [attribute(node, "numFmtId") for node in (styles if styles is not None else ())]
    numbers = [(number, int(id_)) for number, id_ in enumerate(formats) if id_.isdigit()]
    return _Styles(
        frozenset(number for number, id_ in numbers if id_ in dates),
        frozenset(number for number, id_ in numbers if id_ in percents),
    )


def _rows(root: Element, strings: list[str], shown: _Styles, epoch: date) -> Iterator[list[str]]:
    for row in below(root, "row"):
        cells: list[str] = []
        for cell in row:
            if local(cell) != "c":
                continue
            place = _CELL.match(attribute(cell, "r"))
            column = _column(place[1]) if place else len(cells)
            if 0 < column - len(cells) <= _MOST_GAP:
                cells += [""] * (column - len(cells))
            cells.append(_value(cell, strings, shown, epoch))
        yield cells


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: Element, strings: list[str], shown: _Styles, epoch: date) -> str:
    kind = attribute(cell, "t")
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
    style = attribute(cell, "s")
    if style.isdigit() and int(style) in shown.dates:
        return _date(text, epoch)
    return _number(text, percent=style.isdigit() and int(style) in shown.percents)


def _number(text: str, *, percent: bool) -> str:
    """As a sheet shows it: without the noise of binary fractions."""
    try:
        number = float(text)
    except ValueError:
        return text
    if percent:
        return f"{number * 100:.10g}%"
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else f"{number:.12g}"


def _date(text: str, epoch: date) -> str:
    try:
        moment = datetime.combine(epoch, time(), UTC) + timedelta(days=float(text))
    except (ValueError, OverflowError):
        return text
    if float(text) < 1:
        return moment.strftime("%H:%M")
    return moment.strftime("%Y-%m-%d" if float(text) == int(float(text)) else "%Y-%m-%d %H:%M")
