"""Keys as unbroken stretches."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.sql_repositories.database_port import contiguous_ranges


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([], []),
        ([5], [(5, 5)]),
        ([0], [(0, 0)]),
        ([3, 1, 2], [(1, 3)]),
        ([1, 2, 4, 5, 9], [(1, 2), (4, 5), (9, 9)]),
        ([2, 2, 3], [(2, 3)]),
    ],
)
def test_keys_become_stretches(keys: list[int], expected: list[tuple[int, int]]) -> None:
    assert [(run["first"], run["last"]) for run in contiguous_ranges(keys)] == expected


@given(st.lists(st.integers(0, 60)))
def test_stretches_hold_exactly_the_keys_and_never_touch(keys: list[int]) -> None:
    found = list(contiguous_ranges(keys))
    assert [key for run in found for key in range(run["first"], run["last"] + 1)] == sorted(set(keys))
    assert all(later["first"] > earlier["last"] + 1 for earlier, later in pairwise(found))
