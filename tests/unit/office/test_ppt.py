"""Presentations of PowerPoint 97: slides in their order with their titles, texts, tables and notes; broken ones."""

from __future__ import annotations

import random
import struct

import pytest
from compound_files import compound

from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo_office.ppt import read_ppt

TITLE, BODY, NOTES, OTHER = 0, 1, 2, 4
DOCUMENT, SLIDE, NOTE, NOTE_FACTS, PERSIST, DRAWING, LIST, EDIT, DIRECTORY = (
    1000, 1006, 1008, 1009, 1011, 1036, 4080, 4085, 6002,
)  # fmt: skip
PLAIN, LOCKED = 0xE391C05F, 0xF3D1C4DF


def record(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    content = b"".join(parts)
    return struct.pack("<HHI", instance << 4 | 15, kind, len(content)) + content


def text(kind: int, words: str) -> bytes:
    return record(3999, struct.pack("<I", kind)) + record(4000, words.encode("utf-16-le"))


def shape(content: bytes, place: tuple[int, int] = (0, 0), placeholder: int = 0) -> bytes:
    box = record(0xF00D, content)
    client = record(0xF011, record(3011, struct.pack("<iB", 0, placeholder)))
    return record(0xF004, record(0xF00F, struct.pack("<iiii", *place, 0, 0)), client, box)


def outlined(number: int) -> bytes:
    return shape(record(3998, struct.pack("<I", number)))


def table(*cells: bytes) -> bytes:
    first = record(0xF004, record(0xF122, struct.pack("<HI", 0x039F, 1)))
    return record(0xF003, first, *cells)


def page(kind: int, *shapes: bytes, before: bytes = b"") -> bytes:
    return record(kind, before, record(DRAWING, record(0xF002, record(0xF003, *shapes))))


def listed(number: int, id_: int, *texts: bytes) -> bytes:
    return record(PERSIST, struct.pack("<IIIII", number, 0, 0, id_, 0)) + b"".join(texts)


def presentation(token: int = PLAIN) -> bytes:
    """Its second slide was saved again: the directory of the second edit says where the newer version lies."""
    parts = {
        1: record(
            DOCUMENT,
            record(LIST, listed(2, 256, text(TITLE, "Bees"), text(BODY, "Wax\rHoney\x0bin jars")), listed(3, 257)),
            record(LIST, listed(4, 300), instance=2),
        ),
        2: page(SLIDE, outlined(1), outlined(0), shape(text(OTHER, "*"), placeholder=8)),
        3: page(SLIDE, shape(text(TITLE, "Old"))),
        4: page(NOTE, shape(text(NOTES, "Say it\rslowly.")), before=record(NOTE_FACTS, struct.pack("<I", 257))),
    }
    newer = page(
        SLIDE,
        table(*(shape(text(OTHER, words), place) for words, place in
                (("40", (50, 9)), ("Jars", (50, 0)), ("Month", (0, 0)), ("May", (0, 9))))),
        record(0xF003, shape(text(OTHER, "In a group"))),
    )  # fmt: skip
    stream, places = b"", []
    for content in parts.values():
        places.append(len(stream))
        stream += content

    def saved(earlier: int, first: int, *places: int) -> bytes:
        directory = len(stream)
        entries = struct.pack(f"<I{len(places)}I", len(places) << 20 | first, *places)
        return record(DIRECTORY, entries) + record(EDIT, struct.pack("<IIIII", 0, 0, earlier, directory, 1))

    stream += saved(0, 1, *places)
    first = stream.rindex(struct.pack("<H", EDIT)) - 2
    newest = len(stream)
    stream += newer
    stream += saved(first, 3, newest)
    last = stream.rindex(struct.pack("<H", EDIT)) - 2
    user = struct.pack("<HHIIIIHHI", 0, 0x0FF6, 24, 20, token, last, 0, 0x3F4, 0)
    return compound({"Current User": user, "PowerPoint Document": stream})


def test_slides_come_in_their_order_in_their_newest_version() -> None:
    found = read_ppt("a.ppt", presentation(), ConversionSettings())
    assert isinstance(found, Converted)
    assert found.text == (
        "# Bees\n\n- Wax\n- Honey in jars\n\n"
        "# Slide 2\n\n| Month | Jars |\n| --- | --- |\n| May | 40 |\n\nIn a group\n\nNotes: Say it\nslowly.\n"
    )
    assert (found.unit, [mark.label for mark in found.marks], found.title) == (Unit.SLIDE, ["1", "2"], "Bees")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (presentation(LOCKED), "encrypted: it needs a password"),
        (compound({"PP40": b"x"}), "PowerPoint before 97 wrote it, which nothing here reads"),
        (compound({"PowerPoint Document": b"x"}), "damaged: it does not say where its slides lie"),
        (b"no such file", "damaged: it is no presentation that can be opened"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    assert read_ppt("a.ppt", data, ConversionSettings()) == RefusedFile(reason)


def test_broken_files_give_what_can_be_read_of_them() -> None:
    whole, chance = presentation(), random.Random(5)
    for _ in range(300):
        broken = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.choice((1, 8, 60))):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        assert read_ppt("a.ppt", bytes(broken), ConversionSettings()) is not None
