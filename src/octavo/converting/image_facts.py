"""What an image's file says about it: the description that cameras and programs store in JPEG, TIFF and PNG."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from html import unescape

_DESCRIPTION = 0x010E  # EXIF's ImageDescription
_ASCII = 2
_MOST = 2_000  # characters
_XMP = re.compile(rb"<dc:(title|description)>\s*<rdf:Alt>\s*<rdf:li[^>]*>(.{1,4000}?)</rdf:li>", re.DOTALL)
_PNG_KEYS = (b"Title", b"Description", b"Comment")
# What cameras write when nobody described the picture.
_EMPTY = re.compile(
    r"^(?:[\W_]*|(?:olympus|digital camera|sony dsc|dcim|kodak|samsung|exif_jpeg_picture|default).*)$", re.I
)


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
