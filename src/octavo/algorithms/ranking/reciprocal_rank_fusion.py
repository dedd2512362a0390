"""Reciprocal rank fusion: several rankings become one by their ranks alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TypeVar

Key = TypeVar("Key", bound=int | str)


def reciprocal_rank(
    rankings: Mapping[str, Sequence[Key]], weights: Mapping[str, float] | None = None, k: int = 60
) -> dict[Key, float]:
    """score(d) = Σ weight(c) / (k + rank(c, d)), ranks from 1, over the rankings that contain d. Weights default to 1.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009. A key that occurs twice in one ranking counts where it first stands; equal scores are in the order of
    their keys.

    >>> reciprocal_rank({"dense": [7, 8], "lexical": [8]}, k=1)  # 8: 1/3 + 1/2, 7: 1/2
    {8: 0.8333333333333333, 7: 0.5}
    """
    shares: dict[Key, list[float]] = {}
    for channel, keys in rankings.items():
        weight = 1.0 if weights is None else weights[channel]
        for rank, key in enumerate(dict.fromkeys(keys), start=1):
            shares.setdefault(key, []).append(weight / (k + rank))
    # fsum rounds once, so neither the order of the channels nor that of the keys can change a score.
    scores = {key: fsum(parts) for key, parts in shares.items()}
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
