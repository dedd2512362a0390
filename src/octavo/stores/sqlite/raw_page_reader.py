"""Reads the rows of a SQLite file from its pages, without its header or schema: what is left when SQLite gives up.

The format is that of https://www.sqlite.org/fileformat2.html: a file of pages, some of which are leaves of b-trees with
rows ("cells") in them. A row of a table has a number; an entry of an index, or a row of a table without row numbers, is
its values alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from octavo.fast_dataclass import dataclass

Value: TypeAlias = int | float | str | bytes | None

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 13, 10, 2
_HEADER = 100  # bytes at the start of the first page that are the file's own
_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type → bytes of an integer
_WAL_HEADER, _FRAME_HEADER = 32, 24
_WAL_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # the byte order of its checksums
_PAGE = 4_096


class Unreadable(Exception):
    """A row's bytes are none."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """`number` is None for an entry of an index and for a row of a table without row numbers."""

    number: int | None
    values: tuple[Value, ...]


class RawPages:
    """The pages of a file, with those that its write-ahead log has committed in their places."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self.size = _page_size(self._data)
        self._log = _committed(path.with_name(f"{path.name}-wal"), self.size)
        self.count = max([len(self._data) // self.size, *self._log])
        # A file may have bytes at the end of every page that SQLite leaves to others.
        reserved = self._data[20] if self.has_header else 0
        self._usable = self.size - (reserved if reserved <= 64 else 0)

    @property
    def has_header(self) -> bool:
        return self._data[:16] == b"SQLite format 3\0"

    def page(self, number: int) -> bytes:
        """One page, the first being 1; empty where there is none."""
        return self._log.get(number) or self._data[(number - 1) * self.size : number * self.size]

    def free(self) -> set[int]:
        """Pages that hold nothing, or what was deleted. None are known where the first page is lost."""
        numbers: set[int] = set()
        first = self.page(1)
        if first[:16] != b"SQLite format 3\0":
            return numbers
        (trunk,) = struct.unpack_from(">I", first, 32)
        while 1 < trunk <= self.count and trunk not in numbers:
            numbers.add(trunk)
            page = self.page(trunk)
            trunk, leaves = struct.unpack_from(">II", page)
            listed = struct.unpack_from(f">{min(leaves, self.size // 4 - 2)}I", page, 8)
            numbers.update(leaf for leaf in listed if 1 < leaf <= self.count)
        return numbers

    def rows(self, number: int) -> Iterator[RawRow | Unreadable]:
        """What a page holds, cell by cell; nothing for pages without rows."""
        page = self.page(number)
        start = _HEADER if number == 1 else 0
        if len(page) < self.size or page[start] not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
            return
        kind = page[start]
        (cells,) = struct.unpack_from(">H", page, start + 3)
        pointers = start + (12 if kind == _INDEX_INTERIOR else 8)
        if pointers + 2 * cells > self.size:
            yield Unreadable("the header of a page is damaged")
            return
        for at in struct.unpack_from(f">{cells}H", page, pointers):
            try:
                yield self._cell(page, at + (4 if kind == _INDEX_INTERIOR else 0), kind == _TABLE_LEAF)
            except (Unreadable, IndexError, struct.error, UnicodeDecodeError, OverflowError) as error:
                yield Unreadable(str(error))

    def _cell(self, page: bytes, at: int, in_table: bool) -> RawRow:
        length, at = read_varint(page, at)
        number = None
        if in_table:
            number, at = read_varint(page, at)
            number -= (number >> 63) << 64
        return RawRow(number, _values(self._payload(page, at, length, in_table)))

    def _payload(self, page: bytes, at: int, length: int, in_table: bool) -> bytes:
        """What is on the page, and what goes on elsewhere."""
        usable = self._usable
        most = usable - 35 if in_table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            payload = page[at : at + length]
        else:
            least = (usable - 12) * 32 // 255 - 23
            here = least + (length - least) % (usable - 4)
            here = here if here <= most else least
            parts, left = [page[at : at + here]], length - here
            (further,) = struct.unpack_from(">I", page, at + here)
            if left > self.count * self.size:
                raise Unreadable("a row is longer than the file")
            while left > 0:
                if not 1 < further <= self.count:
                    raise Unreadable("a row goes on where there is no page")
                rest = self.page(further)
                (further,) = struct.unpack_from(">I", rest)
                parts.append(rest[4 : 4 + min(left, usable - 4)])
                left -= usable - 4
            payload = b"".join(parts)
        if len(payload) != length:
            raise Unreadable("a row ends too early")
        return payload


def _values(payload: bytes) -> tuple[Value, ...]:
    """A record: the types of its values, then the values."""
    end, at = read_varint(payload, 0)
    types = []
    while at < end:
        serial, at = read_varint(payload, at)
        types.append(serial)
    if at != end:
        raise Unreadable("the types of a row are damaged")
    values: list[Value] = []
    for serial in types:
        value, at = _value(payload, at, serial)
        values.append(value)
    if at != len(payload):
        raise Unreadable("a row has other values than its types say")
    return tuple(values)


def _value(payload: bytes, at: int, serial: int) -> tuple[Value, int]:
    if serial == 0:
        return None, at
    if serial in (8, 9):
        return serial - 8, at
    if serial == 7:
        return float(struct.unpack_from(">d", payload, at)[0]), at + 8
    if serial in _SIZES:
        size = _SIZES[serial]
        return int.from_bytes(payload[at : at + size], "big", signed=True), at + size
    if serial < 12:
        raise Unreadable("a value has no type")
    size = (serial - 12) // 2
    raw = payload[at : at + size]
    return (raw.decode("utf-8") if serial % 2 else raw), at + size


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits of each byte while its first bit is set, and all eight of the ninth."""
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    size = 65_536 if size == 1 else size
    return size if size >= 512 and not size & size - 1 and data[:16] == b"SQLite format 3\0" else _PAGE


def _committed(log: Path, size: int) -> dict[int, bytes]:
    """The newest content of each page in a write-ahead log, up to its last commit and to its first damaged frame."""
    data = log.read_bytes() if log.is_file() else b""
    if len(data) < _WAL_HEADER:
        return {}
    magic, _, page_size = struct.unpack_from(">III", data)
    order = _WAL_MAGIC.get(magic)
    if order is None or page_size != size:
        return {}
    salts, sums = data[16:24], _checksum(data[:24], order, (0, 0))
    committed: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    for at in range(_WAL_HEADER, len(data) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        page = data[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        sums = _checksum(data[at : at + 8] + page, order, sums)
        number, pages, *_ = struct.unpack_from(">II", data, at)
        if data[at + 8 : at + 16] != salts or struct.unpack_from(">II", data, at + 16) != sums:
            break
        pending[number] = page
        if pages:
            committed |= pending
            pending = {}
    return committed


def _checksum(data: bytes, order: str, before: tuple[int, int]) -> tuple[int, int]:
    first, second = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for low, high in zip(words[::2], words[1::2], strict=True):
        first = (first + low + second) & 0xFFFFFFFF
        second = (second + high + first) & 0xFFFFFFFF
    return first, second
