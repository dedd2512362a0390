"""Scores of one channel made comparable with another's; each function answers in the order of its input."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt


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
