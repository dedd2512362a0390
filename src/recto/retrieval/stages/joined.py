"""Fusion of more channels than two: those that look for words join the lexical one first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recto.model.ids import ChunkKey
from recto.model.result import Candidate, Ranking, Scored
from recto.retrieval.stage import Fuse, Search
from recto.retrieval.stages.fuse import BEYOND, ScoreFusion

_LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class JoinedFusion:
    """Adds to each lexical score a share of the best one, by what the channels of `weights` say; then asks `base`.

    score(d) = lexical(d) + best lexical · Σ weight(c) · c(d) / best of c. Where the lexical channel found nothing, the
    others stand in for it; what it did not list has a share of what it can score at most.
    """

    weights: tuple[tuple[str, float], ...] = (("phrase", 0.2), ("title", 0.2), ("typos", 1.0))
    base: Fuse = field(default_factory=ScoreFusion)
    name: str = "joined_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        weights = {name: weight for name, weight in self.weights if name in rankings and rankings[name].scored}
        lexical = rankings.get(_LEXICAL, Ranking(_LEXICAL, ()))
        total: dict[ChunkKey, float] = {one.key: one.score for one in lexical.scored}
        unit = max(total.values(), default=1.0)
        for name, weight in weights.items():
            best = max(one.score for one in rankings[name].scored)
            for one in rankings[name].scored:
                total[one.key] = total.get(one.key, BEYOND * lexical.beyond) + unit * weight * one.score / best
        scored = sorted((Scored(key, score) for key, score in total.items()), key=lambda one: (-one.score, one.key))
        candidates = self.base.fuse(search, {**rankings, _LEXICAL: replace(lexical, scored=tuple(scored))})
        search.notes["joined"] = weights
        return candidates
