"""The best of many scores."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.nearest_chunks import distinct


@given(st.lists(st.integers(-5, 2**60), max_size=30))
def test_distinct_keys_are_what_numpy_finds(keys: list[int]) -> None:
    given = np.array(keys, dtype=np.int64)
    found = distinct(given)
    assert found.dtype == np.int64
    assert found.tolist() == np.unique(given).tolist() == sorted(set(keys))
    assert given.tolist() == keys
