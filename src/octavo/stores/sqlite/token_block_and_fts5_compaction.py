"""Frees what the words of changed and removed documents occupy, in short transactions that let other writers in."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from octavo.model.ids import ChunkKey
from octavo.sql_repositories.database_port import value
from octavo.stores.sqlite.compressed_token_blocks import LexicalBlocks, newest_blocks
from octavo.stores.sqlite.database import SqliteDatabase

_BLOCKS = 64  # rewritten in one transaction
_PAGES = 500  # of the word index, merged in one transaction
_SEGMENTS = 4  # of a size, before a write merges them: as FTS5 has it
_SPARE = 512  # outdated chunks that are not worth a rewrite

Transaction = Callable[[], AbstractContextManager[None]]


def compact_blocks(database: SqliteDatabase, transaction: Transaction, *, fully: bool) -> None:
    """Once most of what the blocks hold is outdated; `fully` whenever anything is."""
    if not fully and not _mostly_outdated(database):
        return
    with database.reading():
        # Of one state: a block that another process writes in between would look outdated, being nobody's newest.
        restored, newest = value(database, "restored"), newest_blocks(database)
        outdated = _outdated(database, newest)
    for start in range(0, len(outdated), _BLOCKS):
        with transaction():
            if value(database, "restored") != restored:
                return  # these are the blocks of another library
            LexicalBlocks(database).compact(newest, outdated[start : start + _BLOCKS])


def merge_words_early(database: SqliteDatabase, transaction: Transaction) -> None:
    """Has writes merge the segments of the FTS5 index as usual, after one of many rows put that off."""
    if any(row[0] != _SEGMENTS for row in database.rows("lexical_merged_after")):
        with transaction():
            database.run("lexical_merge_after", {"segments": _SEGMENTS})


def merge_word_index(database: SqliteDatabase, transaction: Transaction) -> None:
    """Merges the segments of the FTS5 index, which drops the words of removed rows; a negative number begins it. One
    segment finds a phrase in about half of the time that eight take."""
    pages = -_PAGES
    while True:
        with transaction(), database.connection() as connection:
            before = connection.total_changes()
            database.run("lexical_merge", {"pages": pages})
            # A step that does nothing still counts as one change; that is how FTS5 says that it is done.
            if connection.total_changes() - before < 2:
                return
        pages = _PAGES


def _mostly_outdated(database: SqliteDatabase) -> bool:
    return int(value(database, "lexical_block_entries")) > 2 * int(value(database, "chunks_in_all_projects")) + _SPARE


def _outdated(database: SqliteDatabase, newest: Mapping[ChunkKey, int]) -> Sequence[int]:
    def is_outdated(block: int, chunks: bytes) -> bool:
        return any(newest.get(ChunkKey(key)) != block for key in array("q", chunks))

    return [int(block) for block, chunks in database.rows("lexical_block_members") if is_outdated(block, chunks)]
