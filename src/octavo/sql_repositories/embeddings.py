"""Stores embedding inputs and the vectors of each profile, and tells which inputs still lack one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, DocumentId, ProjectId
from octavo.model.normalised_text_and_spans import Span
from octavo.model.stored_rows import ChunkVectors, PendingInput, PostponedChunk, StoredVectors, VectorRow
from octavo.sql_repositories.clusters import ClusterRepository
from octavo.sql_repositories.database_port import Clock, Database, contiguous_ranges, first, reserve, value
from octavo.sql_repositories.projects_and_collections import KeyCache, ProjectRepository

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.chunk import EmbeddingInput


def _matrix(rows: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    import numpy as np

    return np.frombuffer(b"".join(rows), dtype="<f2").astype(np.float32).reshape(len(rows), dimensions)


class VectorFormat(NamedTuple):
    """How a dialect stores a vector: conversion from the bytes of a `VectorRow`, and back to rows of numbers."""

    pack: Callable[[bytes], Any] = bytes
    unpack: Callable[[Sequence[bytes], int], NDArray[np.float32]] = _matrix
    raw: Callable[[Any], bytes] = bytes
    """What a query returns for a vector, as the bytes of its `VectorRow`: what its checksum is of."""


BYTES = VectorFormat()

POSTPONED = "inputs_postponed"
"""Counter in `library`: the lowest key of a chunk without inputs; absent when every chunk has them."""


class EmbeddingRepository(ProjectRepository):
    """Which inputs stand for which chunks, and the vectors there are for them."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock, vectors: VectorFormat = BYTES) -> None:
        super().__init__(database, keys, clock)
        self._clusters = ClusterRepository(database, keys, clock)
        self.format = vectors

    def expect(
        self, project: ProjectId, inputs: Sequence[tuple[ChunkKey, Sequence[EmbeddingInput]]]
    ) -> Mapping[str, int]:
        """The keys, by their hashes, of those inputs that were never met before."""
        key = self._keys.project(project)
        self._database.run_many("chunk_inputs_remove", contiguous_ranges(chunk for chunk, _ in inputs))
        known, fresh = self._input_keys(key, (input_.hash for _, of_chunk in inputs for input_ in of_chunk))
        keys = known | fresh
        self._database.run_many(
            "chunk_input_put",
            (
                (key, chunk, input_.window, keys[input_.hash], input_.span.start, input_.span.end, input_.context)
                for chunk, of_chunk in inputs
                for input_ in of_chunk
            ),
        )
        return fresh

    def postpone(self, project: ProjectId, chunks: Sequence[ChunkKey]) -> None:
        """The inputs of these chunks are made once somebody embeds; what they had is forgotten."""
        if not chunks:
            return
        self._keys.project(project)
        self._database.run_many("chunk_inputs_remove", contiguous_ranges(chunks))
        lowest, recorded = min(chunks), self._first_postponed()
        if recorded is None or lowest < recorded:
            self._database.run("counter_put", {"name": POSTPONED, "value": int(lowest)})

    def postponed(self, project: ProjectId, after: int, most: int) -> tuple[PostponedChunk, ...]:
        """Chunks above a key whose inputs are still to be made, ascending; those of diffs have none to make."""
        first_key = self._first_postponed()
        if first_key is None:
            return ()
        return tuple(
            PostponedChunk(row[0], row[1], tuple(json.loads(row[2])), Span(row[3], row[4]), row[5], row[6])
            for row in self._rows("chunks_postponed", project, after=max(after, first_key - 1), limit=most)
        )

    def finish_postponed(self, project: ProjectId) -> None:
        """Records that no chunk without inputs is left, so that nobody looks for one.

        Needs no transaction of the caller's: what is left is checked again in its own.
        """
        # The counter is the library's: another project may still have postponed chunks.
        recorded = self._first_postponed()
        if recorded is None or self._first_waiting(recorded) == recorded:
            return
        with self._database.transaction():
            recorded = self._first_postponed()  # another process may have postponed chunks meanwhile
            lowest = None if recorded is None else self._first_waiting(recorded)
            if lowest is None:
                self._database.run("counter_remove", {"name": POSTPONED})
            else:
                self._database.run("counter_put", {"name": POSTPONED, "value": lowest})

    def _first_waiting(self, recorded: int) -> int | None:
        lowest = value(self._database, "chunks_postponed_first", {"first": recorded})
        return None if lowest is None else int(lowest)

    def _first_postponed(self) -> int | None:
        row = first(self._database, "keys_reserved", {"name": POSTPONED})
        return None if row is None else int(row[0])

    def _input_keys(self, project: int, hashes: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
        """The keys of known inputs and of new ones, which are inserted: the same text keeps its key for ever."""
        distinct = dict.fromkeys(hashes)
        rows = self._database.rows("inputs_known", {"project": project, "hashes": json.dumps(list(distinct))})
        known: dict[str, int] = {row[0].hex(): row[1] for row in rows}
        if known:
            self._database.run("embedded_upto_lower", {"project": project, "inputs": json.dumps([*known.values()])})
        new = [digest for digest in distinct if digest not in known]
        fresh = dict(zip(new, count(reserve(self._database, "input_key", len(new))), strict=False))
        self._database.run_many("input_put", ((key, project, bytes.fromhex(digest)) for digest, key in fresh.items()))
        return known, fresh

    def pending(
        self,
        project: ProjectId,
        profile: EmbeddingProfile,
        *,
        newest_first: bool = False,
        wanted_first: bool = False,
        most: int | None = None,
        chunks: Sequence[ChunkKey] | None = None,
    ) -> tuple[int, ...]:
        """Keys of the inputs of current chunks, or of these, without a vector under this profile, each once.

        In chunk order, or what was written last first; those of commits after all others, and always in chunk order.
        With `wanted_first` what was hit most often, then what was changed last, commits after the rest. `most` of them.
        """
        where = self._progress(project, profile)
        if chunks is not None:
            named = where | {"chunks": json.dumps(list(chunks))}
            return tuple(row[0] for row in self._database.rows("inputs_pending_of_chunks", named))[:most]
        if newest_first and most is not None and not where["complete"]:
            # While much is pending, the newest inputs are found without scanning all of them.
            parameters = {"project": where["project"], "profile": where["profile"], "limit": 2 * most}
            last = dict.fromkeys(row[0] for row in self._database.rows("inputs_pending_last", parameters))
            if len(last) >= most:
                return tuple(last)[:most]
        name = "inputs_pending_newest" if newest_first else "inputs_pending"
        name = "inputs_pending_wanted" if wanted_first else name
        return tuple(row[0] for row in self._database.rows(name, where))[:most]

    def mark_complete(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        """Whether nothing is pending; if so that is recorded, and current inputs need not be checked again.

        Runs in a transaction of its own, which does not advance the generation.
        """
        where = self._progress(project, profile)
        if where["complete"] == int(value(self._database, "inputs_newest")):
            return True
        if first(self._database, "inputs_pending_any", where):
            return False
        if not where["profile"]:
            return True  # never used, and nothing to embed
        with self._database.transaction():
            newest, where = int(value(self._database, "inputs_newest")), self._progress(project, profile)
            if first(self._database, "inputs_pending_any", where):
                return False
            profile_of = {"project": where["project"], "profile": where["profile"]}
            self._database.run("embedded_upto_put", profile_of | {"input": newest})
            self._database.run("chunk_hits_forget", {"project": where["project"]})
        return True

    def note_hits(self, project: ProjectId, profile: EmbeddingProfile, hits: Mapping[ChunkKey, int]) -> None:
        """How often searches showed chunks; kept of those that wait for a vector under this profile.
        A transaction of its own, which moves no generation.
        """
        where = self._of(project, profile)
        with self._database.transaction():
            self._database.run_many(
                "chunk_hit_put", ({**where, "chunk": int(key), "hits": times} for key, times in sorted(hits.items()))
            )

    def remove(self, project: ProjectId, profile: EmbeddingProfile, inputs: Sequence[int]) -> None:
        """Vectors that a better profile's stand for by now."""
        where = self._of(project, profile)
        self._database.run("vectors_remove", where | {"inputs": json.dumps(list(inputs))})
        self._database.run("embedded_upto_forget", where)

    def _of(self, project: ProjectId, profile: EmbeddingProfile) -> dict[str, Any]:
        return self._in(project, profile=self._keys.profile(project, profile.canonical()))

    def _progress(self, project: ProjectId, profile: EmbeddingProfile) -> dict[str, int]:
        """Parameters with the key of the input up to which all have vectors."""
        where = self._of(project, profile)
        row = first(self._database, "embedded_upto", where)
        return where | {"complete": row[0] if row else 0}

    def describe(self, project: ProjectId, inputs: Sequence[int]) -> tuple[PendingInput, ...]:
        return tuple(
            PendingInput(key, digest.hex(), context, text.hex(), Span(start, end), document)
            for key, digest, context, text, start, end, document, *_ in self._rows(
                "inputs_described", project, inputs=json.dumps(list(inputs))
            )
        )

    def of_document(self, project: ProjectId, document_key: int) -> tuple[int, ...]:
        return tuple(row[0] for row in self._rows("inputs_of_document", project, document=document_key))

    def chunk_vectors(
        self, project: ProjectId, document: DocumentId, profile: EmbeddingProfile, fast: EmbeddingProfile | None
    ) -> tuple[ChunkVectors, ...]:
        """Of each chunk of a document, in order, its length and which vectors it has."""
        where = self._of(project, profile) | {"document": document, "fast": 0}
        if fast is not None:
            where["fast"] = self._keys.profile(project, fast.canonical())
        return tuple(ChunkVectors(*row) for row in self._database.rows("chunk_vectors", where))

    def put(self, project: ProjectId, profile: EmbeddingProfile, vectors: Sequence[VectorRow]) -> None:
        key = self._keys.project(project)
        size = 2 * profile.dimensions
        if wrong := [vector for vector in vectors if len(vector.data) != size]:
            # One such row would make every later read of the profile's vectors fail.
            raise ValueError(f"a vector of {profile.name} takes {size} bytes, not {len(wrong[0].data)}")
        body = profile.canonical()
        self._database.run("profile_put", {"project": key, "name": profile.name, "body": body, "now": self._clock()})
        where = {"project": key, "profile": self._keys.profile(project, body)}
        pack = self.format.pack
        self._database.run_many(
            "vector_put",
            (
                {**where, "input": vector.input_key, "data": pack(vector.data), "checksum": zlib.crc32(vector.data)}
                for vector in vectors
            ),
        )
        if clustering := self._clusters.current(project, profile):
            joined = clustering.joined(_matrix([vector.data for vector in vectors], profile.dimensions))
            self._clusters.assign(project, dict(zip((vector.input_key for vector in vectors), joined, strict=True)))

    def chunks(self, project: ProjectId) -> int:
        """How many there are."""
        return int(value(self._database, "chunks_total", {"project": self._keys.project(project)}))

    def coverage(self, project: ProjectId, profile: EmbeddingProfile) -> tuple[int, int]:
        """Chunks with all their vectors, and chunks in all."""
        where = self._progress(project, profile)
        total = self.chunks(project)
        if where["complete"]:
            missing = "chunks_without_vectors"
        elif first(self._database, "vectors_any", where):
            missing = "chunks_among_first_without_vectors"
        else:
            missing = "chunks_with_inputs"
        without = int(value(self._database, missing, where))
        first_key = self._first_postponed()
        if first_key is not None:
            parameters = {"project": where["project"], "first": first_key}
            without += int(value(self._database, "chunks_postponed_count", parameters))
        return total - without, total

    def unread(self, project: ProjectId, profile: EmbeddingProfile) -> int:
        """Chunks with a window that the model cannot read: its vector is zeros, and words alone find it."""
        return int(value(self._database, "chunks_unread", self._of(project, profile)))

    def assignments(self, project: ProjectId) -> NDArray[np.int64]:
        """Rows of (chunk key, input key): every window of every current chunk, chunks ascending."""
        rows = self._rows("chunk_input_pairs", project)
        return _integers(rows).reshape(-1, 2)

    def vectors(self, project: ProjectId, profile: EmbeddingProfile, after: int) -> StoredVectors:
        """Vectors whose key is above `after`, ascending. Keys only ever grow."""
        rows = self._rows(
            "vectors_after", project, profile=self._keys.profile(project, profile.canonical()), after=after
        )
        return StoredVectors(
            keys=_integers([row[0] for row in rows]),
            inputs=_integers([row[1] for row in rows]),
            matrix=self.format.unpack([row[2] for row in rows], profile.dimensions),
        )


def _integers(rows: Sequence[Any]) -> NDArray[np.int64]:
    import numpy as np

    return np.array(rows, dtype=np.int64)
