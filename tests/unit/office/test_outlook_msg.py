"""Messages that Outlook saved: whole ones, with everything attached to them, and broken ones."""

from __future__ import annotations

import random
import struct
from datetime import UTC, datetime, timedelta

import pytest
from compound_files import Storage, compound

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.mail import read_mail
from octavo.model.converted_file import Converted, Member, RefusedFile
from octavo_office.compound_file import Compound, NoCompound
from octavo_office.outlook_msg import decompressed, read_message

PROPERTIES = "__properties_version1.0"
ATTACHED, RECIPIENT = "__attach_version1.0_#0000000", "__recip_version1.0_#0000000"
INTEGER, TIME = 0x0003, 0x0040
CODE_PAGE, PAGE_OF_HTML, SENT, KIND = 0x3FFD, 0x3FDE, 0x0039, 0x0C15
SENT_AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def stream(number: int, kind: int = 0x001F) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"


def wide(**texts: str) -> dict[str, bytes]:
    """Streams of text, named by the hexadecimal numbers of their properties."""
    return {stream(int(number[1:], 16)): text.encode("utf-16-le") for number, text in texts.items()}


def table(head: int, **values: int) -> dict[str, bytes]:
    entries = {int(name[1:], 16): value for name, value in values.items()}
    kinds = {SENT: TIME, 0x8001: TIME}
    rows = [struct.pack("<HHIQ", kinds.get(number, INTEGER), number, 6, value) for number, value in entries.items()]
    return {PROPERTIES: bytes(head) + b"".join(rows)}


def ticks(moment: datetime) -> int:
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 10


def message() -> dict[str, Storage | bytes]:
    return {
        **table(32, x0039=ticks(SENT_AT)),
        **wide(x001A="IPM.Note", x0037="The hive", x1000="Bees returned.\r\n\r\nQueen seen.", x1035="<7@bees.example>"),
        **wide(x0C1A="Doe, Jane", x5D01="jane@bees.example"),
        RECIPIENT + "0": {**table(8, x0C15=1), **wide(x3001="'Bob'", x3003="/O=BEES/CN=BOB", x39FE="bob@bees.example")},
        RECIPIENT + "1": {**table(8, x0C15=2), **wide(x3001="Carol (office)", x3003="/O=BEES/CN=CAROL")},
        RECIPIENT + "2": {**table(8, x0C15=3), **wide(x3001="dan@bees.example", x3003="dan@bees.example")},
        ATTACHED + "0": {**wide(x3707="Überblick.csv"), stream(0x3701, 0x0102): b"a,b\n1,2\n"},
        ATTACHED + "1": {stream(0x3704, 0x001E): b"../caf\xe9.pdf", stream(0x3701, 0x0102): bytes(range(256)) * 40},
        ATTACHED + "2": {**wide(x3707="Überblick.csv"), stream(0x3701, 0x0102): b"c\n"},
        ATTACHED + "3": {**wide(x3707="empty.txt")},
    }


def read(parts: Storage) -> Converted:
    converted = read_message("a.msg", compound(parts), ConversionSettings())
    assert isinstance(converted, Converted)
    return converted


def test_a_message_has_its_subject_its_people_its_date_its_text_and_what_is_attached() -> None:
    converted = read(message())
    assert converted.text == (
        "# The hive\n\n"
        'From: "Doe, Jane" <jane@bees.example>\n'
        "To: Bob <bob@bees.example>\n"
        'Cc: "Carol (office)"\n'
        "Bcc: dan@bees.example\n"
        "Date: Mon, 02 Mar 2026 09:30:00 +0000\n\n"
        "Bees returned.\n\nQueen seen.\n\n"
        "Attached: Überblick.csv, ..-café.pdf, Überblick-2.csv\n"
    )
    assert converted.title == "The hive"
    assert converted.metadata["date"] == "2026-03-02T09:30:00+00:00"
    assert converted.metadata["message_id"] == converted.metadata["thread"] == "<7@bees.example>"
    assert converted.members == (
        Member("Überblick.csv", b"a,b\n1,2\n"),
        Member("..-café.pdf", bytes(range(256)) * 40),
        Member("Überblick-2.csv", b"c\n"),
    )


def test_a_message_within_the_message_is_a_document_of_its_own_with_what_is_attached_to_it() -> None:
    inner = {
        **table(24, x0039=ticks(SENT_AT)),
        **wide(x0037="Gründe", x1000="Ärger mit Milben", x0C1A="Eva"),
        ATTACHED + "0": {**wide(x3707="mites.txt"), stream(0x3701, 0x0102): b"varroa"},
    }
    outer = {**wide(x0037="FW: Gründe", x1000="see below"), ATTACHED + "0": {stream(0x3701, 0x000D): inner}}
    converted = read({**table(32), **outer})
    (member,) = converted.members
    assert member.name == "Gründe.eml"
    forwarded = read_mail(member.name, member.data, ConversionSettings())
    assert isinstance(forwarded, Converted)
    assert "# Gründe" in forwarded.text and "Ärger mit Milben" in forwarded.text
    assert forwarded.metadata["date"] == "2026-03-02T09:30:00+00:00"
    assert forwarded.members == (Member("mites.txt", b"varroa"),)


def test_an_object_of_another_program_is_not_a_message() -> None:
    parts = {**table(32), **wide(x1000="text"), ATTACHED + "0": {stream(0x3701, 0x000D): {"CONTENTS": b"drawing"}}}
    assert read(parts).members == ()


@pytest.mark.parametrize(("number", "code_page"), [(0x3FFD, 1251), (0x3FDE, 1251), (0x3FFD, 65001)])
def test_text_in_a_code_page_is_read_as_the_message_names_it(number: int, code_page: int) -> None:
    encoded = "пчёлы".encode("utf-8" if code_page == 65001 else "cp1251")
    parts = {**table(32, **{f"x{number:04X}": code_page}), stream(0x0037, 0x001E): encoded, **wide(x1000="text")}
    assert read(parts).title == "пчёлы"


def test_a_page_is_read_in_its_own_code_page_where_there_is_no_plain_text() -> None:
    page = "<html><body><h2>Улей</h2><p>Пчёлы вернулись</p></body></html>".encode("cp1251")
    parts = {**table(32, x3FDE=1251), **wide(x0037="Hive"), stream(0x1013, 0x0102): page}
    assert "## Улей\n\nПчёлы вернулись" in read(parts).text


def test_a_page_that_was_decoded_is_not_decoded_again_as_it_says_of_itself() -> None:
    page = '<html><head><meta charset="iso-8859-1"></head><body><p>Grüße aus Köln</p></body></html>'
    parts = {**table(32, x3FDE=65001), **wide(x0037="Hive"), stream(0x1013, 0x0102): page.encode()}
    assert "Grüße aus Köln" in read(parts).text


def compressed(rtf: bytes) -> bytes:
    """As Outlook would without finding anything that repeats, with the end marked as it does."""
    known = 207
    signs = b""
    for at in range(0, len(rtf), 8):
        signs += b"\0" + rtf[at : at + 8]
    if len(rtf) % 8:
        head, last = signs[: -(len(rtf) % 8) - 1], rtf[-(len(rtf) % 8) :]
        signs = head + bytes([1 << len(last)]) + last
    else:
        signs += b"\1"
    signs += (((known + len(rtf)) % 4096) << 4).to_bytes(2, "big")
    return struct.pack("<II4sI", len(signs) + 12, len(rtf), b"LZFu", 0) + signs


def test_rich_text_is_read_where_there_is_no_other() -> None:
    rtf = rb"{\rtf1\ansi The {\b queen} was seen.\par Twice.}"
    parts = {**table(32), **wide(x0037="Hive"), stream(0x1009, 0x0102): compressed(rtf)}
    assert "The queen was seen.\n\nTwice." in read(parts).text


def test_compressed_text_repeats_what_the_window_holds() -> None:
    """The example of [MS-OXRTFCP] 4.1.1."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0".replace(
            " ", ""
        )
    )
    assert decompressed(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


@pytest.mark.parametrize("data", [b"", b"LZFu", bytes(16), struct.pack("<II4sI", 9, 1 << 31, b"LZFu", 0) + b"\xff\x00"])
def test_other_bytes_are_no_compressed_text(data: bytes) -> None:
    assert len(decompressed(data)) < 20


def test_a_signed_message_is_read_from_its_attachment() -> None:
    signed = (
        b"Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\nSigned words\r\n--b\r\n"
        b"Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nxyz\r\n--b--\r\n"
    )
    attached = {**wide(x3707="smime.p7m", x370E="multipart/signed"), stream(0x3701, 0x0102): signed}
    converted = read({**table(32), **wide(x0037="Signed"), ATTACHED + "0": attached})
    assert "Signed words" in converted.text
    assert [member.name for member in converted.members] == ["smime.p7s"]


def test_an_appointment_says_when_and_where() -> None:
    named = struct.pack("<IHHIHH", 0x8208, 6, 0, 0x820D, 6, 1)
    parts: Storage = {
        **table(32, x8001=ticks(SENT_AT)),
        **wide(x001A="IPM.Appointment", x0037="Inspection", x1000="Bring smoke.", x8000="At the old oak"),
        "__nameid_version1.0": {stream(0x0003, 0x0102): named},
    }
    assert "Begins: 2026-03-02 09:30 UTC\nWhere: At the old oak\n\nBring smoke." in read(parts).text


@pytest.mark.parametrize("data", [b"", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\0" * 600])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(NoCompound):
        Compound(data)
    assert read_message("a.msg", data, ConversionSettings()) == RefusedFile("damaged: it is no message of Outlook")


def test_a_compound_file_of_another_program_is_refused() -> None:
    assert read_message("a.msg", compound({"WordDocument": b"x"}), ConversionSettings()) == RefusedFile(
        "damaged: it holds no message"
    )


def test_a_stream_whose_sectors_follow_each_other_in_a_ring_ends() -> None:
    whole = compound(message())
    data = whole.replace(struct.pack("<II", 1, 2), struct.pack("<II", 0, 0))
    assert data != whole
    converted = read_message("a.msg", data, ConversionSettings())
    assert isinstance(converted, Converted)
    assert all(len(member.data) <= len(data) for member in converted.members)


def test_broken_files_give_what_can_be_read_of_them() -> None:
    whole, chance = compound(message()), random.Random(7)
    for _ in range(300):
        broken = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.choice((1, 8, 60))):
            if broken:
                broken[chance.randrange(min(len(broken), 600) if chance.random() < 0.5 else len(broken))] = (
                    chance.randrange(256)
                )
        found = read_message("a.msg", bytes(broken), ConversionSettings())
        if isinstance(found, Converted):
            assert sum(len(member.data) for member in found.members) <= 8 * len(whole)
