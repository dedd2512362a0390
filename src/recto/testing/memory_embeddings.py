"""Embedding inputs and vectors, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recto.errors import Conflict
from recto.model.chunk import ContentType, EmbeddingInput
from recto.model.document import Kind
from recto.model.ids import ChunkKey, ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.model.stored import PendingInput, PostponedChunk, StoredVectors, VectorRow
from recto.testing.memory_tables import HeldVector, HeldWindow, Session, Tables, known_project

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MemoryEmbeddings:
    """Fits `ports.Embeddings`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._hits: dict[tuple[ProjectId, ChunkKey], int] = {}

    def expect(
        self, project: ProjectId, inputs: Sequence[tuple[ChunkKey, Sequence[EmbeddingInput]]]
    ) -> Mapping[str, int]:
        tables = self._session.write()
        known_project(tables, project)
        before = tables.last_input
        for chunk, several in inputs:
            if chunk not in tables.chunks:
                raise Conflict(f"there is no chunk {chunk} to embed")
            tables.windows[chunk] = tuple(
                HeldWindow(one.window, _input(tables, project, one.hash), one.span, one.context)
                for one in sorted(several, key=lambda one: one.window)
            )
        keys = {one.hash: tables.inputs[project, one.hash] for _, several in inputs for one in several}
        return {digest: key for digest, key in keys.items() if key > before}

    def postpone(self, project: ProjectId, chunks: Sequence[ChunkKey]) -> None:
        tables = self._session.write()
        known_project(tables, project)
        for chunk in chunks:
            tables.windows.pop(chunk, None)
            tables.postponed[chunk] = None

    def postponed(self, project: ProjectId, after: int, most: int) -> tuple[PostponedChunk, ...]:
        tables = self._session.read()
        found = []
        for key in _postponed(tables, project):
            if key > after:
                held = tables.chunks[key]
                one = held.chunk
                found.append(PostponedChunk(key, held.document, held.section.path, one.span, one.tokens, one.signature))
        return tuple(found[:most])

    def caught_up(self, project: ProjectId) -> None:
        with self._session.transaction():
            tables = self._session.write()
            waiting = {key for one in tables.projects for key in _postponed(tables, one)}
            tables.postponed = {key: None for key in tables.postponed if key in waiting}

    def pending(
        self,
        project: ProjectId,
        profile: EmbeddingProfile,
        *,
        newest_first: bool = False,
        wanted_first: bool = False,
        most: int | None = None,
    ) -> tuple[int, ...]:
        tables = self._session.read()
        known = _embedded(tables, project, profile)
        places: dict[int, tuple[float, ...]] = {}
        for chunk, window in _windows(tables, project):
            if window.input in known:
                continue
            document = tables.documents[project, tables.chunks[chunk].document].document
            commit = document.kind is Kind.COMMIT
            place: tuple[float, ...] = (commit, -int(chunk) if newest_first and not commit else int(chunk))
            if wanted_first:
                place = (-self._hits.get((project, chunk), 0), commit, -document.modified_at)
            held = places.get(window.input, place)
            places[window.input] = tuple(min(both) for both in zip(held, place, strict=True))
        return tuple(sorted(places, key=lambda one: (*places[one], one)))[:most]

    def settle(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        settled = not self.pending(project, profile)
        if settled:
            self._hits = {key: hits for key, hits in self._hits.items() if key[0] != project}
        return settled

    def note_hits(self, project: ProjectId, profile: EmbeddingProfile, hits: Mapping[ChunkKey, int]) -> None:
        tables = self._session.read()
        known = _embedded(tables, project, profile)
        waiting = {chunk for chunk, window in _windows(tables, project) if window.input not in known}
        for chunk in waiting & hits.keys():
            self._hits[project, chunk] = self._hits.get((project, chunk), 0) + hits[chunk]

    def remove(self, project: ProjectId, profile: EmbeddingProfile, inputs: Sequence[int]) -> None:
        tables = self._session.write()
        gone = set(inputs)
        for key, held in [*tables.vectors.items()]:
            if (held.project, held.profile) == (project, profile) and held.input in gone:
                del tables.vectors[key]

    def describe(self, project: ProjectId, inputs: Sequence[int]) -> tuple[PendingInput, ...]:
        tables = self._session.read()
        hashes = {key: digest for (_, digest), key in tables.inputs.items()}
        wanted, found = set(inputs), dict[int, PendingInput]()
        for chunk, window in _windows(tables, project):
            if window.input in wanted and window.input not in found:
                document = tables.documents[project, tables.chunks[chunk].document].document
                found[window.input] = PendingInput(
                    input_key=window.input,
                    hash=hashes[window.input],
                    context=window.context,
                    text_hash=document.content_hash,
                    span=window.span,
                )
        return tuple(found[key] for key in sorted(found))

    def put(self, project: ProjectId, profile: EmbeddingProfile, vectors: Sequence[VectorRow]) -> None:
        tables = self._session.write()
        known = _embedded(tables, project, profile)
        expected = set(tables.inputs.values())
        for vector in vectors:
            if len(vector.data) != 2 * profile.dimensions:
                raise ValueError(
                    f"a vector of {profile.name} takes {2 * profile.dimensions} bytes, not {len(vector.data)}"
                )
            if vector.input_key not in expected:
                raise Conflict(f"there is no input {vector.input_key} to have a vector")
            if vector.input_key not in known:
                known.add(vector.input_key)
                tables.last_vector += 1
                tables.vectors[tables.last_vector] = HeldVector(project, profile, vector.input_key, vector.data)

    def coverage(self, project: ProjectId, profile: EmbeddingProfile) -> tuple[int, int]:
        tables = self._session.read()
        known = _embedded(tables, project, profile)
        total = sum(held.project == project for held in tables.chunks.values())
        lacking = {chunk for chunk, window in _windows(tables, project) if window.input not in known}
        lacking.update(_postponed(tables, project))
        return total - len(lacking), total

    def assignments(self, project: ProjectId) -> NDArray[np.int64]:
        import numpy as np

        tables = self._session.read()
        pairs = [(chunk, window.input) for chunk, window in _windows(tables, project)]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def vectors(self, project: ProjectId, profile: EmbeddingProfile, after: int) -> StoredVectors:
        import numpy as np

        tables = self._session.read()
        known_project(tables, project)
        found = sorted(
            (key, held)
            for key, held in tables.vectors.items()
            if (held.project, held.profile) == (project, profile) and key > after
        )
        matrix = np.frombuffer(b"".join(held.data for _, held in found), dtype="<f2").astype(np.float32)
        return StoredVectors(
            keys=np.array([key for key, _ in found], dtype=np.int64),
            inputs=np.array([held.input for _, held in found], dtype=np.int64),
            matrix=matrix.reshape(len(found), profile.dimensions),
        )


def _input(tables: Tables, project: ProjectId, digest: str) -> int:
    if (project, digest) not in tables.inputs:
        tables.last_input += 1
        tables.inputs[project, digest] = tables.last_input
    return tables.inputs[project, digest]


def _windows(tables: Tables, project: ProjectId) -> list[tuple[ChunkKey, HeldWindow]]:
    """Every window of every current chunk of the project, chunks ascending."""
    known_project(tables, project)
    return [
        (chunk, window)
        for chunk in sorted(tables.windows)
        if tables.chunks[chunk].project == project
        for window in tables.windows[chunk]
    ]


def _embedded(tables: Tables, project: ProjectId, profile: EmbeddingProfile) -> set[int]:
    known_project(tables, project)
    return {held.input for held in tables.vectors.values() if (held.project, held.profile) == (project, profile)}


def _postponed(tables: Tables, project: ProjectId) -> list[ChunkKey]:
    """Chunks of a project that still have no inputs, ascending."""
    return sorted(
        key
        for key in tables.postponed
        if key in tables.chunks
        and tables.chunks[key].project == project
        and tables.chunks[key].chunk.content_type is not ContentType.DIFF
        and not tables.windows.get(key)
    )
