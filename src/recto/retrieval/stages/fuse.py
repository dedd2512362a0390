"""Fusion: several rankings → one score per chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from recto.algorithms.fusion import min_max, reciprocal_rank, z_scores
from recto.model.ids import ChunkKey
from recto.model.result import Candidate, Ranking, ScoreStep
from recto.retrieval.stage import Search, in_order
from recto.retrieval.stages.adaptive import Balance

_CHANNELS = ("dense", "lexical")
_NORMALISERS: Mapping[str, Callable[[list[float]], list[float]]] = {"z": z_scores, "min_max": min_max}


@dataclass(frozen=True, slots=True)
class ScoreFusion:
    """A weighted sum of normalised scores over the union of all channels' candidates.

    A chunk only the lexical channel found gets its exact cosine, or counts as average while it has no vector; a chunk
    the lexical channel missed counts as holding none of the words. With a `balance` the weights follow from the query.
    When a channel found nothing, the others decide alone.
    """

    dense: float = 0.6
    lexical: float = 0.4
    normaliser: str = "z"
    balance: Balance | None = None
    name: str = "score_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        scores = {name: _scores(rankings[name]) for name in _CHANNELS if name in rankings and rankings[name].scored}
        weights = self._weights(search, rankings) if len(scores) > 1 else dict.fromkeys(scores, 1.0)
        keys = sorted({key for channel in scores.values() for key in channel})
        if "dense" in scores:
            missing = [key for key in keys if key not in scores["dense"]]
            scores["dense"] |= search.library.vectors().score(search.vector, missing) if missing else {}
        total = dict.fromkeys(keys, 0.0)
        for name, channel in scores.items():
            absent = 0.0 if name == "lexical" else sum(channel.values()) / len(channel)
            normalised = _NORMALISERS[self.normaliser]([channel.get(key, absent) for key in keys])
            for key, value in zip(keys, normalised, strict=True):
                total[key] += weights[name] * value
        search.notes["weights"] = {name: round(weight, 3) for name, weight in weights.items()}
        return _candidates(search, total, rankings, self.name)

    def _weights(self, search: Search, rankings: Mapping[str, Ranking]) -> dict[str, float]:
        if self.balance is None:
            return {"dense": self.dense, "lexical": self.lexical}
        lexical = [one.score for one in rankings["lexical"].scored]
        weight, reason = self.balance.weight(lexical, [one.score for one in rankings["dense"].scored])
        search.notes["balance"] = reason
        return {"dense": 1.0 / (1.0 + weight), "lexical": weight / (1.0 + weight)}


@dataclass(frozen=True, slots=True)
class RankFusion:
    """Reciprocal rank fusion: sum of w / (k + rank)."""

    k: int = 60
    dense: float = 1.0
    lexical: float = 1.0
    name: str = "rank_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        weights = {"dense": self.dense, "lexical": self.lexical}
        ordered = {name: [one.key for one in ranking.scored] for name, ranking in rankings.items()}
        total = reciprocal_rank(ordered, k=self.k, weights={name: weights.get(name, 1.0) for name in ordered})
        search.notes["weights"] = weights
        return _candidates(search, total, rankings, self.name)


@dataclass(frozen=True, slots=True)
class SingleChannel:
    """One channel as it is."""

    name: str = "single"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        total: dict[ChunkKey, float] = {}
        for ranking in rankings.values():
            for one in ranking.scored:
                total.setdefault(one.key, one.score)
        return _candidates(search, total, rankings, self.name)


def _scores(ranking: Ranking) -> dict[ChunkKey, float]:
    return {one.key: one.score for one in ranking.scored}


def _candidates(
    search: Search, total: Mapping[ChunkKey, float], rankings: Mapping[str, Ranking], stage: str
) -> tuple[Candidate, ...]:
    """Looks the chunks up and gives each its score with the steps that led there."""
    steps: dict[ChunkKey, tuple[ScoreStep, ...]] = {}
    for name, ranking in rankings.items():
        for rank, one in enumerate(ranking.scored, 1):
            steps[one.key] = (*steps.get(one.key, ()), ScoreStep(name, one.score, rank))
    known = search.library.store.documents.candidates(search.library.project, list(total))
    ordered = in_order([replace(candidate, score=total[key]) for key, candidate in known.items()])
    return tuple(
        replace(one, steps=(*steps.get(one.key, ()), ScoreStep(stage, one.score, rank)))
        for rank, one in enumerate(ordered, 1)
    )
