"""Compound files of old office programs: storages and streams as a small file system; a document's properties.

The layout is Microsoft's [MS-CFB]: sectors are chained by a table of the sectors that follow them, and streams shorter
than a cutoff lie in smaller sectors within one stream. A chain that comes back to a sector ends there.

The layout is Microsoft's [MS-OLEPS]: a table of numbered properties, each with its type.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from octavo.converting.text_builder import one_line

_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER = struct.Struct("<24xHHHHH10xII4xIIIII109I")
_ENTRY = struct.Struct("<64sHBxIII36xIQ")
_LAST_SECTOR = 0xFFFFFFF0  # numbers from here on mark an end
_STORAGES = (1, 5)  # kinds of entry: a storage, and the root
_MOST_ENTRIES = 100_000


class NoCompound(Exception):
    """The bytes are no compound file."""


class DirectoryEntry(NamedTuple):
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class Compound:
    def __init__(self, data: bytes) -> None:
        if len(data) < _HEADER.size or not data.startswith(_SIGNATURE):
            raise NoCompound
        _, _, _, shift, mini_shift, _, directory, self._cutoff, mini_table, _, more, _, *tables = _HEADER.unpack_from(
            data
        )
        if not (7 <= shift <= 16 and mini_shift <= shift):
            raise NoCompound
        self._data, self._sector, self._mini_sector = data, 1 << shift, 1 << mini_shift
        self._next = numbers(b"".join(map(self._at, self._table_sectors(tables, more))))
        self._entries = list(self._read_entries(self._chained(self._next, directory)))
        if not self._entries:
            raise NoCompound
        self._mini_next = numbers(self._chained(self._next, mini_table))
        self._mini_data = self._chained(self._next, self._entries[0].start)[: self._entries[0].size]

    def below(self, storage: int = 0) -> dict[str, int]:
        """The names in a storage, 0 being the root, with the numbers of their entries."""
        entries: dict[str, int] = {}
        waiting, seen = [self._entries[storage].child], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen or number >= len(self._entries):
                continue
            seen.add(number)
            entry = self._entries[number]
            entries[entry.name] = number
            waiting += [entry.left, entry.right]
        return dict(sorted(entries.items()))

    def stream(self, *path: str) -> bytes:
        """A stream by its name in whatever case, behind the storages that hold it; empty where there is none."""
        number = 0
        for name in path:
            entries = {entry_name.casefold(): entry for entry_name, entry in self.below(number).items()}
            if name.casefold() not in entries:
                return b""
            number = entries[name.casefold()]
        return self.read(number)

    def is_storage(self, number: int) -> bool:
        return self._entries[number].kind in _STORAGES

    def read(self, number: int) -> bytes:
        entry = self._entries[number]
        if entry.size >= self._cutoff:
            return self._chained(self._next, entry.start)[: entry.size]
        size = self._mini_sector
        places = _chain(self._mini_next, entry.start)
        return b"".join(self._mini_data[at * size : (at + 1) * size] for at in places)[: entry.size]

    def _at(self, sector: int) -> bytes:
        return self._data[(sector + 1) * self._sector : (sector + 2) * self._sector]

    def _chained(self, following: Sequence[int], start: int) -> bytes:
        return b"".join(map(self._at, _chain(following, start)))

    def _table_sectors(self, tables: Sequence[int], more: int) -> Iterator[int]:
        """Where the table of sectors lies: the first of its sectors are listed in the header, the others in a chain."""
        seen = set[int]()
        while True:
            yield from (sector for sector in tables if sector < _LAST_SECTOR)
            if more >= _LAST_SECTOR or more in seen:
                return
            seen.add(more)
            listed = numbers(self._at(more))
            if not listed:
                return
            *tables, more = listed

    def _read_entries(self, directory: bytes) -> Iterator[DirectoryEntry]:
        for at in range(0, min(len(directory), _MOST_ENTRIES * _ENTRY.size) - _ENTRY.size + 1, _ENTRY.size):
            name, length, kind, left, right, child, start, size = _ENTRY.unpack_from(directory, at)
            shown = name[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            yield DirectoryEntry(shown, kind, left, right, child, start, size)


def numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _chain(following: Sequence[int], start: int) -> Iterator[int]:
    seen = set[int]()
    while start < len(following) and start not in seen:
        seen.add(start)
        yield start
        start = following[start]


_STREAM = "\x05SummaryInformation"
_FIELDS = {2: "title", 3: "subject", 4: "author", 5: "keywords", 6: "description"}
_CODE_PAGE, _CREATED = 1, 12
_SHORT, _NARROW, _WIDE, _TIME = 2, 30, 31, 64  # types of a value
_MOST_PROPERTIES = 200
_LONGEST = 500
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_UTF8, _UTF16 = 65001, 1200


def summary_facts(file: Compound) -> dict[str, str]:
    data = file.stream(_STREAM)
    try:
        (start,) = struct.unpack_from("<I", data, 44)
        _, count = struct.unpack_from("<II", data, start)
        table = [
            struct.unpack_from("<II", data, start + 8 + 8 * number) for number in range(min(count, _MOST_PROPERTIES))
        ]
    except struct.error:
        return {}
    places = {number: start + place for number, place in table}
    encoding = _encoding(data, places.get(_CODE_PAGE, len(data)))
    facts = {name: _text(data, places[number], encoding) for number, name in _FIELDS.items() if number in places}
    if _CREATED in places:
        facts["date"] = _date(data, places[_CREATED])
    return {name: value for name, value in facts.items() if value}


def _encoding(data: bytes, place: int) -> str:
    try:
        kind, page = struct.unpack_from("<IH", data, place)
    except struct.error:
        return "cp1252"
    name = {_UTF8: "utf-8", _UTF16: "utf-16-le"}.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name if kind == _SHORT else "cp1252"


def _text(data: bytes, place: int, encoding: str) -> str:
    try:
        kind, size = struct.unpack_from("<II", data, place)
    except struct.error:
        return ""
    if kind not in (_NARROW, _WIDE):
        return ""
    size = size * 2 if kind == _WIDE else size
    told = data[place + 8 : place + 8 + min(size, 4 * _LONGEST)]
    return one_line(told.decode("utf-16-le" if kind == _WIDE else encoding, "replace").split("\0")[0])[:_LONGEST]


def _date(data: bytes, place: int) -> str:
    try:
        kind, ticks = struct.unpack_from("<IQ", data, place)
        moment = _EPOCH + timedelta(microseconds=ticks // 10)
    except (struct.error, OverflowError):
        return ""
    return moment.strftime("%Y-%m-%d") if kind == _TIME and moment.year > 1980 else ""
