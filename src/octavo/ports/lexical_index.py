"""Port of the lexical index: chunks by words or phrase, and indexed words by their start or by likeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import ChunkKey, ProjectId
    from octavo.model.prepared_document import LexicalField, LexicalRow
    from octavo.model.query import Filters, Terms
    from octavo.model.search_result import ScoredChunk


class LexicalIndex(Protocol):
    """Words → chunks, by BM25 over the boosted fields. Higher scores are better."""

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None: ...

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        """With `fields`, only what stands in these counts; what is excluded may stand nowhere."""

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        """Keys of all chunks that hold these tokens next to each other, ascending; the first `most` of them."""

    def starting(self, project: ProjectId, start: str) -> Sequence[str]:
        """The tokens that start so, ascending; some may be of chunks that are gone."""

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        """The token alone when a chunk holds it; or else the tokens of chunks that share most trigrams with it."""
