"""Workbooks of Excel 97: sheets, texts in every width, dates, formulas, comments, text boxes; Excel 5; broken ones."""

from __future__ import annotations

import random
import struct

import pytest
from compound_files import compound

from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo_office.xls import read_xls

BEGIN_97, BEGIN_5 = struct.pack("<HH", 0x0600, 5), struct.pack("<HH", 0x0500, 5)


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def text(words: str, size: str = "H") -> bytes:
    return struct.pack(f"<{size}B", len(words), 1) + words.encode("utf-16-le")


def cell(kind: int, row: int, column: int, content: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<HHH", row, column, style) + content)


def strings() -> bytes:
    """Month; a text that changes its width where the record ends; one with a run of formatting behind it."""
    first = struct.pack("<II", 3, 3) + text("Month") + struct.pack("<HB", 9, 0) + b"Jars "
    rest = b"\1" + "café".encode("utf-16-le") + struct.pack("<HBH", 3, 8, 1) + b"May" + bytes(4)
    return record(0xFC, first) + record(0x3C, rest)


def workbook(*sheets: tuple[str, bytes], begin: bytes = BEGIN_97, more: bytes = b"") -> bytes:
    wide = begin == BEGIN_97
    names = [text(name, "B") if wide else bytes([len(name)]) + name.encode("cp1252") for name, _ in sheets]
    about = record(0x41E, struct.pack("<H", 170) + text("yyyy-mm-dd")) if wide else b""
    about += record(0xE0, bytes(4)) + record(0xE0, struct.pack("<HH", 0, 170)) + record(0xE0, struct.pack("<HH", 0, 9))
    about += more
    at = len(record(0x809, begin)) + len(about) + sum(10 + len(name) for name in names) + 4
    listed, bodies = b"", b""
    for name, (_, body) in zip(names, sheets, strict=True):
        listed += record(0x85, struct.pack("<IBB", at + len(bodies), 0, 0) + name)
        bodies += record(0x809, begin) + body + record(0x0A)
    stream = record(0x809, begin) + about + listed + record(0x0A) + bodies
    return compound({"Workbook" if wide else "Book": stream})


CELLS = (
    cell(0xFD, 0, 0, struct.pack("<I", 0)) + cell(0xFD, 0, 1, struct.pack("<I", 1)) + cell(0x204, 0, 2, text("Share"))
    + cell(0xFD, 1, 0, struct.pack("<I", 2)) + cell(0x27E, 1, 1, struct.pack("<I", 40 << 2 | 2))
    + cell(0x203, 1, 2, struct.pack("<d", 0.25), 2) + cell(0x203, 2, 0, struct.pack("<d", 45000), 1)
    + record(0xBD, struct.pack("<HHHIHIH", 2, 1, 0, (2**30 - 700) << 2 | 3, 0, 8 << 2 | 2, 2))
    + cell(0x06, 3, 0, b"\0\0\0\0\0\0\xff\xff" + bytes(8)) + record(0x207, text("sum"))
    + cell(0x06, 3, 1, struct.pack("<d", 1.5) + bytes(8)) + cell(0x205, 3, 2, b"\x07\x01")
    + record(0x809, BEGIN_97) + cell(0x204, 9, 9, text("of a chart")) + record(0x0A)
    + record(0x5D, struct.pack("<HHHH", 0x15, 18, 25, 1)) + record(0x1B6, struct.pack("<10xHH4x", 7, 8))
    + record(0x3C, b"\0Is it?!") + record(0x3C, bytes(8))
    + record(0x5D, struct.pack("<HHHH", 0x15, 18, 6, 2)) + record(0x1B6, struct.pack("<10xHH4x", 5, 8))
    + record(0x3C, b"\0A box") + record(0x3C, bytes(8))
    + record(0x1C, struct.pack("<HHHH", 1, 1, 0, 1) + text("Ada"))
)  # fmt: skip
BOOK = workbook(("Jars", CELLS), ("Empty", b""), more=strings())


def test_sheets_have_their_names_their_rows_and_what_is_noted_beside_them() -> None:
    found = read_xls("a.xls", BOOK, ConversionSettings())
    assert isinstance(found, Converted)
    assert found.text == (
        "# Jars\n\n| Month | Jars café | Share |\n| --- | --- | --- |\n| May | 40 | 25% |\n| 2023-03-15 | -7 | 8 |\n"
        "| sum | 1.5 | #DIV/0! |\n\n> Comment by Ada: Is it?!\n\nA box\n\n# Empty\n"
    )
    assert (found.unit, [mark.label for mark in found.marks]) == (Unit.SHEET, ["Jars", "Empty"])


def test_excel_5_is_read_in_its_code_page() -> None:
    label = cell(0x204, 0, 0, struct.pack("<H", 4) + "мёд!".encode("cp1251"))
    found = read_xls(
        "a.xls", workbook(("S", label), begin=BEGIN_5, more=record(0x42, b"\xe3\x04")), ConversionSettings()
    )
    assert isinstance(found, Converted)
    assert found.text == "# S\n\nмёд!\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (workbook(("S", b""), more=record(0x2F, bytes(6))), "encrypted: it needs a password"),
        (compound({"Workbook": record(0x809, BEGIN_97)}), "damaged: it has no sheets"),
        (b"no such file", "damaged: it is no workbook that can be opened"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    assert read_xls("a.xls", data, ConversionSettings()) == RefusedFile(reason)


def test_broken_files_give_what_can_be_read_of_them() -> None:
    chance = random.Random(5)
    for _ in range(300):
        broken = bytearray(BOOK[: chance.randrange(len(BOOK))] if chance.random() < 0.3 else BOOK)
        for _ in range(chance.choice((1, 8, 60))):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        assert read_xls("a.xls", bytes(broken), ConversionSettings()) is not None
