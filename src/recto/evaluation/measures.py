"""What a ranking is worth: the standard measures per question, from a maintained library."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from recto.errors import MissingExtra

RANKED = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "map")
"""The measures that every question has, in the order in which they are shown."""

DIVERSITY = "diversity@10"
LATENCY = ("latency_ms_p50", "latency_ms_p95")
MEASURES = (*RANKED, DIVERSITY, *LATENCY)

_WORD = re.compile(r"\w+")

Qrels = Mapping[str, Mapping[str, int]]
Scores = dict[str, dict[str, float]]
"""Measure → question → value."""


def score_rankings(qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> Scores:
    """Each question's value under each of `RANKED`. A question without a ranking counts as 0.

    nDCG takes the relevance itself as gain and log2(rank + 1) as discount; recall, reciprocal rank and average
    precision count a relevance of 1 or more as relevant. Documents are best first, and only their order counts:
    trec_eval would break ties in scores by document id, so it is given ranks.
    """
    library = measuring_library()
    measures = _measures(library)
    judged = [
        library.Qrel(question, document, relevance)
        for question, documents in qrels.items()
        for document, relevance in documents.items()
    ]
    ranked = [
        library.ScoredDoc(question, document, float(-rank))
        for question, documents in rankings.items()
        for rank, document in enumerate(documents)
        if question in qrels
    ]
    scores: Scores = {name: dict.fromkeys(qrels, 0.0) for name in RANKED}
    names = {measure: name for name, measure in measures.items()}
    for metric in library.iter_calc(list(measures.values()), judged, ranked):
        scores[names[metric.measure]][metric.query_id] = float(metric.value)
    return scores


def diversity(texts: Sequence[str], limit: int = 10) -> float | None:
    """How little the first hits repeat each other: 1 − the mean Jaccard similarity of their sets of words, all pairs.

    1 when no two share a word, 0 when all have the same, None with fewer than two hits. Worked example:
    "a b", "b c", "d" → similarities 1/3, 0, 0 → 1 − 1/9 = 0.889.
    """
    words = [frozenset(_WORD.findall(text.casefold())) for text in texts[:limit]]
    pairs = list(combinations(words, 2))
    if not pairs:
        return None
    similar = math.fsum(len(one & other) / len(one | other) if one or other else 1.0 for one, other in pairs)
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


def measuring_library() -> Any:
    """ir-measures, or an error that says how to get it: asked for before an hour of embedding, not after."""
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra(
            f"the evaluation needs ir-measures ({error})", hint="install it with: pip install 'recto[eval]'"
        ) from error
    return ir_measures


def _measures(library: Any) -> dict[str, Any]:
    return {
        "ndcg@10": library.nDCG @ 10,
        "recall@10": library.R @ 10,
        "recall@100": library.R @ 100,
        "mrr@10": library.RR @ 10,
        "map": library.AP,
    }
