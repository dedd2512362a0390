"""The cache of reranker scores by model, question and passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId


class RerankScores(Protocol):
    """What rerankers have said before, by hashes of question and passage."""

    def known(self, project: ProjectId, model: str, question: str, passages: Sequence[str]) -> Mapping[str, float]: ...

    def put(self, project: ProjectId, model: str, question: str, scores: Mapping[str, float]) -> None: ...

    def prune(self, project: ProjectId, keep: int) -> int:
        """Forgets the oldest beyond `keep`; how many there were. Inside a transaction."""
