"""The second copy of what memories say: each copy is compared with its hash, and put back from the other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import zstandard

from octavo.model.library_damage import Damage, LibraryPart
from octavo.sql_repositories.row_integrity_checks import Tally
from octavo.stores.sqlite.database import SqliteDatabase

_COPIES = 256  # read at once


def whole_text(digest: bytes, data: bytes | None) -> bytes | None:
    """What a compressed text says, or None if that is not what its hash names."""
    try:
        raw = zstandard.decompress(data or b"")
    except (zstandard.ZstdError, MemoryError):  # a damaged frame may claim any size
        return None
    return raw if hashlib.sha256(raw).digest() == digest else None


def copy_damage(database: SqliteDatabase) -> Iterator[Damage]:
    """Copies that are not what their hash names, and texts of memories that have none."""
    changed = Tally(
        LibraryPart.MEMORIES,
        "second copy of a memory's text is damaged",
        "second copies of memories' texts are damaged",
    )
    missing = Tally(
        LibraryPart.MEMORIES, "text of a memory has no second copy", "texts of memories have no second copy"
    )
    for _, digest, data in _copies(database):
        if whole_text(digest, data) is None:
            changed.add()
    for _ in database.rows("memory_texts_missing"):
        missing.add()
    yield from changed.damage()
    yield from missing.damage()


def put_back(database: SqliteDatabase) -> int:
    """Inside a transaction: makes each text whose copy is whole as it was, and each copy whose text is; how many."""
    done = 0
    for project, digest, data in list(_copies(database)):
        where: dict[str, Any] = {"project": project, "hash": digest}
        stored = database.rows("text_data", where)
        first, second = whole_text(digest, stored[0][0] if stored else None), whole_text(digest, data)
        if second is not None and first is None:
            database.run("text_put_back", where | {"size": len(second), "data": data})
        elif second is None and first is not None:
            database.run("memory_text_put", where | {"data": stored[0][0]})
        elif second is None:
            database.run("memory_text_remove", where)  # the check names the memory
        done += first is None or second is None
    for project, digest, data in database.rows("memory_texts_missing"):
        if whole_text(digest, data) is not None:
            database.run("memory_text_put", {"project": project, "hash": digest, "data": data})
            done += 1
    return done


def _copies(database: SqliteDatabase) -> Iterator[tuple[int, bytes, bytes]]:
    after: dict[str, Any] = {"project": 0, "hash": b"", "limit": _COPIES}
    while rows := database.rows("memory_texts_after", after):
        after |= {"project": rows[-1][0], "hash": rows[-1][1]}
        yield from rows
