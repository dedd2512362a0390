"""A confidence floor: hits below a minimum score are dropped."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import shares


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
            parts = shares((*search.before, *candidates))[len(search.before) :]
            kept = [candidate for candidate, part in zip(candidates, parts, strict=True) if part >= self.share]
        if self.least is not None:
            scores = self._scores(search, candidates)
            kept = [candidate for candidate in kept if candidate.key in scores and scores[candidate.key] >= self.least]
        search.notes["dropped"] = len(candidates) - len(kept)
        return tuple(kept)

    def _scores(self, search: Search, candidates: tuple[Candidate, ...]) -> dict[ChunkKey, float]:
        if not self.channel:
            return {candidate.key: candidate.score for candidate in candidates}
        scores = {
            candidate.key: step.score
            for candidate in candidates
            for step in candidate.steps
            if step.stage == self.channel
        }
        missing = [candidate.key for candidate in candidates if candidate.key not in scores]
        if self.channel == "dense" and missing:
            scores |= search.library.meaning.vectors.score(search.vector, missing)
        return scores
