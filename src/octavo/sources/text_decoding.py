"""Decoding files: bytes to text, or the reason why a file is not text."""

from __future__ import annotations

import errno
import os
import stat
from importlib import import_module

from octavo.errors import SourceError
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.indexing_ledger import FileStamp
from octavo.model.normalised_text_and_spans import normalise

_HEAD = 8192
_TEXT_CONTROLS = bytes([7, 8, 9, 10, 11, 12, 13, 27])
_CONTROLS = bytes(byte for byte in [*range(1, 32), 127] if byte not in _TEXT_CONTROLS)
_ASCII = bytes(range(32, 127))

_EAST_ASIAN = regex("[\\t-\\r -~\\u3000-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff00-\\uffef]")
"""What a text in Chinese, Japanese or Korean is made of, with ASCII."""

# UTF-32 first: its little-endian byte order mark begins with UTF-16's.
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

# Opens without following a link or waiting for the other end of a pipe.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
CODE_PAGES = {
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1253": "Windows-1253",
    "cp1256": "Windows-1256",
}
"""The encodings that are recognised, by what people call them."""

_WESTERN = "cp1252"
_LOOKED_AT = 65_536  # bytes
_FEWEST = 8  # bytes beyond ASCII: of fewer nothing can be said
_SHARE = 0.3  # of the letters: in Western languages far fewer have an accent
_MESS = 0.3  # how odd a reading may look


@dataclass(frozen=True, slots=True)
class Decoded:
    """Normalised text; `stamp` is the file's state when it was opened, if it was read from a file."""

    text: str
    warnings: tuple[str, ...] = ()
    stamp: FileStamp | None = None


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """Not text, or over the size limit."""

    reason: str


def read(path: str | os.PathLike[str], limit: int) -> Decoded | UnreadableFile:
    """The text of one file of at most `limit` bytes."""
    content = read_bytes(path, limit)
    if isinstance(content, UnreadableFile):
        return content
    raw, status = content
    decoded = decode(raw)
    if isinstance(decoded, UnreadableFile):
        return decoded
    stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
    return Decoded(decoded.text, decoded.warnings, stamp)


def read_bytes(path: str | os.PathLike[str], limit: int) -> tuple[bytes, os.stat_result] | UnreadableFile:
    """The bytes of one file of at most `limit` bytes, and its state when it was opened."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:  # without a file object, which would call fstat again
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(status.st_mode):
                return UnreadableFile("not a regular file")
            size = status.st_size
            raw = os.read(descriptor, size + 1) if size <= limit else b""
            while len(raw) < size <= limit and (rest := os.read(descriptor, size + 1 - len(raw))):
                raw += rest  # one call reads two gigabytes at most, and less from some systems' disks
            if len(raw) > size:  # it is growing
                raw += os.read(descriptor, limit + 1 - len(raw))
                size = len(raw)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SourceError(
            f"cannot read {os.fspath(path)}: {(error.strerror or str(error)).lower()}",
            hint="it is left as it was and tried again on the next run",
            details={"path": os.fspath(path), "operation": "read", "errno": error.errno},
        ) from error
    if size > limit:
        return UnreadableFile(f"too large: {size:,} bytes, the limit is {limit:,}")
    return raw, status


def first_bytes(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a file; none where it cannot be read, which whoever reads it finds out."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except OSError:
        return b""


def decode(raw: bytes) -> Decoded | UnreadableFile:
    """UTF-8; UTF-16 or UTF-32 by byte order mark; UTF-16 by its pattern of NULs; else the code page it looks like."""
    head = raw[:_HEAD]
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _wide(raw[len(mark) :], encoding, ())
    if b"\0" in head:
        unmarked = _guessed_utf16(head)
        if unmarked is None:
            return UnreadableFile("binary: it contains NUL bytes")
        return _wide(raw, unmarked, (f"read as {unmarked.upper()}, which it does not declare",))
    controls = len(head) - len(head.translate(None, _CONTROLS))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        if controls * 50 > len(head):
            return UnreadableFile("binary: it is not text in any encoding Octavo reads")
        return _finish(*_legacy(raw))
    if controls * 10 > len(head):
        return UnreadableFile("binary: it is full of control characters")
    return _finish(text, ())


def _finish(text: str, warnings: tuple[str, ...]) -> Decoded:
    if "\0" in text:
        # PostgreSQL cannot store NUL, and no author intends one.
        warnings = (*warnings, f"{text.count(chr(0))} NUL characters were replaced")
        text = text.replace("\0", "\ufffd")
    text = normalise(text)
    return Decoded(text, warnings)


def _wide(raw: bytes, encoding: str, warnings: tuple[str, ...]) -> Decoded | UnreadableFile:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, "replace")
        warnings = (*warnings, f"parts that are not valid {encoding.upper()} were replaced")
    if not _is_readable(text):
        return UnreadableFile(f"binary: it looks like {encoding.upper()} but is not text")
    return _finish(text, warnings)


def _guessed_utf16(head: bytes) -> str | None:
    """Text in UTF-16 has NUL for the high byte of every ASCII character, always on the same side."""
    head = head[: len(head) & ~1]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if even and odd:
        return _east_asian_utf16(head)
    if not even and not odd:
        return None
    # A stray NUL in plain ASCII must not turn it into Chinese: few NULs count only among non-ASCII bytes.
    ascii_bytes = len(head) - len(head.translate(None, _ASCII))
    if (even + odd) * 4 < len(head) and ascii_bytes * 4 > len(head) * 3:
        return None
    encoding = "utf-16-le" if odd else "utf-16-be"
    return encoding if _is_readable(head.decode(encoding, "replace")) else None


def _east_asian_utf16(head: bytes) -> str | None:
    """Ideographs such as 一, U+4E00, have a NUL on the other side: then what it reads as decides."""
    texts = {encoding: head.decode(encoding, "replace") for encoding in ("utf-16-le", "utf-16-be")}
    read = [encoding for encoding, text in texts.items() if len(_EAST_ASIAN.findall(text)) > 0.95 * len(text)]
    return read[0] if len(read) == 1 else None


def _is_readable(text: str) -> bool:
    sample = text[:4096]
    odd = sum(not (char.isprintable() or char.isspace()) for char in sample) + sample.count("\ufffd")
    return odd * 10 <= len(sample)


def _legacy(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """A few bad bytes among good UTF-8 are replaced; a file without any good UTF-8 is in a code page."""
    text = raw.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(text.encode("ascii", "ignore"))
    if good and good >= bad:
        return text, (f"{bad} invalid UTF-8 sequences were replaced",)
    if (encoding := code_page(raw)) is not None:
        return raw.decode(encoding, "replace"), (f"not UTF-8: read as {CODE_PAGES[encoding]}",)
    try:
        return raw.decode("cp1252"), ("not UTF-8: read as Windows-1252",)
    except UnicodeDecodeError:
        return raw.decode("latin-1"), ("not UTF-8: read as Latin-1",)


def code_page(raw: bytes) -> str | None:
    """The encoding of a text that is not in UTF-8; None for a Western one and where nothing fits."""
    head = raw[:_LOOKED_AT]
    high = sum(byte > 127 for byte in head)
    letters = sum(byte > 127 or chr(byte).isalpha() for byte in head)
    if high < _FEWEST or high < _SHARE * letters:
        return None
    # Most libraries are in UTF-8, and never need it.
    from_bytes = import_module("charset_normalizer").from_bytes
    if len(raw) > _LOOKED_AT:
        head = head[: head.rfind(b"\n") + 1] or head  # lest a character of two bytes be cut
    guess = from_bytes(head, cp_isolation=[*CODE_PAGES, _WESTERN], threshold=_MESS).best()
    return str(guess.encoding) if guess is not None and guess.encoding in CODE_PAGES else None
