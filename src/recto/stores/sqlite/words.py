"""The word index made anew from the analysed tokens that are kept beside it, and whether it still answers by them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

import zstandard

from recto.errors import LibraryError
from recto.model.ids import ChunkKey
from recto.model.index import LexicalRow
from recto.stores.shared.database import value
from recto.stores.sqlite.database import SqliteDatabase
from recto.stores.sqlite.lexical import quoted
from recto.stores.sqlite.snapshots import unpacked

_SAMPLES = 50  # chunks that are looked up by a word of theirs
_SHADOWS = ("data", "idx", "docsize", "config", "content")


def make_anew(database: SqliteDatabase) -> None:
    """Inside a transaction: every chunk whose tokens are kept is found by them again."""
    try:
        database.run("lexical_drop")
    except LibraryError:
        # Too damaged to be opened, so that it cannot take its own tables with it.
        database.forget_table("lexical", tuple(f"lexical_{name}" for name in _SHADOWS))
    database.run("lexical_create")
    database.run("lexical_weigh")
    newest = _newest(database)
    # In the order they were written: rows that go back in number would each be a segment of their own.
    for block in sorted(set(newest.values())):
        rows = _rows(database, block)
        database.run_many("lexical_put", ((key, *row) for key, row in rows if newest.get(key) == block))


def unanswered(database: SqliteDatabase) -> Iterator[str]:
    """Damage that SQLite's own check does not see: words that are kept for a chunk and no longer lead to it."""
    newest = _newest(database)
    there = [ChunkKey(row[0]) for row in database.rows("lexical_rows") if row[0] in newest]  # others are missed anyway
    keys = there[:: max(1, len(there) // _SAMPLES)]
    sampled: dict[int, list[ChunkKey]] = {}
    for key in keys:
        sampled.setdefault(newest[key], []).append(key)
    missed = asked = 0
    for block, wanted in sampled.items():
        rows = dict(_rows(database, block))
        for key in wanted:
            fields = rows.get(key, ())
            word = next((token for field in fields for token in field.split() if token.isalnum()), None)
            if word is None:
                continue
            asked += 1
            where = {"match": quoted((word,)), "key": key}
            missed += not value(database, "lexical_leads_to", where)
    if missed:
        yield f"the word index no longer finds {missed} of {asked} chunks by their own words"


def _newest(database: SqliteDatabase) -> Mapping[ChunkKey, int]:
    """The block that counts for each chunk there is."""
    held = {int(row[0]) for row in database.rows("chunk_keys")}
    found: dict[ChunkKey, int] = {}
    for block, chunks in database.rows("lexical_block_members"):
        found.update((ChunkKey(key), int(block)) for key in array("q", chunks) if key in held)
    return found


def _rows(database: SqliteDatabase, block: int) -> Sequence[tuple[ChunkKey, LexicalRow]]:
    chunks, data = database.rows("lexical_block", {"key": block})[0]
    try:
        return list(unpacked(chunks, data))
    except (zstandard.ZstdError, ValueError, TypeError):
        return []  # a damaged block: its chunks stay missing, which the check says
