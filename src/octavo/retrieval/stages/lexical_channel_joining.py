"""Joined fusion: further lexical channels are added to the lexical one before it is fused with the dense one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, Ranking, ScoreStep, best_first
from octavo.retrieval.stage import Fuse, Search
from octavo.retrieval.stages.score_and_rank_fusion import BEYOND, ScoreFusion
from octavo.retrieval.tie_breaking import by_place

_LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class JoinedFusion:
    """Adds to each lexical score a share of the best one, by what the channels of `weights` say; then asks `base`.

    score(d) = lexical(d) + best lexical · Σ weight(c) · c(d) / best of c. Where the lexical channel found nothing, the
    others stand in for it; what it did not list has a share of what it can score at most. `base` sees none of the
    joined channels again, so that none counts twice.
    """

    weights: tuple[tuple[str, float], ...] = (("phrase", 0.2), ("title", 0.2), ("typos", 1.0))
    base: Fuse = field(default_factory=ScoreFusion)
    name: str = "joined_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        weights = {name: weight for name, weight in self.weights if name in rankings and rankings[name].scored}
        lexical = rankings.get(_LEXICAL, Ranking(_LEXICAL, ()))
        total: dict[ChunkKey, float] = {chunk.key: chunk.score for chunk in lexical.scored}
        unit = max(total.values(), default=1.0)
        for name, weight in weights.items():
            best = max(chunk.score for chunk in rankings[name].scored)
            for chunk in rankings[name].scored:
                total[chunk.key] = total.get(chunk.key, BEYOND * lexical.beyond) + unit * weight * chunk.score / best
        scored = by_place(search, best_first(total.items()))
        apart = {name: ranking for name, ranking in rankings.items() if name not in weights}
        candidates = self.base.fuse(search, {**apart, _LEXICAL: replace(lexical, scored=scored)})
        search.notes["joined"] = weights
        return _with_steps(candidates, {name: rankings[name] for name in weights})


def _with_steps(candidates: tuple[Candidate, ...], joined: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
    """The candidates with what the joined channels gave them in front of their other steps."""
    steps: dict[ChunkKey, tuple[ScoreStep, ...]] = {}
    for name, ranking in joined.items():
        for rank, chunk in enumerate(ranking.scored, 1):
            steps[chunk.key] = (*steps.get(chunk.key, ()), ScoreStep(name, chunk.score, rank))
    return tuple(
        candidate.with_steps((*steps[candidate.key], *candidate.steps)) if candidate.key in steps else candidate
        for candidate in candidates
    )
