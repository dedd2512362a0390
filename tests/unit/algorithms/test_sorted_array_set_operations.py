"""Sets of keys as ascending arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.ranking.sorted_array_set_operations import both, distinct, either, without


@given(st.lists(st.integers(-5, 2**60), max_size=30))
def test_distinct_keys_are_what_numpy_finds(keys: list[int]) -> None:
    given = np.array(keys, dtype=np.int64)
    found = distinct(given)
    assert found.dtype == np.int64
    assert found.tolist() == np.unique(given).tolist() == sorted(set(keys))
    assert given.tolist() == keys


@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)))
def test_sets_of_keys_are_those_of_sets(one: set[int], other: set[int]) -> None:
    first, second = (np.array(sorted(keys), dtype=np.int64) for keys in (one, other))
    assert both(first, second).tolist() == sorted(one & other)
    assert either(first, second).tolist() == sorted(one | other)
    assert without(first, second).tolist() == sorted(one - other)
    assert either().tolist() == []
