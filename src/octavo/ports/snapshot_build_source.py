"""What a store gives for building the files of a search snapshot, and what changed since one was built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ChunkKey, ProjectId, SnapshotId
    from octavo.model.prepared_document import LexicalRow
    from octavo.model.query import Filters
    from octavo.model.search_snapshot import Watermark, WindowVectors


class SnapshotMarks(Protocol):
    """Which snapshots a library knows, and how far it has moved on."""

    def begin(self, project: ProjectId, snapshot: SnapshotId) -> None:
        """From here on changes are written down, so that none is missed while the snapshot is built."""

    def finish(self, project: ProjectId, snapshot: SnapshotId) -> None: ...

    def forget(self, project: ProjectId, snapshots: Sequence[SnapshotId], seen: int) -> None:
        """These are no more, and what is left has seen all changes up to a number."""

    def known(self, project: ProjectId) -> Mapping[SnapshotId, bool]:
        """Snapshots of this very library, and whether each was finished."""

    def mark(self, project: ProjectId) -> Watermark: ...

    def changed(self, project: ProjectId, since: Watermark) -> Sequence[ChunkKey]:
        """Chunks that went, or were written again under the same key."""


class SnapshotSource(SnapshotMarks, Protocol):
    """What snapshots are made from, and what has changed since one was. A store that needs none offers none."""

    def written(self, project: ProjectId, since: int, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keys of the chunks in a range of blocks, gone ones included, and the block of each."""

    def rows(self, project: ProjectId, since: int, until: int) -> Iterator[tuple[int, ChunkKey, LexicalRow]]:
        """The same with their analysed fields, block by block."""

    def places(self, project: ProjectId, keys: Sequence[ChunkKey] | None = None) -> NDArray[np.int64]:
        """Rows of (chunk, document) for those of the chunks that exist, all of them when none is named; ascending."""

    def uris(self, project: ProjectId, documents: Sequence[int] | None = None) -> Mapping[int, str]: ...

    def sections(self, project: ProjectId, keys: Sequence[ChunkKey]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of (chunk, document, section), and of (document, ordinal, level) for these documents; ascending."""

    def admitted(self, project: ProjectId, filters: Filters) -> NDArray[np.int64]:
        """Keys of the documents that filters let through, headings left aside."""

    def embedded_since(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], vector: int
    ) -> Sequence[ChunkKey]:
        """Chunks with a vector that is newer."""

    def windows(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], keys: Sequence[ChunkKey]
    ) -> WindowVectors:
        """Vectors of the named chunks, each of the first of the profiles that has one."""
