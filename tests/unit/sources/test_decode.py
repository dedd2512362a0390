"""Bytes to text: every encoding a note may be in, and what is not text at all."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from octavo.errors import SourceError
from octavo.model.normalised_text_and_spans import normalise
from octavo.sources.text_decoding import Decoded, UnreadableFile, decode, read

NOTE = "# Tide tables\n\nHigh water at Brest, 06:12 — naïve Ω 日本語 \U0001f30a\n"


def text_of(raw: bytes) -> str:
    decoded = decode(raw)
    assert isinstance(decoded, Decoded), decoded
    return decoded.text


@pytest.mark.parametrize(
    "raw",
    [
        NOTE.encode(),
        NOTE.encode("utf-8-sig"),
        NOTE.encode("utf-16"),
        b"\xff\xfe" + NOTE.encode("utf-16-le"),
        b"\xfe\xff" + NOTE.encode("utf-16-be"),
        b"\xff\xfe\0\0" + NOTE.encode("utf-32-le"),
        b"\0\0\xfe\xff" + NOTE.encode("utf-32-be"),
        NOTE.replace("\n", "\r\n").encode(),
        NOTE.replace("\n", "\r").encode(),
        NOTE.rstrip().encode(),
        (NOTE + "\n\n").encode(),
    ],
)
def test_the_same_note_reads_the_same_in_every_declared_encoding(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded == Decoded(NOTE)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("note", [NOTE, "Погода сегодня ясная, ветра нет.\n", "今日は晴れ。\n風はない。\n"])
def test_utf16_without_a_mark_is_recognised_and_said(encoding: str, note: str) -> None:
    assert decode(note.encode(encoding)) == Decoded(note, (f"read as {encoding.upper()}, which it does not declare",))


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"") == Decoded("")
    assert text_of(b"\xef\xbb\xbf") == ""
    assert text_of(b"\n\r\n") == ""


def test_a_western_code_page_is_read_with_a_warning() -> None:
    assert decode("Café “crème” €5\n".encode("cp1252")) == Decoded(
        "Café “crème” €5\n", ("not UTF-8: read as Windows-1252",)
    )
    decoded = decode(b"caf\xe9 \x81\n")
    assert isinstance(decoded, Decoded)
    assert decoded.warnings == ("not UTF-8: read as Latin-1",)


def test_one_bad_byte_does_not_spoil_good_utf8() -> None:
    raw = "élan, été, île\n".encode() + b"broken \xff here\n"
    assert decode(raw) == Decoded(
        "élan, été, île\nbroken \ufffd here\n",
        ("1 invalid UTF-8 sequences were replaced",),
    )


def test_nul_bytes_make_a_file_binary() -> None:
    binary = UnreadableFile("binary: it contains NUL bytes")
    assert decode(b"text\0more") == binary
    assert decode(b"plain ASCII text with one stray NUL\0 in it") == binary
    assert decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0") == binary


def test_a_late_nul_is_replaced_with_a_warning() -> None:
    raw = b"x" * 9000 + b"\0" + b"y\n"
    text = "x" * 9000 + "\ufffdy\n"
    assert decode(raw) == Decoded(text, ("1 NUL characters were replaced",))


def test_control_characters_make_a_file_binary() -> None:
    assert isinstance(decode(bytes([1, 2, 3, 4, 5, 6]) * 50), UnreadableFile)
    assert text_of(b"\x1b[31mred\x1b[0m\tbell\x07\n") == "\x1b[31mred\x1b[0m\tbell\x07\n"


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_refused(seed: int) -> None:
    noise = random.Random(seed).randbytes(4000)
    assert isinstance(decode(noise), UnreadableFile)
    assert isinstance(decode(b"\xff\xfe" + noise), UnreadableFile)
    assert isinstance(decode(noise.replace(b"\0", b"\1")), UnreadableFile)


def test_damaged_utf16_keeps_what_can_be_read() -> None:
    raw = b"\xff\xfe" + "ends in half a character".encode("utf-16-le") + b"\x3d\xd8"
    decoded = decode(raw)
    assert isinstance(decoded, Decoded)
    assert decoded.text == "ends in half a character\ufffd\n"
    assert decoded.warnings == ("parts that are not valid UTF-16-LE were replaced",)


@given(st.binary())
@example(b"\xed\xa0\x80 a surrogate written in UTF-8")
@example(b"\xff\xfe\x00\xd8a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00i\x00j\x00")
@example(b"\xff\xfe\x00\x00\x00\xd8\x00\x00")
def test_any_bytes_give_clean_text_or_a_reason(raw: bytes) -> None:
    decoded = decode(raw)
    if isinstance(decoded, UnreadableFile):
        assert decoded.reason
    else:
        decoded.text.encode("utf-8")
        assert decoded.text == normalise(decoded.text)
        assert "\0" not in decoded.text


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf8_text_without_control_characters_is_never_refused(text: str) -> None:
    assert decode(text.encode()) == Decoded(normalise(text))


def test_reading_gives_the_stamp_of_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(NOTE, encoding="utf-8")
    decoded = read(path, 1000)
    assert isinstance(decoded, Decoded)
    assert decoded.text == NOTE
    assert decoded.stamp is not None
    status = path.stat()
    assert (decoded.stamp.size, decoded.stamp.mtime_ns) == (status.st_size, status.st_mtime_ns)


def test_a_file_over_the_limit_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "line.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert read(path, 10_000_000) == UnreadableFile("too large: 50,000,000 bytes, the limit is 10,000,000")
    path.write_bytes(b"x" * 10)
    assert isinstance(read(path, 10), Decoded)
    assert read(path, 9) == UnreadableFile("too large: 10 bytes, the limit is 9")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a file that is longer than it says")
def test_a_file_longer_than_announced_is_read_to_its_end_and_held_to_the_limit() -> None:
    decoded = read("/proc/self/status", 100_000)
    assert isinstance(decoded, Decoded)
    assert "Pid:" in decoded.text
    refused = read("/proc/self/status", 100)
    assert isinstance(refused, UnreadableFile)
    assert "the limit is 100" in refused.reason


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert read(tmp_path / "pipe.md", 1000) == UnreadableFile("not a regular file")


def test_a_folder_or_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.md") as caught:
        read(tmp_path / "gone.md", 1000)
    assert caught.value.details == {"path": str(tmp_path / "gone.md"), "operation": "read", "errno": errno.ENOENT}
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    with pytest.raises(SourceError, match="is a directory"):
        read(tmp_path, 1000)


LEGACY = {
    "cp1251": "# Телескоп\n\nЗеркало телескопа охлаждается два часа перед наблюдением.\n",
    "koi8_r": "# Телескоп\n\nЗеркало телескопа охлаждается два часа перед наблюдением.\n",
    "gbk": "# 望远镜\n\n镜面需要两个小时冷却，然后才能开始观测。备份每天晚上复制数据库。\n",
    "shift_jis": "# 望遠鏡\n\n鏡は観測の前に二時間冷やします。データベースは毎晩コピーされます。\n",
    "euc_jp": "# 望遠鏡\n\n鏡は観測の前に二時間冷やします。データベースは毎晩コピーされます。\n",
    "big5": "# 望遠鏡\n\n鏡面需要兩個小時冷卻，然後才能開始觀測。備份每天晚上複製資料庫。\n",
    "euc_kr": "# 망원경\n\n거울은 관측 전에 두 시간 동안 식혀야 합니다. 데이터베이스는 매일 밤 복사됩니다.\n",
}


@pytest.mark.parametrize("encoding", LEGACY)
def test_a_code_page_of_before_unicode_is_recognised(encoding: str) -> None:
    decoded = decode(LEGACY[encoding].encode(encoding))
    assert isinstance(decoded, Decoded)
    assert decoded.text == LEGACY[encoding]
    assert decoded.warnings[0].startswith("not UTF-8: read as ")


@pytest.mark.parametrize(
    "text",
    ["é\n", "naïve résumé\n", "50 °C ± 2\n", "Grüße aus München, Straße.\n", "São Paulo não é a capital.\n"],
)
def test_a_western_text_stays_western(text: str) -> None:
    decoded = decode(text.encode("cp1252"))
    assert isinstance(decoded, Decoded)
    assert decoded.text == text
    assert decoded.warnings == ("not UTF-8: read as Windows-1252",)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_may_hold_ideographs_that_end_in_a_nul(encoding: str) -> None:
    text = "# 一\n\n一切数据都在一个文件里。\n"
    decoded = decode(text.encode(encoding))
    assert isinstance(decoded, Decoded)
    assert decoded.text == text
