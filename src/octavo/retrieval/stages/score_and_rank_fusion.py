"""Fusion: several rankings → one score per chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.algorithms.ranking.score_normalisation import min_max, of_best, z_scores
from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.score_rounding import rounded
from octavo.model.search_result import Candidate, Ranking, ScoreStep, ranked_steps, scored_chunks
from octavo.retrieval.stage import Search, order_ties, place_of

BEYOND = 0.8
"""What a chunk that a channel did not list is taken to score, as a share of what it can score at most."""
NO_VECTOR = 0.0
"""The cosine of a passage that the model cannot read: its vector is zeros."""
_CHANNELS = ("dense", "lexical")
_RAW = "raw"
_NORMALISERS: Mapping[str, Callable[[list[float]], list[float]]] = {"z": z_scores, "min_max": min_max, _RAW: of_best}


@dataclass(frozen=True, slots=True)
class ScoreFusion:
    """A weighted sum of normalised scores over the union of all channels' candidates.

    A chunk only the lexical channel found gets its exact cosine, or counts as average while it has no vector; a chunk
    the lexical channel missed counts as holding none of the words. When a channel found nothing, the others decide
    alone. With the normaliser `raw`, cosines stay as they are, 0 without a vector, and BM25 is divided by its best.
    """

    dense: float = 0.6
    lexical: float = 0.4
    normaliser: str = "z"
    name: str = "score_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        scores = {name: channel for name in _CHANNELS if (channel := found(rankings, name))}
        weights = dict.fromkeys(scores, 1.0)
        if "dense" in scores and "lexical" in scores:
            weights = {"dense": self.dense * rankings["dense"].trust, "lexical": self.lexical}
            scores["dense"] = with_cosines(search, scores["dense"], scores["lexical"])
        keys = sorted({key for channel in scores.values() for key in channel})
        total = dict.fromkeys(keys, 0.0)
        for name, channel in scores.items():
            raw = self.normaliser == _RAW
            absent = 0.0 if raw or name == "lexical" else sum(channel.values()) / len(channel)
            values = [channel.get(key, absent) for key in keys]
            normalised = values if raw and name == "dense" else _NORMALISERS[self.normaliser](values)
            for key, value in zip(keys, normalised, strict=True):
                total[key] += weights[name] * value
        search.notes["weights"] = {name: round(weight, 3) for name, weight in weights.items()}
        return looked_up(search, total, rankings, self.name)


@dataclass(frozen=True, slots=True)
class RankFusion:
    """Reciprocal rank fusion: sum of w / (k + rank). `weights` are those of other channels, 1 where nothing is said."""

    k: int = 60
    dense: float = 1.0
    lexical: float = 1.0
    weights: tuple[tuple[str, float], ...] = ()
    name: str = "rank_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        trust = rankings["dense"].trust if "dense" in rankings else 1.0
        weights = {**dict(self.weights), "dense": self.dense * trust, "lexical": self.lexical}
        ordered = {name: [chunk.key for chunk in ranking.scored] for name, ranking in rankings.items()}
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
            for chunk in ranking.scored:
                total.setdefault(chunk.key, chunk.score)
        return looked_up(search, total, rankings, self.name)


def found(rankings: Mapping[str, Ranking], channel: str) -> dict[ChunkKey, float]:
    """What a channel found, best first; empty if it found nothing or did not look."""
    return {chunk.key: chunk.score for chunk in rankings[channel].scored} if channel in rankings else {}


def with_cosines(
    search: Search, dense: Mapping[ChunkKey, float], lexical: Mapping[ChunkKey, float]
) -> dict[ChunkKey, float]:
    """The cosines of what either channel found, as far as there are vectors."""
    missing = [key for key in lexical if key not in dense]
    computed = search.library.meaning.vectors.score(search.vector, missing) if missing else {}
    return {**dense, **{key: cosine for key, cosine in computed.items() if cosine != NO_VECTOR}}


def looked_up(
    search: Search,
    total: Mapping[ChunkKey, float],
    rankings: Mapping[str, Ranking],
    stage: str,
    known: Mapping[ChunkKey, Candidate] | None = None,
) -> tuple[Candidate, ...]:
    """The chunks with their scores and the steps that led there; `known` if they were looked up already."""
    known = search.library.candidates(list(total)) if known is None else known
    scores = {key: rounded(total[key]) for key in known}
    ordered = sorted(known, key=scores.__getitem__, reverse=True)
    values = [scores[key] for key in ordered]
    ordered = order_ties(ordered, values, lambda key: place_of(known[key]))
    steps: dict[ChunkKey, tuple[ScoreStep, ...]] = {}
    channels = ((name, ranking.scored) for name, ranking in rankings.items())
    for name, scored in (*channels, (stage, scored_chunks(ordered, values))):
        for key, step in ranked_steps(name, scored):
            before = steps.get(key)
            steps[key] = (step,) if before is None else (*before, step)
    return tuple(known[key].scored(scores[key], steps[key]) for key in ordered)
