"""Compound files, as old office programs write them, made byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping

SECTOR, END, FREE, CUTOFF = 512, 0xFFFFFFFE, 0xFFFFFFFF, 4096


Storage = Mapping[str, "Storage | bytes"]


def compound(storages: Storage) -> bytes:
    """A compound file: its storages, which hold streams and storages; short streams lie in small sectors within one."""
    entries: list[tuple[str, int, int, int, bytes]] = [("Root Entry", 5, FREE, 1 if storages else FREE, b"")]
    _enter(storages, entries)
    small, small_table = b"", list[int]()
    sectors, table = list[bytes](), list[int]()

    def put(content: bytes) -> int:
        start, count = len(sectors), -(-len(content) // SECTOR)
        sectors.extend(content[at * SECTOR : (at + 1) * SECTOR].ljust(SECTOR, b"\0") for at in range(count))
        table.extend([*range(start + 1, start + count), END] if count else [])
        return start if count else END

    written = []
    for name, kind, right, child, content in entries:
        if len(content) >= CUTOFF or not content:
            start = put(content)
        else:
            start, count = len(small_table), -(-len(content) // 64)
            small_table += [*range(start + 1, start + count), END]
            small += content.ljust(count * 64, b"\0")
        written.append([name, kind, right, child, start, len(content)])
    written[0][4:] = [put(small), len(small)]
    mini = put(struct.pack(f"<{len(small_table)}I", *small_table))
    rows = (
        (name.encode("utf-16-le"), 2 * len(name) + 2, kind, FREE, right, child, start, size)
        for name, kind, right, child, start, size in written
    )
    directory = put(b"".join(struct.pack("<64sHBxIII36xIQ", *row) for row in rows))
    tables = [len(sectors) + at for at in range(-(-(len(table) + 8) // 128))]
    table += [0xFFFFFFFD] * len(tables)
    sectors.append(struct.pack(f"<{len(table)}I", *table).ljust(SECTOR * len(tables), b"\xff"))
    listed = tables + [FREE] * (109 - len(tables))
    fixed = (0x3E, 3, 0xFFFE, 9, 6, len(tables), directory, CUTOFF, mini, 1, END, 0)
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + struct.pack("<16xHHHHH10xII4xIIIII109I", *fixed, *listed)
        + b"".join(sectors)
    )


def _enter(storage: Storage, entries: list[tuple[str, int, int, int, bytes]]) -> None:
    """Each entry of a storage points to the next one, and a storage to its first."""
    for number, (name, held) in enumerate(storage.items()):
        place = len(entries)
        entries.append((name, 2, FREE, FREE, held if isinstance(held, bytes) else b""))
        if not isinstance(held, bytes):
            entries[place] = (name, 1, FREE, place + 1 if held else FREE, b"")
            _enter(held, entries)
        if number + 1 < len(storage):
            _, kind, _, child, content = entries[place]
            entries[place] = (name, kind, len(entries), child, content)
