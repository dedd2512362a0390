"""A floor under the list: what is not good enough is not shown."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.ids import ChunkKey
from recto.model.result import Candidate
from recto.retrieval.stage import Search, SkipStage
from recto.retrieval.stages.steps import shares


@dataclass(frozen=True, slots=True)
class ConfidenceFloor:
    """Drops candidates below an absolute score, or below a share of the best.

    A fused score has no scale of its own, so `least` means most with a `channel`: 0.3 of `dense` is a cosine. What a
    channel did not find is below any floor of it, except that a missing cosine is computed.
    """

    least: float | None = None
    share: float | None = None
    channel: str = ""
    name: str = "confidence_floor"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if self.least is None and self.share is None:
            raise SkipStage("no floor is given")
        kept = list(candidates)
        if self.share is not None:
            kept = [one for one, part in zip(candidates, shares(candidates), strict=True) if part >= self.share]
        if self.least is not None:
            scores = self._scores(search, candidates)
            kept = [one for one in kept if one.key in scores and scores[one.key] >= self.least]
        search.notes["dropped"] = len(candidates) - len(kept)
        return tuple(kept)

    def _scores(self, search: Search, candidates: tuple[Candidate, ...]) -> dict[ChunkKey, float]:
        if not self.channel:
            return {one.key: one.score for one in candidates}
        scores = {one.key: step.score for one in candidates for step in one.steps if step.stage == self.channel}
        missing = [one.key for one in candidates if one.key not in scores]
        if self.channel == "dense" and missing:
            scores |= search.library.vectors().score(search.vector, missing)
        return scores
