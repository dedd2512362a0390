"""The measures of an evaluation: each question's ranking quality, the diversity of its hits, percentiles of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

from octavo.algorithms.ranking.ranking_metrics import average_precision, ndcg_at, recall_at, reciprocal_rank_at
from octavo.lazy_regex import regex

_RANKED: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "ndcg@10": partial(ndcg_at, k=10),
    "recall@10": partial(recall_at, k=10),
    "recall@100": partial(recall_at, k=100),
    "mrr@10": partial(reciprocal_rank_at, k=10),
    "map": average_precision,
}
RANKED = tuple(_RANKED)
"""The measures that every question has, in the order in which they are shown."""

DIVERSITY = "diversity@10"
LATENCY = ("latency_ms_p50", "latency_ms_p95")
MEASURES = (*RANKED, DIVERSITY, *LATENCY)

_WORD = regex(r"\w+")

Qrels = Mapping[str, Mapping[str, int]]
Scores = dict[str, dict[str, float]]
"""Measure → question → value."""


def score_rankings(qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> Scores:
    """Each question's value under each of `RANKED`. A question without a ranking counts as 0.

    Documents are best first, and their order alone counts. How grades, cut-offs and documents that nobody judged are
    taken is said in `algorithms.ranking.ranking_metrics`.
    """
    return {
        name: {question: measure(rankings.get(question, ()), grades) for question, grades in qrels.items()}
        for name, measure in _RANKED.items()
    }


def diversity(texts: Sequence[str], limit: int = 10) -> float | None:
    """How little the first hits repeat each other: 1 − the mean Jaccard similarity of their sets of words, all pairs.

    1 when no two share a word, 0 when all have the same, None with fewer than two hits. Worked example:
    "a b", "b c", "d" → similarities 1/3, 0, 0 → 1 − 1/9 = 0.889.
    """
    words = [frozenset(_WORD.findall(text.casefold())) for text in texts[:limit]]
    pairs = list(combinations(words, 2))
    if not pairs:
        return None
    similar = math.fsum(len(a & b) / len(a | b) if a or b else 1.0 for a, b in pairs)
    return 1.0 - similar / len(pairs)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, between neighbours by proportion (as numpy's default)."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
