"""Set operations on keys held as ascending arrays: distinct, union, intersection, difference, membership."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]


def distinct(keys: Keys) -> Keys:
    """Each key once, ascending. `np.unique` says the same, and loads all of masked arrays to do so."""
    if (keys[1:] > keys[:-1]).all():  # as nearly always, and in a thirtieth of the time of sorting them
        return keys
    ascending: Keys = np.sort(keys)
    first = np.ones(len(ascending), dtype=bool)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]


def either(*several: Keys) -> Keys:
    """What is in any of them; they need not be in order."""
    return distinct(np.concatenate([np.empty(0, dtype=np.int64), *several]))


def both(first: Keys, second: Keys) -> Keys:
    return first[are_among(first, second)]


def without(first: Keys, second: Keys) -> Keys:
    return first[~are_among(first, second)]


def are_among(first: Keys, second: Keys) -> NDArray[np.bool_]:
    """For each of the first, which need not be in order, whether it is in the second.

    A byte for each number up to the largest: keys are given one after the other.
    """
    there = np.zeros(int(max(first.max(initial=0), second.max(initial=0))) + 1, dtype=bool)
    there[second] = True
    return there[first]
