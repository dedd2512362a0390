"""Bytes to text: what a file says, or why it is not text."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from recto.errors import SourceError
from recto.model.ledger import FileStamp
from recto.model.text import normalise

_HEAD = 8192
_TEXT_CONTROLS = bytes([7, 8, 9, 10, 11, 12, 13, 27])
_CONTROLS = bytes(byte for byte in [*range(1, 32), 127] if byte not in _TEXT_CONTROLS)
_ASCII = bytes(range(32, 127))

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

# Opening without following a link or waiting for the other end of a pipe.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Normalised text; `stamp` is the file as it was when it was opened, where there was a file."""

    text: str
    warnings: tuple[str, ...] = ()
    stamp: FileStamp | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Not text, or more than is allowed."""

    reason: str


def read(path: str | os.PathLike[str], limit: int) -> Decoded | Refused:
    """The text of one file of at most `limit` bytes."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:  # without a file object, which would ask again what is asked here
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(status.st_mode):
                return Refused("not a regular file")
            size = status.st_size
            raw = os.read(descriptor, size + 1) if size <= limit else b""
            if len(raw) > size:  # it is growing
                raw += os.read(descriptor, limit + 1 - len(raw))
                size = len(raw)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SourceError(
            f"cannot read {os.fspath(path)}: {(error.strerror or str(error)).lower()}",
            hint="it is left as it was and tried again on the next run",
            details={"path": os.fspath(path)},
        ) from error
    if size > limit:
        return Refused(f"too large: {size:,} bytes, the limit is {limit:,}")
    decoded = decode(raw)
    if isinstance(decoded, Refused):
        return decoded
    stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
    return Decoded(decoded.text, decoded.warnings, stamp)


def decode(raw: bytes) -> Decoded | Refused:
    """UTF-8, UTF-16 or UTF-32 by its mark, UTF-16 by its look, and a Western code page as the last resort."""
    head = raw[:_HEAD]
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _wide(raw[len(mark) :], encoding, ())
    if b"\0" in head:
        unmarked = _utf16_by_look(head)
        if unmarked is None:
            return Refused("binary: it contains NUL bytes")
        return _wide(raw, unmarked, (f"read as {unmarked.upper()}, which it does not declare",))
    controls = len(head) - len(head.translate(None, _CONTROLS))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        if controls * 50 > len(head):
            return Refused("binary: it is not text in any encoding Recto reads")
        return _finish(*_legacy(raw))
    if controls * 10 > len(head):
        return Refused("binary: it is full of control characters")
    return _finish(text, ())


def _finish(text: str, warnings: tuple[str, ...]) -> Decoded:
    if "\0" in text:
        # PostgreSQL stores no NUL, and nobody means one.
        warnings = (*warnings, f"{text.count(chr(0))} NUL characters were replaced")
        text = text.replace("\0", "\ufffd")
    text = normalise(text)
    return Decoded(text, warnings)


def _wide(raw: bytes, encoding: str, warnings: tuple[str, ...]) -> Decoded | Refused:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, "replace")
        warnings = (*warnings, f"parts that are not valid {encoding.upper()} were replaced")
    if not _reads(text):
        return Refused(f"binary: it looks like {encoding.upper()} but is not text")
    return _finish(text, warnings)


def _utf16_by_look(head: bytes) -> str | None:
    """Text in UTF-16 has NUL for the high byte of every ASCII character, always on the same side."""
    head = head[: len(head) & ~1]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if bool(even) == bool(odd):
        return None
    # One stray NUL in plain ASCII must not turn it into Chinese: few NULs count only among bytes that are not ASCII.
    ascii_bytes = len(head) - len(head.translate(None, _ASCII))
    if (even + odd) * 4 < len(head) and ascii_bytes * 4 > len(head) * 3:
        return None
    encoding = "utf-16-le" if odd else "utf-16-be"
    return encoding if _reads(head.decode(encoding, "replace")) else None


def _reads(text: str) -> bool:
    sample = text[:4096]
    odd = sum(not (char.isprintable() or char.isspace()) for char in sample) + sample.count("\ufffd")
    return odd * 10 <= len(sample)


def _legacy(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """A few bad bytes among good UTF-8 are replaced; a file without any good UTF-8 is read as Windows-1252."""
    text = raw.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(text.encode("ascii", "ignore"))
    if good and good >= bad:
        return text, (f"{bad} invalid UTF-8 sequences were replaced",)
    try:
        return raw.decode("cp1252"), ("not UTF-8: read as Windows-1252",)
    except UnicodeDecodeError:
        return raw.decode("latin-1"), ("not UTF-8: read as Latin-1",)
