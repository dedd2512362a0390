"""What is attached to a message that Outlook saved, in compound files that are whole and in broken ones."""

from __future__ import annotations

import random
import struct

import pytest
from compound_files import compound

from octavo.converting.compound import Compound, NoCompound
from octavo.converting.outlook import attachments
from octavo.model.converted import Member

ATTACHED = "__attach_version1.0_#0000000"
LONG_NAME, OLD_NAME, DATA = "__substg1.0_3707001F", "__substg1.0_3704001E", "__substg1.0_37010102"


def message() -> bytes:
    large = bytes(range(256)) * 40
    return compound(
        {
            ATTACHED + "0": {LONG_NAME: "Überblick.csv".encode("utf-16-le"), DATA: b"a,b\n1,2\n"},
            ATTACHED + "1": {OLD_NAME: b"../caf\xe9.pdf", DATA: large},
            ATTACHED + "2": {LONG_NAME: "Überblick.csv".encode("utf-16-le"), DATA: b"c\n"},
            ATTACHED + "3": {LONG_NAME: "empty.txt".encode("utf-16-le")},
            "__recip_version1.0_#00000000": {DATA: b"nobody's"},
        }
    )


def test_attachments_have_their_names_and_their_bytes() -> None:
    assert attachments(message()) == (
        Member("Überblick.csv", b"a,b\n1,2\n"),
        Member("..-café.pdf", bytes(range(256)) * 40),
        Member("Überblick-2.csv", b"c\n"),
    )


def test_a_stream_whose_sectors_follow_each_other_in_a_ring_ends() -> None:
    data = message().replace(struct.pack("<II", 1, 2), struct.pack("<II", 0, 0))
    assert all(len(member.data) <= len(data) for member in attachments(data))


@pytest.mark.parametrize("data", [b"", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\0" * 600])
def test_other_bytes_are_no_compound_file(data: bytes) -> None:
    with pytest.raises(NoCompound):
        Compound(data)
    assert attachments(data) == ()


def test_broken_files_give_what_can_be_read_of_them() -> None:
    whole, chance = message(), random.Random(7)
    for _ in range(300):
        broken = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.choice((1, 8, 60))):
            if broken:
                broken[chance.randrange(min(len(broken), 600) if chance.random() < 0.5 else len(broken))] = (
                    chance.randrange(256)
                )
        found = attachments(bytes(broken))
        assert sum(len(member.data) for member in found) <= 8 * len(whole)
