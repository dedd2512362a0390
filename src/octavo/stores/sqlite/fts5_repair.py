"""Repair of the FTS5 index: rebuilding it from the stored tokens, and checking that it still finds chunks by them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import zstandard

from octavo.errors import LibraryError
from octavo.lazy_regex import regex
from octavo.model.ids import ChunkKey
from octavo.model.library_damage import Damage, LibraryPart
from octavo.model.prepared_document import LexicalRow
from octavo.observability.progress import Progress
from octavo.sql_repositories.database_port import Row, value
from octavo.sql_repositories.row_integrity_checks import Tally, stride
from octavo.stores.sqlite.compressed_token_blocks import LexicalBlocks, newest_blocks, unpacked
from octavo.stores.sqlite.database import SqliteDatabase
from octavo.stores.sqlite.file_header_and_schema_checks import seal
from octavo.stores.sqlite.fts5_index import quoted
from octavo.stores.sqlite.raw_page_reader import read_varint
from octavo.stores.sqlite.row_transfer import Fts5Transfer

_SAMPLES = 50  # chunks that are searched by one of their words
_BLOCKS = 256  # read at once
_LENGTHS = 2_000  # read at once
_CACHED_BLOCKS = 64  # unpacked at once: the chunks of a document are in neighbouring ones
_TOKEN = regex(r"(?:[^\x00-\x7f]|[A-Za-z0-9_])+")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_SHADOWS = ("data", "idx", "docsize", "config", "content")


def rebuild_lexical_index(database: SqliteDatabase) -> None:
    """Inside a transaction: rebuilds the index from the stored words of every chunk.

    Blocks whose bytes changed are removed; the words of their chunks are taken from the index, where it has them.
    """
    for key, data, checksum, chunks in _blocks(database):
        if not _is_whole(data, checksum, chunks):
            database.run("lexical_block_remove", {"key": key})
    _store_words_without_block(database)
    try:
        database.run("lexical_drop")
    except LibraryError:
        # Too damaged to be opened, so that dropping it cannot drop its shadow tables.
        database.forget_table("lexical", tuple(f"lexical_{name}" for name in _SHADOWS))
    database.run("lexical_create")
    database.run("lexical_set_boosts")
    newest = newest_blocks(database)
    # In the order they were written: descending rowids would each become a segment of their own.
    for block in sorted(set(newest.values())):
        rows = _rows(database, block)
        database.run_many("lexical_put", ((key, *row) for key, row in rows if newest.get(key) == block))
    seal(database)


def _store_words_without_block(database: SqliteDatabase) -> None:
    """Blocks for the chunks that have none, from what the index holds; one that cannot be read holds nothing."""
    projects: dict[int, int] = dict(database.rows("chunk_projects"))
    newest = newest_blocks(database)
    rows_of: dict[int, list[tuple[ChunkKey, LexicalRow]]] = {}
    if len(newest) == len(projects):
        return
    try:
        for key, row in Fts5Transfer(database).export_rows():
            if key in projects and key not in newest and any(row):
                rows_of.setdefault(projects[key], []).append((ChunkKey(key), row))
    except LibraryError:
        return
    for project, rows in rows_of.items():
        LexicalBlocks(database).put(project, rows)


def _blocks(database: SqliteDatabase, step: int = 1) -> Iterator[Row]:
    after = 0
    while rows := database.rows("checked_blocks", {"after": after, "stride": step, "limit": _BLOCKS}):
        after = rows[-1][0]
        yield from rows


def _is_whole(data: bytes, checksum: int | None, chunks: bytes) -> bool:
    return (checksum is None or zlib.crc32(data) == checksum) and bool(_unpacked(chunks, data))


def block_damage(database: SqliteDatabase, *, quick: bool, progress: Progress) -> Iterator[Damage]:
    """Blocks of stored words whose bytes are not those that were written."""
    changed = Tally(
        LibraryPart.WORDS, "block of words has changed", "blocks of words have changed since they were written"
    )
    total = int(value(database, "lexical_blocks_count"))
    step = stride(total, quick=quick)
    progress.start("words", total // step, "blocks")
    for _, data, checksum, chunks in _blocks(database, step):
        if not _is_whole(data, checksum, chunks):
            changed.add()
        progress.advance()
    progress.finish()
    yield from changed.damage()


def lexical_damage(database: SqliteDatabase, *, quick: bool, progress: Progress) -> Iterator[Damage]:
    """Damage that SQLite's own check misses: stored words of a chunk that are not in the word index.

    A quick check searches a few chunks by one of their words; a full one compares every word of every chunk.
    """
    if quick:
        yield from _missed(database)
        return
    newest = newest_blocks(database)
    differing = Tally(
        LibraryPart.WORDS, "chunk has other words in the word index", "chunks have other words in the index"
    )
    blocks: dict[int, dict[ChunkKey, LexicalRow]] = {}
    progress.start("word index", len(newest), "chunks")
    lengths = _lengths(database)
    for key, indexed in Fts5Transfer(database).export_rows():
        if next(lengths, None) != (key, tuple(len(field.split()) for field in indexed)):
            differing.add()  # how long a chunk is decides how much its words count
        block = newest.get(ChunkKey(key))
        if block is None:
            continue  # written by a transfer, which stores no blocks; or reported as belonging to no chunk
        if block not in blocks:
            if len(blocks) >= _CACHED_BLOCKS:
                del blocks[next(iter(blocks))]
            blocks[block] = dict(_rows(database, block))
        stored = blocks[block].get(ChunkKey(key))
        if stored is not None and any(map(_differs, stored, indexed)):
            differing.add()
        progress.advance()
    progress.finish()
    yield from differing.damage()


def _lengths(database: SqliteDatabase) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How many words each field of each row has, as FTS5 counts with when it ranks."""
    after = 0
    while rows := database.rows("word_counts", {"after": after, "limit": _LENGTHS}):
        after = rows[-1][0]
        for key, packed in rows:
            counts, at = [], 0
            while at < len(packed):
                number, at = read_varint(packed, at)
                counts.append(number)
            yield key, tuple(counts)


def _differs(stored: str, indexed: str) -> bool:
    """Whether FTS5's tokenizer `ascii` with `_` would make other words of what is stored than stand in the index."""
    return stored != indexed and _TOKEN.findall(stored.translate(_LOWER)) != indexed.split()


def _missed(database: SqliteDatabase) -> Iterator[Damage]:
    step = max(1, int(value(database, "chunks_in_all_projects")) // _SAMPLES)
    indexed = {ChunkKey(row[0]) for row in database.rows("lexical_sample", {"stride": step})}
    sampled: dict[int, list[ChunkKey]] = {}
    for key, block in sorted(newest_blocks(database, indexed).items()):
        sampled.setdefault(block, []).append(key)
    missed = checked = 0
    for block, sample in sampled.items():
        rows = dict(_rows(database, block))
        for key in sample:
            fields = rows.get(key, ())
            word = next((token for field in fields for token in field.split() if token.isalnum()), None)
            if word is None:
                continue
            checked += 1
            where = {"match": quoted((word,)), "key": key}
            missed += not value(database, "lexical_finds", where)
    if missed:
        yield Damage(
            LibraryPart.WORDS, f"the word index no longer finds {missed} of {checked} chunks by their own words"
        )


def _rows(database: SqliteDatabase, block: int) -> Sequence[tuple[ChunkKey, LexicalRow]]:
    chunks, data = database.rows("lexical_block", {"key": block})[0]
    return _unpacked(chunks, data)


def _unpacked(chunks: bytes, data: bytes) -> Sequence[tuple[ChunkKey, LexicalRow]]:
    try:
        return list(unpacked(chunks, data))
    except (zstandard.ZstdError, ValueError, TypeError):
        return []  # a damaged block: its chunks stay missing, which the check reports
