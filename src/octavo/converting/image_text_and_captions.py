"""Text in pictures, read by tesseract where it is installed: scanned pages, and images with what is told about them."""

from __future__ import annotations

import csv
import re
import shutil
import struct
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from html import unescape

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.pdf_layout import Line
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile

CONVERTER = "ocr-1"
MISSING = "tesseract is not installed"
_LEAST_CONFIDENCE = 30.0  # of 100: below it, what was recognised is noise
_WORD = "5"  # the level of a word in tesseract's table
_DESCRIPTION = 0x010E  # EXIF's ImageDescription
_ASCII = 2
_MOST = 2_000  # characters
_XMP = regex(rb"<dc:(title|description)>\s*<rdf:Alt>\s*<rdf:li[^>]*>(.{1,4000}?)</rdf:li>", re.DOTALL)
_PNG_KEYS = (b"Title", b"Description", b"Comment")
# What cameras write when nobody described the picture.
_EMPTY = regex(r"^(?:[\W_]*|(?:olympus|digital camera|sony dsc|dcim|kodak|samsung|exif_jpeg_picture|default).*)$", re.I)


def read_image(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """What is written in a picture, below what its file says about it."""
    told = caption(data)
    lines = recognised(data, settings) if settings.ocr and has_tesseract() else []
    if not told and not lines:
        return RefusedFile("an image without text" if has_tesseract() else f"an image: {MISSING}")
    builder = TextBuilder()
    with suppress(TooLong):
        if told:
            builder.paragraph(told)
        if lines:
            builder.paragraph("\n".join(line.text for line in lines))
    return builder.converted(CONVERTER, "", {"ocr": True} if lines else {})


def has_tesseract() -> bool:
    return shutil.which("tesseract") is not None


def recognised(picture: bytes, settings: ConversionSettings) -> list[Line]:
    """The lines of a picture in the order in which they are read. Raises `RuntimeError` with what tesseract says."""
    command = ["tesseract", "stdin", "stdout", "-l", settings.ocr_languages or "eng", "tsv"]
    done = subprocess.run(command, input=picture, capture_output=True, check=False)
    if done.returncode:
        messages = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RuntimeError(f"tesseract: {messages[-1] if messages else f'exit code {done.returncode}'}")
    return _lines(done.stdout.decode("utf-8", "replace"))


def _lines(table: str) -> list[Line]:
    """From tesseract's table, whose places count from the top. It tells no size of type by which to know a heading."""
    words: dict[tuple[str, ...], list[str]] = defaultdict(list)
    places: dict[tuple[str, ...], tuple[float, float]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != _WORD or not text or float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        line = (row["block_num"], row["par_num"], row["line_num"])
        words[line].append(text)
        places.setdefault(line, (float(row["left"]), -float(row["top"]) - float(row["height"])))
    return [Line(" ".join(texts), *places[line]) for line, texts in words.items()]


def caption(data: bytes) -> str:
    """Its descriptions, each once; empty where it has none."""
    texts: list[str] = []
    with suppress(struct.error, ValueError, IndexError, zlib.error):
        if data[:2] == b"\xff\xd8":
            texts += _from_jpeg(data)
        elif data[:4] in (b"II*\0", b"MM\0*"):
            texts += _from_tiff(data)
        elif data[:8] == b"\x89PNG\r\n\x1a\n":
            texts += _from_png(data)
    texts += [unescape(text.decode("utf-8", "replace")) for _, text in _XMP.findall(data[:1_000_000])]
    cleaned = (" ".join(text.replace("\0", " ").split())[:_MOST] for text in texts)
    return "\n".join(dict.fromkeys(text for text in cleaned if not _EMPTY.match(text)))


def _from_jpeg(data: bytes) -> Iterator[str]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        (size,) = struct.unpack_from(">H", data, at + 2)
        segment = data[at + 4 : at + 2 + size]
        if data[at + 1] == 0xE1 and segment[:6] == b"Exif\0\0":
            yield from _from_tiff(segment[6:])
        elif data[at + 1] == 0xFE:  # a comment
            yield segment.decode("utf-8", "replace")
        at += 2 + size


def _from_tiff(data: bytes) -> Iterator[str]:
    order = "<" if data[:2] == b"II" else ">"
    (directory,) = struct.unpack_from(f"{order}I", data, 4)
    (entries,) = struct.unpack_from(f"{order}H", data, directory)
    for number in range(min(entries, 200)):
        tag, kind, count, value = struct.unpack_from(f"{order}HHII", data, directory + 2 + 12 * number)
        if tag == _DESCRIPTION and kind == _ASCII:
            start = value if count > 4 else directory + 2 + 12 * number + 8
            yield data[start : start + min(count, 4 * _MOST)].decode("utf-8", "replace")


def _from_png(data: bytes) -> Iterator[str]:
    at = 8
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        key, _, text = body.partition(b"\0")
        if key in _PNG_KEYS and kind == b"tEXt":
            yield text.decode("latin-1")
        elif key in _PNG_KEYS and kind == b"zTXt":
            yield zlib.decompressobj().decompress(text[1:], 4 * _MOST).decode("latin-1")
        elif key in _PNG_KEYS and kind == b"iTXt":
            packed, rest = text[:1] == b"\1", text[2:].split(b"\0", 2)[-1]
            plain = zlib.decompressobj().decompress(rest, 4 * _MOST) if packed else rest
            yield plain.decode("utf-8", "replace")
        if kind == b"IDAT":
            return
        at += 12 + size
