"""Rich text as Outlook stores it in a message: compressed with a window of 4,096 bytes that begins with common RTF.

The layout is Microsoft's [MS-OXRTFCP]: eight signs at a time, each a byte or a reference into the window.
"""

from __future__ import annotations

import struct

_COMPRESSED, _PLAIN = b"LZFu", b"MELA"
_HEADER = struct.Struct("<II4sI")
_WINDOW = 4_096
_KNOWN = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans "
    rb"SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_MOST_BYTES = 50_000_000


def decompressed(data: bytes) -> bytes:
    """The RTF, as far as it can be read; empty where the bytes are something else."""
    if len(data) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if kind == _PLAIN:
        return body[:size]
    return _unpacked(body, min(size, _MOST_BYTES)) if kind == _COMPRESSED else b""


def _unpacked(body: bytes, size: int) -> bytes:
    window, made = bytearray(_KNOWN.ljust(_WINDOW)), bytearray()
    at = 0
    while at < len(body) and len(made) < size:
        flags = body[at]
        at += 1
        for bit in range(8):
            place = (len(_KNOWN) + len(made)) % _WINDOW
            if not flags >> bit & 1:
                if at >= len(body):
                    break
                window[place] = body[at]
                made.append(body[at])
                at += 1
                continue
            reference = int.from_bytes(body[at : at + 2], "big")
            at += 2
            start, length = reference >> 4, (reference & 15) + 2
            if start == place:  # the mark of the end
                return bytes(made[:size])
            for step in range(length):  # what is repeated may overlap with what is written
                sign = window[(start + step) % _WINDOW]
                window[(place + step) % _WINDOW] = sign
                made.append(sign)
    return bytes(made[:size])
