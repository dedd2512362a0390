"""Excel 5 to 2003: a section for each sheet, its rows as tables that repeat the header; comments and text boxes.

The layout is Microsoft's [MS-XLS]: records one after the other, of which a long one goes on in others. Texts of cells
lie in one table, in which each may change its width where a record ends.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.spreadsheet_tables import MOST_COLUMNS, Formats, epoch_of, write_rows
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo.model.document import BlockKind
from octavo_office.compound_file import Compound, NoCompound, summary_facts

CONVERTER = "xls-2"
_BEGIN, _END, _CONTINUED, _LOCKED, _CODE_PAGE, _SINCE_1904 = 0x809, 0x0A, 0x3C, 0x2F, 0x42, 0x22
_SHEET, _STRINGS, _FORMAT, _STYLE = 0x85, 0xFC, 0x41E, 0xE0
_SHARED, _LABEL, _RICH, _NUMBER, _SHORT, _SHORTS, _FORMULA, _RESULT, _TRUTH = (
    0xFD, 0x204, 0xD6, 0x203, 0x27E, 0xBD, 0x06, 0x207, 0x205,
)  # fmt: skip
_NOTE, _OBJECT, _TEXT = 0x1C, 0x5D, 0x1B6
_EXCEL_97 = 0x0600
_WORKSHEET = 0
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_MOST_STRINGS = 2_000_000
_CODE_PAGES = {1200: "utf-16-le", 32768: "mac-roman", 32769: "cp1252"}


class Record(NamedTuple):
    kind: int
    parts: list[bytes]
    """What it holds, and what the records that continue it hold."""

    @property
    def data(self) -> bytes:
        return self.parts[0]


def read_xls(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        file = Compound(data)
    except NoCompound:
        return RefusedFile("damaged: it is no workbook that can be opened")
    stream = file.stream("Workbook") or file.stream("Book")
    builder = TextBuilder(Unit.SHEET)
    try:
        book = _Workbook(stream)
        if book.locked:
            return RefusedFile("encrypted: it needs a password")
        if not book.sheets:
            return RefusedFile("damaged: it has no sheets")
        with suppress(TooLong):
            for title, place, kind in book.sheets:
                builder.mark(title)
                builder.heading(1, title)
                if kind == _WORKSHEET:
                    _write_sheet(builder, book, place)
    except (struct.error, IndexError):
        if not builder.size:
            return RefusedFile("damaged: it ends before its sheets do")
        builder.warnings.append("damaged: it was read up to a place that makes no sense")
    facts = summary_facts(file)
    return builder.converted(CONVERTER, facts.pop("title", ""), facts)


class _Workbook:
    """What holds for all sheets: texts, formats, and where each sheet begins."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream
        self.locked = False
        self.sheets: list[tuple[str, int, int]] = []
        self.strings: list[str] = []
        self._encoding = "cp1252"
        self._styles: list[int] = []
        self._epoch = epoch_of(since_1904=False)
        self._wide = True
        codes: dict[int, str] = {}
        for record in _records(stream, 0):
            if record.kind == _BEGIN:
                self._wide = int.from_bytes(record.data[:2], "little") >= _EXCEL_97
            elif record.kind == _LOCKED:
                self.locked = True
                return
            elif record.kind == _CODE_PAGE:
                self._encoding = _encoding(int.from_bytes(record.data[:2], "little"))
            elif record.kind == _SINCE_1904:
                self._epoch = epoch_of(since_1904=record.data[:1] == b"\1")
            elif record.kind == _SHEET:
                place, _, kind, size = struct.unpack_from("<IBBB", record.data)
                self.sheets.append((one_line(self._text(record, 7, size)), place, kind))
            elif record.kind == _STRINGS:
                self.strings = list(_shared_strings(record))
            elif record.kind == _FORMAT:
                codes[int.from_bytes(record.data[:2], "little")] = self.text(record, 2)
            elif record.kind == _STYLE:
                self._styles.append(int.from_bytes(record.data[2:4], "little"))
        self._formats = Formats(codes)

    def text(self, record: Record, at: int) -> str:
        """A text with its length before it."""
        (size,) = struct.unpack_from("<H", record.data, at)
        return self._text(record, at + 2, size)

    def _text(self, record: Record, at: int, size: int) -> str:
        if not self._wide:
            return record.data[at : at + size].decode(self._encoding, "replace")
        return _Pieces(record.parts, at).characters(size)

    def value(self, number: float, style: int) -> str:
        return self._formats.shown(number, self._styles[style] if style < len(self._styles) else 0, self._epoch)


class _Pieces:
    """Reads on through the parts of a record."""

    def __init__(self, parts: Sequence[bytes], at: int = 0) -> None:
        self._parts, self._part, self._at = parts, 0, at

    def read(self, size: int) -> bytes:
        data = b""
        while size > len(data) and self._part < len(self._parts):
            taken = self._parts[self._part][self._at : self._at + size - len(data)]
            data += taken
            self._at += len(taken)
            if len(data) < size:
                self._part, self._at = self._part + 1, 0
        if len(data) < size:
            raise struct.error("a text ends too early")
        return data

    def characters(self, size: int, flags: int | None = None) -> str:
        """So many characters; where a part ends, the next one says anew how wide they are."""
        flags = self.read(1)[0] if flags is None else flags
        text = ""
        while True:
            width = 2 if flags & 1 else 1
            piece = self._parts[self._part][self._at : self._at + (size - len(text)) * width]
            self._at += len(piece)
            text += piece.decode("utf-16-le" if width == 2 else "latin-1", "replace")
            if len(text) >= size or self._part + 1 >= len(self._parts):
                return text
            self._part, self._at = self._part + 1, 1
            flags = self._parts[self._part][0] if self._parts[self._part] else flags

    def string(self) -> str:
        """With what says how it is shown, which is skipped."""
        size, flags = struct.unpack("<HB", self.read(3))
        runs = struct.unpack("<H", self.read(2))[0] if flags & 8 else 0
        more = struct.unpack("<I", self.read(4))[0] if flags & 4 else 0
        text = self.characters(size, flags)
        self.read(4 * runs + more)
        return text


def _records(stream: bytes, at: int) -> Iterator[Record]:
    """From one place to the end of what begins there; what is embedded in it is passed over."""
    waiting: Record | None = None
    depth = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        content = stream[at + 4 : at + 4 + size]
        at += 4 + size
        if kind == _CONTINUED and waiting is not None:
            waiting.parts.append(content)
            continue
        if waiting is not None and depth == 1:
            yield waiting
        waiting = Record(kind, [content])
        depth += kind == _BEGIN
        depth -= kind == _END
        if depth <= 0:
            return
    if waiting is not None and depth == 1:
        yield waiting


def _shared_strings(record: Record) -> Iterator[str]:
    pieces = _Pieces(record.parts, 8)
    count = min(int.from_bytes(record.data[4:8], "little"), _MOST_STRINGS)
    with suppress(struct.error):
        for _ in range(count):
            yield pieces.string()


def _write_sheet(builder: TextBuilder, book: _Workbook, place: int) -> None:
    rows: dict[int, dict[int, str]] = {}
    texts: dict[int, str] = {}
    notes: list[tuple[int, int, int, str]] = []
    waiting: tuple[int, int] | None = None  # the cell of a formula whose result follows
    drawn = 0
    for record in _records(book.stream, place):
        if record.kind == _RESULT and waiting is not None:
            rows.setdefault(waiting[0], {})[waiting[1]] = book.text(record, 0)
        elif record.kind == _OBJECT and len(record.data) >= 8:
            drawn = int.from_bytes(record.data[6:8], "little")
        elif record.kind == _TEXT and len(record.parts) > 1:
            (size,) = struct.unpack_from("<H", record.data, 10)
            texts[drawn] = _Pieces(record.parts[1:]).characters(size)
        elif record.kind == _NOTE and len(record.data) >= 8:
            row, column, _, drawing = struct.unpack_from("<HHHH", record.data)
            author = book.text(record, 8) if len(record.data) >= 11 else ""
            notes.append((row, column, drawing, one_line(author)))
        else:
            waiting = None
            for row, column, shown in _cells(book, record):
                rows.setdefault(row, {})[column] = shown
                waiting = row, column
    write_rows(builder, _in_order(rows))
    for _, _, drawing, author in sorted(notes):
        if comment := one_line(texts.pop(drawing, "")):
            builder.paragraph(f"> Comment{f' by {author}' if author else ''}: {comment}", BlockKind.QUOTE)
    for _, text in sorted(texts.items()):
        builder.paragraph(text)


def _in_order(rows: Mapping[int, Mapping[int, str]]) -> Iterator[list[str]]:
    """Rows of a sheet; where numbers are left out, there is an empty one."""
    for above, row in pairwise([-1, *sorted(rows)]):
        if row > above + 1:
            yield []
        yield [rows[row].get(column, "") for column in range(min(max(rows[row]) + 1, MOST_COLUMNS))]


def _cells(book: _Workbook, record: Record) -> Iterator[tuple[int, int, str]]:
    """Row, column and what is shown, of the cells that a record holds."""
    kind, data = record.kind, record.data
    if kind == _SHORTS and len(data) >= 6:
        row, column = struct.unpack_from("<HH", data)
        for number, at in enumerate(range(4, len(data) - 7, 6)):
            style, value = struct.unpack_from("<HI", data, at)
            yield row, column + number, book.value(_short(value), style)
        return
    if kind not in (_SHARED, _LABEL, _RICH, _NUMBER, _SHORT, _FORMULA, _TRUTH) or len(data) < 8:
        return
    row, column, style = struct.unpack_from("<HHH", data)
    shown = ""
    if kind == _SHARED:
        (number,) = struct.unpack_from("<I", data, 6)
        shown = book.strings[number] if number < len(book.strings) else ""
    elif kind in (_LABEL, _RICH):
        shown = book.text(record, 6)
    elif kind == _NUMBER:
        shown = book.value(struct.unpack_from("<d", data, 6)[0], style)
    elif kind == _SHORT:
        shown = book.value(_short(struct.unpack_from("<I", data, 6)[0]), style)
    elif kind == _TRUTH:
        shown = _truth(data[6], error=data[7] == 1)
    elif data[12:14] != b"\xff\xff":
        shown = book.value(struct.unpack_from("<d", data, 6)[0], style)
    elif data[6] in (1, 2):
        shown = _truth(data[8], error=data[6] == 2)
    yield row, column, shown


def _truth(value: int, *, error: bool) -> str:
    return _ERRORS.get(value, "#N/A") if error else ("TRUE" if value else "FALSE")


def _short(value: int) -> float:
    """A number in 30 bits, of which two others say whether it is whole and whether it was multiplied by a hundred."""
    if value & 2:
        number = float((value >> 2) - (1 << 30 if value & 0x80000000 else 0))
    else:
        (number,) = struct.unpack("<d", b"\0\0\0\0" + struct.pack("<I", value & 0xFFFFFFFC))
    return number / 100 if value & 1 else number


def _encoding(page: int) -> str:
    name = _CODE_PAGES.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return "cp1252" if name == "utf-16-le" else name
