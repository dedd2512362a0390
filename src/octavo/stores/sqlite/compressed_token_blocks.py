"""Analysed tokens of chunks, stored in compressed blocks: what snapshots and a rebuilt FTS5 index are made from."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

import zstandard

from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import FIELD_SEPARATOR, LexicalRow
from octavo.sql_repositories.database_port import Database

_CHUNK = "\x1e"  # occurs in no token: tokens consist of letters, digits, marks and emoji
_BLOCK = 64  # chunks: enough to compress well, few enough that an edit writes little


class LexicalBlocks:
    """Stores the analysed tokens of chunks, compressed a few dozen at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Created once; used only under the write lock.
        self._compressor = zstandard.ZstdCompressor(level=1)

    def put(self, project: int, rows: Iterable[tuple[ChunkKey, LexicalRow]]) -> None:
        rest = iter(rows)
        blocks = iter(lambda: list(islice(rest, _BLOCK)), [])
        self._database.run_many("lexical_block_put", (self._packed(block) | {"project": project} for block in blocks))

    def _packed(self, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> dict[str, object]:
        text = _CHUNK.join(FIELD_SEPARATOR.join(row) for _, row in rows)
        data = self._compressor.compress(text.encode("utf-8", "surrogatepass"))
        keys = array("q", (key for key, _ in rows)).tobytes()
        return {"chunks": keys, "data": data, "checksum": zlib.crc32(data)}

    def compact(self, newest: Mapping[ChunkKey, int], stale: Sequence[int]) -> None:
        """Rewrites blocks without the chunks that are gone or that a newer block has. A chunk's key is never reused, so
        what was outdated when `newest` was read still is."""
        for block in stale:
            try:
                kept = [
                    (key, row)
                    for chunks, data in self._database.rows("lexical_block", {"key": block})
                    for key, row in unpacked(chunks, data)
                    if newest.get(key) == block
                ]
            except (zstandard.ZstdError, ValueError, TypeError):
                continue  # damaged: the check reports it, and the repair needs to see it
            if kept:
                self._database.run("lexical_block_rewrite", self._packed(kept) | {"key": block})
            else:
                self._database.run("lexical_block_remove", {"key": block})


def unpacked(chunks: bytes, data: bytes) -> Iterator[tuple[ChunkKey, LexicalRow]]:
    for key, text in unpacked_texts(chunks, data):
        yield key, LexicalRow(*text.split(FIELD_SEPARATOR))


def unpacked_texts(
    chunks: bytes, data: bytes, unpack: Callable[[bytes], bytes] = zstandard.decompress
) -> Iterator[tuple[ChunkKey, str]]:
    """Each chunk with its fields as one text."""
    texts = unpack(data).decode("utf-8", "surrogatepass").split(_CHUNK)
    return zip(map(ChunkKey, array("q", chunks)), texts, strict=True)


def newest_blocks(database: Database, chunks: Set[ChunkKey] | None = None) -> Mapping[ChunkKey, int]:
    """The newest block of each of the chunks, or of each current one."""
    current = {ChunkKey(row[0]) for row in database.rows("chunk_keys")} if chunks is None else chunks
    blocks_of: dict[ChunkKey, int] = {}
    for block, members in database.rows("lexical_block_members"):
        blocks_of.update(dict.fromkeys(current & set(array("q", members)), int(block)))
    return blocks_of
