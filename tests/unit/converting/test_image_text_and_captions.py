"""Text in pictures: scanned pages and images, by a stand-in for tesseract; what an image's file says about it."""

from __future__ import annotations

import struct
import sys
import zlib
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.image_text_and_captions import caption, read_image, recognised
from octavo.converting.pdf import read_pdf
from octavo.model.converted_file import Converted, RefusedFile, position
from octavo.model.normalised_text_and_spans import Span

ON = ConversionSettings(ocr=True, ocr_pages=10, ocr_languages="eng+deu")
HEAD = (
    "level", "page_num", "block_num", "par_num", "line_num", "word_num",
    "left", "top", "width", "height", "conf", "text",
)  # fmt: skip
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers with two lines and a speck; keeps its arguments and what it was given beside it."""
    rows = [
        ("5", "1", "1", "1", "1", "1", "30", "40", "50", "12", "96.1", "Harbour"),
        ("5", "1", "1", "1", "1", "2", "90", "40", "50", "12", "91.0", "master"),
        ("5", "1", "1", "1", "2", "1", "30", "60", "50", "12", "88.5", "on"),
        ("5", "1", "1", "1", "2", "2", "60", "60", "50", "12", "80.0", "watch"),
        ("5", "1", "2", "1", "1", "1", "5", "900", "2", "2", "3.2", "~"),
        ("4", "1", "2", "1", "1", "0", "5", "900", "2", "2", "-1", ""),
    ]
    table = "\n".join("\t".join(row) for row in [HEAD, *rows])
    (tmp_path / "table.tsv").write_text(table + "\n", "utf-8")
    program = tmp_path / "tesseract"
    script = ("#!/bin/sh", f"cd {tmp_path}", 'echo "$@" >asked', "cat >picture", "cat table.tsv")
    program.write_text("\n".join(script) + "\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def test_lines_are_put_together_and_specks_left_out(tesseract: Path) -> None:
    assert [line.text for line in recognised(b"picture", ON)] == ["Harbour master", "on watch"]
    assert (tesseract / "asked").read_text("utf-8").split() == ["stdin", "stdout", "-l", "eng+deu", "tsv"]
    assert (tesseract / "picture").read_bytes() == b"picture"


def test_an_image_is_its_caption_and_what_is_written_in_it(tesseract: Path) -> None:
    read = read_image("a.png", png(tEXt=b"Description\0The quay at dawn"), ON)
    assert isinstance(read, Converted)
    assert read.text.split() == ["The", "quay", "at", "dawn", "Harbour", "master", "on", "watch"]
    assert read.metadata["ocr"] is True


def test_an_image_without_tesseract_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_image("a.png", png(), ON) == RefusedFile("an image: tesseract is not installed")


def test_a_scanned_page_is_recognised_and_its_citation_says_so(tesseract: Path) -> None:
    assert read_pdf("s.pdf", blank_pdf(), ConversionSettings()) == RefusedFile("no text: nothing is drawn on its pages")
    read = read_pdf("s.pdf", blank_pdf(), ON)
    assert isinstance(read, Converted) and read.text.split() == ["Harbour", "master", "on", "watch"]
    assert (tesseract / "picture").read_bytes().startswith(b"P5 ")
    stored = {**read.metadata, "marks": {"unit": "page", "starts": [0]}}
    assert position(stored, Span(0, 5)).shown == "page 1 (OCR)"
    assert position({"marks": stored["marks"]}, Span(0, 5)).shown == "page 1"


@pytest.mark.parametrize(
    "chunk",
    [
        {"tEXt": b"Description\0The quay"},
        {"iTXt": b"Description\0\0\0\0\0The quay"},
        {"zTXt": b"Title\0\0" + zlib.compress(b"The quay")},
    ],
    ids=lambda chunk: next(iter(chunk)),
)
def test_what_a_png_says_about_itself(chunk: dict[str, bytes]) -> None:
    assert caption(png(**chunk)) == "The quay"


def test_what_a_camera_was_told_and_not_what_it_says_unasked() -> None:
    assert caption(jpeg(b"The quay\0")) == "The quay"
    assert caption(jpeg(b"OLYMPUS DIGITAL CAMERA\0")) == ""
    assert caption(jpeg(b"The quay\0")[:25]) == ""
    assert caption(b"") == caption(b"\xff\xd8") == ""


def png(**chunks: bytes) -> bytes:
    told = [(kind.encode(), body) for kind, body in chunks.items()]
    made = [(b"IHDR", b"\0" * 13), *told, (b"IDAT", b""), (b"IEND", b"")]
    parts = [struct.pack(">I", len(body)) + kind + body + b"\0" * 4 for kind, body in made]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def jpeg(description: bytes) -> bytes:
    tiff = b"MM\0*" + struct.pack(">IH", 8, 1) + struct.pack(">HHII", 0x010E, 2, len(description), 26) + b"\0" * 4
    exif = b"Exif\0\0" + tiff + description
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + b"\xff\xda"


def blank_pdf() -> bytes:
    document, out = pypdfium2.PdfDocument.new(), BytesIO()
    document.new_page(200, 100)
    document.save(out)
    return out.getvalue()
