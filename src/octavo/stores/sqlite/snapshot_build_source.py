"""What snapshots are built from: stored tokens, changes since a snapshot, and vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import zstandard
from numpy.typing import NDArray

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.query import Filters
from octavo.model.search_snapshot import WindowVectors
from octavo.sql_repositories.database_port import Row
from octavo.sql_repositories.filter_parameters import filter_parameters
from octavo.stores.sqlite.compressed_token_blocks import unpacked_texts
from octavo.stores.sqlite.search_snapshot_marks import SqliteSnapshotMarks

_BLOCK_BATCH = 256  # blocks read at a time
_KEY_BATCH = 20_000  # chunk keys read at a time


class SqliteSnapshotSource(SqliteSnapshotMarks):
    """Fits `ports.SnapshotSource`."""

    def written(self, project: ProjectId, since: int, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = self._rows("lexical_block_chunks", project, after=since, last=until)
        keys = np.frombuffer(b"".join([row[1] for row in rows]), dtype=np.int64)
        return keys, np.repeat(np.array([row[0] for row in rows], np.int64), [len(row[1]) // 8 for row in rows])

    def rows(self, project: ProjectId, since: int, until: int) -> Iterator[tuple[int, ChunkKey, str]]:
        unpack = zstandard.ZstdDecompressor().decompress
        where = self._in(project)
        for after in range(since, until, _BLOCK_BATCH):
            batch = where | {"after": after, "last": min(after + _BLOCK_BATCH, until)}
            for block, chunks, data in self._database.rows("lexical_blocks_after", batch):
                for key, text in unpacked_texts(chunks, data, unpack):
                    yield block, key, text

    def places(self, project: ProjectId, keys: Sequence[ChunkKey] | None = None) -> NDArray[np.int64]:
        where = self._in(project)
        if keys is not None:
            rows = self._database.rows("chunk_places_of", where | {"keys": _listed(keys)})
            return np.array(rows, dtype=np.int64).reshape(-1, 2)
        # The chunks of a document have keys in a row, unless some were lost: an index tells where each row begins.
        runs = np.array(self._database.rows("chunk_runs", where), dtype=np.int64).reshape(-1, 4)
        documents, first, last, count = runs[np.argsort(runs[:, 1])].T
        if (last - first + 1 == count).all():
            ends = np.cumsum(count)
            keys_in_order = np.repeat(first - ends + count, count) + np.arange(int(count.sum()))
            return np.stack([keys_in_order, np.repeat(documents, count)], axis=1)
        batches: list[NDArray[np.int64]] = [np.zeros((0, 2), dtype=np.int64)]
        after = 0
        while batch := self._database.rows("chunk_places", where | {"after": after, "limit": _KEY_BATCH}):
            batches.append(np.array(batch, dtype=np.int64))
            after = batch[-1][0]
        return np.concatenate(batches)

    def uris(self, project: ProjectId, documents: Sequence[int] | None = None) -> Mapping[int, str]:
        where = self._in(project)
        if documents is None:
            return dict(self._database.rows("document_uris", where))
        return dict(self._database.rows("document_uris_of", where | {"keys": _listed(documents)}))

    def sections(self, project: ProjectId, keys: Sequence[ChunkKey]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        where = self._in(project)
        rows = self._database.rows("chunk_sections", where | {"keys": _listed(keys)})
        documents = sorted({row[1] for row in rows})
        sections = self._database.rows("section_levels", where | {"documents": _listed(documents)})
        return np.array(rows, np.int64).reshape(-1, 3), np.array(sections, np.int64).reshape(-1, 3)

    def admitted(self, project: ProjectId, filters: Filters) -> NDArray[np.int64]:
        key = self._keys.project(project)
        where = {"project": key} | filter_parameters(filters, self._database, key)
        return np.array([row[0] for row in self._database.rows("documents_admitted", where)], dtype=np.int64)

    def embedded_since(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], vector: int
    ) -> tuple[ChunkKey, ...]:
        where = self._profiles(project, profiles) | {"after": vector}
        return tuple(ChunkKey(row[0]) for row in self._database.rows("chunks_with_new_vectors", where))

    def windows(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], keys: Sequence[ChunkKey]
    ) -> WindowVectors:
        where = self._profiles(project, profiles) | {"keys": _listed(keys)}
        return _windows(self._database.rows("windows_of", where), profiles)

    def _profiles(self, project: ProjectId, profiles: Sequence[EmbeddingProfile]) -> dict[str, int]:
        keys = [self._keys.profile(project, profile.canonical()) for profile in profiles]
        return self._in(project, full=keys[0], fast=keys[1] if len(keys) > 1 else 0)


def _listed(keys: Sequence[int]) -> str:
    return json.dumps([int(key) for key in keys])


def _windows(rows: Sequence[Row], profiles: Sequence[EmbeddingProfile]) -> WindowVectors:
    vectors = [row for row in rows if row[2] is not None or row[3] is not None]
    data = b"".join([row[3] if row[2] is None else row[2] for row in vectors])
    return WindowVectors(
        chunks=np.array([row[0] for row in vectors], dtype=np.int64),
        inputs=np.array([row[1] for row in vectors], dtype=np.int64),
        tiers=np.array([row[2] is None for row in vectors], dtype=np.uint8),
        matrix=np.frombuffer(data, dtype="<f2").reshape(len(vectors), profiles[0].dimensions),
    )
