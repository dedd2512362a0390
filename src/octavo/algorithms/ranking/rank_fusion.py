"""Several rankings → one: by scores made comparable, or by ranks alone.

Every result is a dict from key to score, best first, equal scores in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import TypeVar

Key = TypeVar("Key", bound=int | str)


def z_scores(values: Sequence[float]) -> list[float]:
    """z = (x - mean) / standard deviation, over the population: mean 0, deviation 1.

    Keeps how far apart the scores are, so a channel with one clear winner says so. Equal scores all become 0.
    See Lee, "Combining Multiple Evidence from Different Properties of Weighting Schemes", SIGIR 1995.

    >>> z_scores([2.0, 4.0, 6.0])  # mean 4, deviation sqrt(8 / 3)
    [-1.224744871391589, 0.0, 1.224744871391589]
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    # Equal floats may miss their own mean by a rounding error, which division would blow up to ±1.
    if deviation <= 1e-12 * max(map(abs, values)):
        return [0.0] * len(values)
    return [(value - mean) / deviation for value in values]


def min_max(values: Sequence[float]) -> list[float]:
    """(x - min) / (max - min): the worst becomes 0, the best 1. Equal scores all become 1, being the best.

    >>> min_max([2.0, 3.0, 6.0])
    [0.0, 0.25, 1.0]
    """
    if not values:
        return []
    lowest, highest = min(values), max(values)
    if lowest == highest:
        return [1.0] * len(values)
    return [(value - lowest) / (highest - lowest) for value in values]


def of_best(values: Sequence[float]) -> list[float]:
    """x / max: zero stays zero, the best becomes 1. Where nothing is above zero, everything becomes 0.

    >>> of_best([2.0, 3.0, 8.0])
    [0.25, 0.375, 1.0]
    """
    highest = max(values, default=0.0)
    return [value / highest for value in values] if highest > 0 else [0.0] * len(values)


def reciprocal_rank(
    rankings: Mapping[str, Sequence[Key]], weights: Mapping[str, float] | None = None, k: int = 60
) -> dict[Key, float]:
    """score(d) = Σ weight(c) / (k + rank(c, d)), ranks from 1, over the rankings that contain d. Weights default to 1.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009. A key that occurs twice in one ranking counts where it first stands.

    >>> reciprocal_rank({"dense": [7, 8], "lexical": [8]}, k=1)  # 8: 1/3 + 1/2, 7: 1/2
    {8: 0.8333333333333333, 7: 0.5}
    """
    shares: dict[Key, list[float]] = {}
    for channel, keys in rankings.items():
        weight = 1.0 if weights is None else weights[channel]
        for rank, key in enumerate(dict.fromkeys(keys), start=1):
            shares.setdefault(key, []).append(weight / (k + rank))
    return _best_first({key: fsum(parts) for key, parts in shares.items()})


def _best_first(scores: Mapping[Key, float]) -> dict[Key, float]:
    # fsum rounds once, so neither the order of the channels nor that of the keys can change a score.
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
