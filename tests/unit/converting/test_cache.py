"""Converted documents that are kept: by content, format, versions and settings, within a limit, for their owner."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from octavo.converting.conversion_cache import CachedConverter
from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, ConvertedHeading, Member, PageMark, RefusedFile, Unit


class Reader:
    """Converts what it is given, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = 0

    def reads(self, uri: str) -> bool:
        return True

    def is_text(self, uri: str) -> bool:
        return False

    def claims(self, uri: str, data: bytes) -> bool:
        return True

    def convert(self, uri: str, data: bytes) -> Converted | RefusedFile:
        self.asked.append(uri)
        if data == b"bad":
            return RefusedFile("damaged")
        text, members = data.decode(), (Member("a.txt", b"x"),) if data == b"full" else ()
        return Converted(
            text,
            "test-1",
            "T",
            (ConvertedHeading(1, "T", 0),),
            unit=Unit.PAGE,
            marks=(PageMark(0, "1"),),
            members=members,
        )

    def close(self) -> None:
        self.closed += 1


def cached(
    reader: Reader, folder: Path, most: int = 1_000_000, settings: ConversionSettings | None = None
) -> CachedConverter:
    return CachedConverter(reader, folder / "kept", most, settings or ConversionSettings())


def test_the_same_bytes_under_another_name_are_not_converted_again(tmp_path: Path) -> None:
    reader = Reader()
    first = cached(reader, tmp_path).convert("a.pdf", b"bees")
    assert cached(reader, tmp_path).convert("moved/b.pdf", b"bees") == first
    assert reader.asked == ["a.pdf"]


def test_other_bytes_another_format_and_other_settings_are_converted(tmp_path: Path) -> None:
    reader = Reader()
    cached(reader, tmp_path).convert("a.pdf", b"bees")
    cached(reader, tmp_path).convert("a.pdf", b"wax")
    cached(reader, tmp_path).convert("a.docx", b"bees")
    cached(reader, tmp_path, settings=ConversionSettings(ocr=True)).convert("a.pdf", b"bees")
    assert reader.asked == ["a.pdf", "a.pdf", "a.docx", "a.pdf"]


def test_another_version_of_the_converters_converts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader()
    cached(reader, tmp_path).convert("a.pdf", b"bees")
    monkeypatch.setattr("octavo.converting.conversion_cache.CONVERTER_VERSION", "another")
    cached(reader, tmp_path).convert("a.pdf", b"bees")
    assert len(reader.asked) == 2


def test_refusals_and_files_that_hold_others_are_not_kept(tmp_path: Path) -> None:
    reader = Reader()
    for data in (b"bad", b"full") * 2:
        cached(reader, tmp_path).convert("a.eml", data)
    assert len(reader.asked) == 4


def test_a_damaged_entry_is_converted_again(tmp_path: Path) -> None:
    reader = Reader()
    first = cached(reader, tmp_path).convert("a.pdf", b"bees")
    for path in (tmp_path / "kept").glob("??/*"):
        path.write_bytes(b"not what was written")
    assert cached(reader, tmp_path).convert("a.pdf", b"bees") == first
    assert len(reader.asked) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_what_is_kept_is_readable_for_its_owner_alone(tmp_path: Path) -> None:
    cached(Reader(), tmp_path).convert("a.pdf", b"bees")
    (path,) = (tmp_path / "kept").glob("??/*")
    assert (path.stat().st_mode & 0o077, (tmp_path / "kept").stat().st_mode & 0o077) == (0, 0)


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    reader = Reader()
    converter = cached(reader, tmp_path, most=2_000)
    for number in range(40):
        converter.convert("a.pdf", bytes([97 + number % 26]) * (number + 1))
    converter.close()
    kept = list((tmp_path / "kept").glob("??/*"))
    assert 0 < sum(path.stat().st_size for path in kept) <= 2_000
    reader.asked.clear()
    converter.convert("a.pdf", bytes([97 + 39 % 26]) * 40)
    converter.convert("a.pdf", b"a")
    assert (reader.asked, reader.closed) == (["a.pdf"], 1), "the newest is there, the oldest went"


def test_what_holds_a_secret_is_not_kept_and_leaves_a_folder_where_it_was(tmp_path: Path) -> None:
    reader = Reader()

    def careful() -> CachedConverter:
        return CachedConverter(
            reader, tmp_path / "kept", 1_000_000, ConversionSettings(), lambda told: "honey" in str(told)
        )

    cached(reader, tmp_path).convert("a.pdf", b"honey")
    assert [path.is_file() for path in (tmp_path / "kept").rglob("*")] == [False, True]
    assert careful().convert("a.pdf", b"honey").text == "honey"  # type: ignore[union-attr]
    assert careful().convert("a.pdf", b"honey").text == "honey"  # type: ignore[union-attr]
    assert len(reader.asked) == 2
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == []
    careful().convert("b.pdf", b"wax")
    assert len([path for path in (tmp_path / "kept").rglob("*") if path.is_file()]) == 1
