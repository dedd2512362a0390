"""How good a ranking is, against what is known to be relevant. All values lie between 0 and 1.

`relevance` maps what is relevant to a grade above 0; whatever it does not name is not relevant. An item that a
ranking repeats counts where it first stands.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import fsum, log2
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def ndcg_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """nDCG@k = DCG / DCG of the ideal order, DCG = Σ grade(i) / log2(i + 1) over ranks i = 1…k.

    Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", ACM TOIS 20, 2002, with the
    grade itself as gain, as trec_eval has it. 0 if nothing is relevant.

    >>> ndcg_at(["b", "x", "a"], {"a": 2, "b": 1}, 3)  # (1 + 2/2) / (2 + 1/log2(3))
    0.7601875334318685
    """
    ideal = _dcg(sorted(relevance.values(), reverse=True)[:k])
    return _dcg([relevance.get(item, 0.0) for item in _first(ranked, k)]) / ideal if ideal else 0.0


def recall_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """Recall@k = relevant items among the first k / relevant items. 0 if nothing is relevant.

    >>> recall_at(["b", "x", "a"], {"a": 1, "b": 1, "c": 1}, 2)
    0.3333333333333333
    """
    wanted = {item for item, grade in relevance.items() if grade > 0}
    return len(wanted.intersection(_first(ranked, k))) / len(wanted) if wanted else 0.0


def mrr_at(ranked: Sequence[Item], relevance: Mapping[Item, float], k: int) -> float:
    """RR@k = 1 / rank of the first relevant item, 0 if there is none among the first k; its mean over queries is MRR.

    >>> mrr_at(["x", "b", "a"], {"a": 1, "b": 1}, 10)
    0.5
    """
    return next((1 / rank for rank, item in enumerate(_first(ranked, k), start=1) if relevance.get(item, 0) > 0), 0.0)


def _first(ranked: Sequence[Item], k: int) -> list[Item]:
    return list(dict.fromkeys(ranked))[:k]


def _dcg(grades: Sequence[float]) -> float:
    return fsum(grade / log2(rank + 1) for rank, grade in enumerate(grades, start=1))
