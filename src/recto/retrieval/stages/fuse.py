"""Fusion: several rankings → one score per chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recto.algorithms.fusion import min_max, reciprocal_rank, z_scores
from recto.model.ids import ChunkKey
from recto.model.result import Candidate, Ranking, ScoreStep
from recto.retrieval.stage import Search, in_order

BEYOND = 0.8
"""What a chunk that a channel did not list is taken to score, as a share of what it can score at most."""
_CHANNELS = ("dense", "lexical")
_NORMALISERS: Mapping[str, Callable[[list[float]], list[float]]] = {"z": z_scores, "min_max": min_max}


@dataclass(frozen=True, slots=True)
class ScoreFusion:
    """A weighted sum of normalised scores over the union of all channels' candidates.

    A chunk only the lexical channel found gets its exact cosine, or counts as average while it has no vector; a chunk
    the lexical channel missed counts as holding none of the words. When a channel found nothing, the others decide
    alone.
    """

    dense: float = 0.6
    lexical: float = 0.4
    normaliser: str = "z"
    name: str = "score_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        scores = {name: channel for name in _CHANNELS if (channel := found(rankings, name))}
        weights = {"dense": self.dense, "lexical": self.lexical} if len(scores) > 1 else dict.fromkeys(scores, 1.0)
        if "dense" in scores and "lexical" in scores:
            scores["dense"] = with_cosines(search, scores["dense"], scores["lexical"])
        keys = sorted({key for channel in scores.values() for key in channel})
        total = dict.fromkeys(keys, 0.0)
        for name, channel in scores.items():
            absent = 0.0 if name == "lexical" else sum(channel.values()) / len(channel)
            normalised = _NORMALISERS[self.normaliser]([channel.get(key, absent) for key in keys])
            for key, value in zip(keys, normalised, strict=True):
                total[key] += weights[name] * value
        search.notes["weights"] = {name: round(weight, 3) for name, weight in weights.items()}
        return looked_up(search, total, rankings, self.name)


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
        return looked_up(search, total, rankings, self.name)


@dataclass(frozen=True, slots=True)
class SingleChannel:
    """One channel as it is."""

    name: str = "single"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        total: dict[ChunkKey, float] = {}
        for ranking in rankings.values():
            for one in ranking.scored:
                total.setdefault(one.key, one.score)
        return looked_up(search, total, rankings, self.name)


def found(rankings: Mapping[str, Ranking], channel: str) -> dict[ChunkKey, float]:
    """What a channel found, best first; empty if it found nothing or did not look."""
    return {one.key: one.score for one in rankings[channel].scored} if channel in rankings else {}


def with_cosines(
    search: Search, dense: Mapping[ChunkKey, float], lexical: Mapping[ChunkKey, float]
) -> dict[ChunkKey, float]:
    """The cosines of what either channel found, as far as there are vectors."""
    missing = [key for key in lexical if key not in dense]
    return {**dense, **(search.library.vectors().score(search.vector, missing) if missing else {})}


def looked_up(
    search: Search,
    total: Mapping[ChunkKey, float],
    rankings: Mapping[str, Ranking],
    stage: str,
    known: Mapping[ChunkKey, Candidate] | None = None,
) -> tuple[Candidate, ...]:
    """The chunks with their scores and the steps that led there; `known` if they were looked up already."""
    steps: dict[ChunkKey, tuple[ScoreStep, ...]] = {}
    for name, ranking in rankings.items():
        for rank, one in enumerate(ranking.scored, 1):
            steps[one.key] = (*steps.get(one.key, ()), ScoreStep(name, one.score, rank))
    if known is None:
        known = search.library.store.documents.candidates(search.library.project, list(total))
    ordered = in_order([one.scored(total[key]) for key, one in known.items()])
    return tuple(
        [
            one.scored(one.score, (*steps.get(one.key, ()), ScoreStep(stage, one.score, rank)))
            for rank, one in enumerate(ordered, 1)
        ]
    )
