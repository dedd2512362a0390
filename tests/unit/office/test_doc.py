"""Documents of Word 97: headings, lists, tables, notes, comments, links and deleted text; Word 6; broken ones."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence

import pytest
from compound_files import compound

from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile
from octavo_office.doc import read_doc

START = 1024  # where the text lies in the file
HEADING, NORMAL, CONTENTS, OWN = 2, 0, 11, 12
IN_TABLE, ROW_END, LISTED = b"\x16\x24\x01", b"\x16\x24\x01\x17\x24\x01", b"\x0b\x46\x01\x00"
DEEPER = LISTED + b"\x0a\x26\x01"
DELETED = b"\x00\x08\x01"


def style(kind: int, parent: int, name: str) -> bytes:
    held = struct.pack("<HHHHH", kind, parent << 4 | 1, 0, 0, 0) + struct.pack("<H", len(name))
    held += name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<H", len(held)) + held


def styles() -> bytes:
    named = {
        NORMAL: style(0, 0xFFF, "Normal"),
        HEADING: style(0xFFF, 0, "Kop 2"),
        CONTENTS: style(19, 0, "toc 1"),
        OWN: style(0xFFE, HEADING, "Mine"),
    }
    count = max(named) + 1
    return struct.pack("<HHH4x", 8, count, 10) + b"".join(named.get(number, b"\0\0") for number in range(count))


def runs(places: Sequence[int], held: Sequence[bytes], *, paragraphs: bool) -> bytes:
    """A page of properties: where each run begins, and what holds in it."""
    page = bytearray(512)
    page[-1] = len(held)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    at = 510
    for number, properties in enumerate(held):
        if paragraphs:
            properties = properties + b"\0" * ((len(properties) + 1) % 2)
            block, step = bytes([(len(properties) + 1) // 2]) + properties, 13
        else:
            block, step = bytes([len(properties)]) + properties, 1
        at -= len(block) + len(block) % 2
        page[at : at + len(block)] = block
        page[4 * len(places) + step * number] = at // 2
    return bytes(page)


def document(
    paragraphs: Sequence[tuple[str, int, bytes]],
    note: str = "",
    comment: str = "",
    deleted: str = "",
    flags: int = 0,
    lists: Mapping[int, bytes] | None = None,
) -> bytes:
    """Paragraphs with the characters that end them, their styles and what else holds for them."""
    main = "".join(text for text, _, _ in paragraphs)
    text = main + note + comment
    raw = text.encode("utf-16-le")
    word = bytearray(START) + raw
    word += b"\0" * (-len(word) % 512)
    ends, at = [START], START
    for paragraph, _, _ in paragraphs:
        at += 2 * len(paragraph)
        ends.append(at)
    held = [struct.pack("<H", number) + more for _, number, more in paragraphs]
    tables: dict[int, bytes] = {1: styles()}
    tables[13] = struct.pack("<III", START, ends[-1], len(word) // 512)
    word += runs(ends, held, paragraphs=True)
    gone = START + 2 * main.index(deleted) if deleted else START
    places = [START, gone, gone + 2 * len(deleted), START + len(raw)]
    tables[12] = struct.pack("<III", START, START + len(raw), len(word) // 512)
    word += runs(places, [b"", DELETED if deleted else b"", b""], paragraphs=False)
    tables[33] = b"\x02" + struct.pack("<IIIHIH", 16, 0, len(text), 0, START, 0)
    if note:
        tables[2] = struct.pack("<IIH", main.index("\x02"), len(main), 1)
        tables[3] = struct.pack("<III", 0, len(note), len(note))
    if comment:
        tables[4] = struct.pack("<II", main.index("\x05"), len(main)) + bytes(20) + struct.pack("<H8x", 0)
        tables[5] = struct.pack("<III", 0, len(comment), len(comment))
        tables[36] = struct.pack("<H", 3) + "Ada".encode("utf-16-le")
    table = b""
    for number, content in {**tables, **(lists or {})}.items():
        struct.pack_into("<II", word, 0x9A + 8 * number, len(table), len(content))
        table += content
    struct.pack_into("<H8xH", word, 0, 0xA5EC, flags)
    struct.pack_into("<8I", word, 0x4C, len(main), len(note), 0, 0, len(comment), 0, 0, 0)
    return compound({"WordDocument": bytes(word), "0Table": table})


PAGE = document(
    [
        ("Listed\t7\r", CONTENTS, b""),
        ("Bees\r", HEADING, b""),
        ('They make\x02 \x13 HYPERLINK "https://wax.example/" \x14wax\x15 and no lead.\x05\r', NORMAL, b""),
        ("First\r", NORMAL, LISTED),
        ("Within\r", NORMAL, DEEPER),
        ("Month\x07", NORMAL, IN_TABLE),
        ("Jars\x07", NORMAL, IN_TABLE),
        ("\x07", NORMAL, ROW_END),
        ("May\r", NORMAL, IN_TABLE),
        ("early\x07", NORMAL, IN_TABLE),
        ("40\x07", NORMAL, IN_TABLE),
        ("\x07", NORMAL, ROW_END),
        ("Wasps\r", OWN, b""),
        ("Non\x1esocial \x13 PAGE \x14ones.\r", NORMAL, b""),
    ],
    note="\x02 In summer.\r",
    comment="\x05Is it so?\r",
    deleted=" and no lead",
)


def test_a_document_keeps_headings_lists_tables_notes_comments_and_links() -> None:
    found = read_doc("a.doc", PAGE, ConversionSettings())
    assert isinstance(found, Converted)
    assert found.text == (
        "## Bees\n\nThey make[^1] [wax](https://wax.example/).\n\n> Comment by Ada: Is it so?\n\n"
        "- First\n  - Within\n\n"
        "| Month | Jars |\n| --- | --- |\n| May early | 40 |\n\n## Wasps\n\nNon-social ones.\n\n[^1]: In summer.\n"
    )
    assert found.title == "Bees"


def test_word_6_is_read_as_paragraphs() -> None:
    text = b"Bees make caf\xe9.\rAnd wax.\r"
    word = bytearray(0x200) + text
    struct.pack_into("<H", word, 0, 0xA5DC)
    struct.pack_into("<II", word, 0x18, 0x200, 0x200 + len(text))
    struct.pack_into("<I", word, 0x34, len(text))
    found = read_doc("a.doc", compound({"worddocument": bytes(word)}), ConversionSettings())
    assert isinstance(found, Converted)
    assert found.text == "Bees make café.\n\nAnd wax.\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (document([("secret\r", NORMAL, b"")], flags=0x100), "encrypted: it needs a password"),
        (compound({"WordDocument": bytes(64)}), "damaged: it is no document of Word that can be opened"),
        (compound({"Other": b"x"}), "damaged: it is no document of Word that can be opened"),
        (b"WPC", "damaged: it is no document of Word that can be opened"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    assert read_doc("a.doc", data, ConversionSettings()) == RefusedFile(reason)


def test_broken_files_give_what_can_be_read_of_them() -> None:
    chance = random.Random(5)
    for _ in range(300):
        broken = bytearray(PAGE[: chance.randrange(len(PAGE))] if chance.random() < 0.3 else PAGE)
        for _ in range(chance.choice((1, 8, 60))):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        assert read_doc("a.doc", bytes(broken), ConversionSettings()) is not None


def level(kind: int, shown: str, start: int = 1) -> bytes:
    return struct.pack("<IB19xBB2xH", start, kind, 0, 0, len(shown)) + shown.encode("utf-16-le")


def test_items_and_headings_have_their_numbers() -> None:
    decimal, letters, bullets = 0, 4, 23
    levels = [level(decimal, "\0."), level(letters, "\0.\1"), *[level(bullets, "\uf0b7")] * 7]
    lists = struct.pack("<H", 2) + struct.pack("<I22xBx", 77, 0) + struct.pack("<I22xBx", 78, 1)
    uses = struct.pack("<I", 2) + struct.pack("<I12x", 78) + struct.pack("<I12x", 77)
    tables = {73: lists + b"".join(levels) + level(decimal, "\0)", start=4), 74: uses}
    second, first = b"\x0b\x46\x02\x00", b"\x0b\x46\x01\x00"
    paragraphs = [
        ("Bees\r", HEADING, second),
        ("Wax\r", NORMAL, second + b"\x0a\x26\x01"),
        ("Honey\r", NORMAL, second + b"\x0a\x26\x01"),
        ("Propolis\r", NORMAL, second + b"\x0a\x26\x02"),
        ("Wasps\r", NORMAL, second),
        ("Four\r", NORMAL, first),
        ("Five\r", NORMAL, first),
        ("Plain\r", NORMAL, b"\x0b\x46\x00\x00"),
    ]
    found = read_doc("a.doc", document(paragraphs, lists=tables), ConversionSettings())
    assert isinstance(found, Converted)
    assert found.text == ("## 1. Bees\n\n- 1.a Wax\n- 1.b Honey\n  - Propolis\n2. Wasps\n4. Four\n5. Five\n\nPlain\n")
