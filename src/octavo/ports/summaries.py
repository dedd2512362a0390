"""Port: storing and finding summaries of sections and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ChunkKey, DocumentId, ProjectId
    from octavo.model.summary import NodeType, PlacedChunk, Summarised, Summary, SummaryVectors, Unsummarised


class Summaries(Protocol):
    """Summaries of sections and files. They go with the text they were made of: a changed document has none."""

    def missing(
        self, project: ProjectId, profile: EmbeddingProfile, maker: str, most: int | None = None
    ) -> tuple[Unsummarised, ...]:
        """Documents without summaries by this maker in this profile, oldest first. Commits have none."""

    def chunks(self, project: ProjectId, document: DocumentId) -> tuple[PlacedChunk, ...]:
        """The chunks of a document in its order."""

    def put(
        self,
        project: ProjectId,
        profile: EmbeddingProfile,
        made_of: Unsummarised,
        maker: str,
        summaries: Sequence[Summary],
    ) -> bool:
        """Replaces a document's summaries; False, and nothing is written, where its text is another one by now."""

    def of_document(self, project: ProjectId, document: DocumentId) -> tuple[tuple[str, Summary], ...]:
        """Each summary with its maker: the file's first, then the sections' in order."""

    def state(self, project: ProjectId, profile: EmbeddingProfile) -> tuple[int, int]:
        """How many there are and the key of the newest: another pair once anything was made or removed."""

    def vectors(self, project: ProjectId, profile: EmbeddingProfile, node: NodeType) -> SummaryVectors: ...

    def chunks_below(self, project: ProjectId, keys: Sequence[int]) -> Mapping[int, tuple[ChunkKey, ...]]:
        """The chunks that begin within what a summary is of, by the summary's key."""

    def summarised(self, project: ProjectId, profile: EmbeddingProfile) -> Summarised: ...

    def clear(self, project: ProjectId) -> int:
        """Removes all of them; how many there were. Inside a transaction."""


class SummaryIndex(Protocol):
    """Nearest sections and files by meaning."""

    def near(self, vector: NDArray[np.float32], node: NodeType, limit: int) -> tuple[tuple[int, float], ...]:
        """Keys of summaries with their cosines, best first; of equals the older first."""
