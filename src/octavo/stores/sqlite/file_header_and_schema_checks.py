"""Checks what no index vouches for: the file's header, a checksum of its schema, and its key counters."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from octavo.model.library_damage import Damage, LibraryPart

_SEAL = "schema_checksum"
_HEADER = 100
_ZERO = (slice(48, 56), slice(64, 68), slice(72, 92))  # bytes of the header that are 0 in every library


class Sealed(Protocol):
    """A SQLite database, as far as it is needed here."""

    @property
    def path(self) -> Path: ...

    def rows(self, name: str) -> Sequence[tuple[Any, ...]]: ...

    def largest_key(self, table: str) -> int | None: ...

    def counter(self, name: str) -> int | None: ...

    def set_counter(self, name: str, value: int | None) -> None: ...


def seal(database: Sealed) -> None:
    """Inside a transaction, after the schema was changed: records what it is now."""
    database.set_counter(_SEAL, _checksum(database))


def broken_seals(database: Sealed) -> Iterator[Damage]:
    """What is not as it was written of the schema, the header and the counters of keys."""
    sealed = database.counter(_SEAL)
    if sealed is not None and sealed != _checksum(database):
        yield Damage(LibraryPart.FILE, "the schema of the file is not as it was written")
    if any(any(_header(database.path)[part]) for part in _ZERO):
        yield Damage(LibraryPart.FILE, "the header of the file is not as it was written")
    for table, counted, last in database.rows("key_counters"):
        if table is None or not _is_ahead(database, table, last):
            yield Damage(LibraryPart.FILE, f"the counter of the keys of {table or counted} is not as it was written")


def _is_ahead(database: Sealed, table: str, last: object) -> bool:
    """Whether the next key is larger than every one there is: none is ever used twice."""
    largest = database.largest_key(table)
    return largest is None or (isinstance(last, int) and last >= largest)


def _checksum(database: Sealed) -> int:
    return zlib.crc32(repr(database.rows("schema_rows")).encode())


def _header(path: Path) -> bytes:
    if not path.is_file():
        return b""  # in memory
    with path.open("rb") as file:
        return file.read(_HEADER)
