"""How good a ranking is, measured against judgements: nDCG, recall, reciprocal rank and average precision.

A ranking is a sequence, best first: its order is all that counts, and an item that it repeats counts where it first
stands. `relevance` maps judged items to grades. A grade above 0 is relevant; an item that nobody judged is not, and a
negative grade is no worse than 0. With nothing relevant every measure is 0. All values lie between 0 and 1, and each is
what trec_eval (https://trec.nist.gov/trec_eval) computes for the same ranking.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import fsum, log2
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def ndcg_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """nDCG@k = DCG / DCG of the ideal order, DCG = Σ grade(i) / log2(i + 1) over ranks i = 1…k.

    Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", ACM TOIS 20, 2002. The gain is the
    grade itself, not 2^grade - 1. trec_eval: `ndcg_cut.k`.

    >>> ndcg_at(["b", "x", "a"], {"a": 2, "b": 1}, 3)  # (1 + 2/2) / (2 + 1/log2(3))
    0.7601875334318685
    """
    gains = _relevant(relevance)
    ideal = _dcg(sorted(gains.values(), reverse=True)[:k])
    return _dcg([gains.get(item, 0.0) for item in _distinct(ranked)[:k]]) / ideal if ideal else 0.0


def recall_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """Recall@k = relevant items among the first k / relevant items. trec_eval: `recall.k`.

    >>> recall_at(["b", "x", "a"], {"a": 1, "b": 1, "c": 1}, 2)
    0.3333333333333333
    """
    relevant = _relevant(relevance)
    return sum(item in relevant for item in _distinct(ranked)[:k]) / len(relevant) if relevant else 0.0


def reciprocal_rank_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """RR@k = 1 / rank of the first relevant item, 0 if there is none among the first k; its mean over queries is MRR.

    Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999. trec_eval: `recip_rank` of the first k (`-M k`).

    >>> reciprocal_rank_at(["x", "b", "a"], {"a": 1, "b": 1}, 10)
    0.5
    """
    relevant = _relevant(relevance)
    return next((1 / rank for rank, item in enumerate(_distinct(ranked)[:k], start=1) if item in relevant), 0.0)


def average_precision(ranked: Sequence[Item], relevance: Mapping[Item, float]) -> float:
    """AP = Σ precision(i) over the ranks i of relevant items / relevant items; its mean over queries is MAP.

    precision(i) = relevant items among the first i / i, so a relevant item that is not ranked adds 0.
    Buckley and Voorhees, "Evaluating Evaluation Measure Stability", SIGIR 2000. trec_eval: `map`.

    >>> average_precision(["a", "x", "b"], {"a": 1, "b": 1, "c": 1})  # (1/1 + 2/3) / 3
    0.5555555555555555
    """
    relevant = _relevant(relevance)
    ranks = [rank for rank, item in enumerate(_distinct(ranked), start=1) if item in relevant]
    return fsum(count / rank for count, rank in enumerate(ranks, start=1)) / len(relevant) if relevant else 0.0


def _relevant(relevance: Mapping[Item, float]) -> dict[Item, float]:
    return {item: grade for item, grade in relevance.items() if grade > 0}


def _distinct(ranked: Sequence[Item]) -> list[Item]:
    return list(dict.fromkeys(ranked))


def _dcg(gains: Sequence[float]) -> float:
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
