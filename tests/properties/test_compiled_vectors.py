"""The compiled part against numpy: the same nearest codes, and products as near as the choice of rows takes them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.search_snapshots.compiled_vector_search import CompiledVectorSearch, compiled_vector_search
from octavo.search_snapshots.vector_shards import Shards

pytestmark = [
    pytest.mark.one_engine,
    pytest.mark.skipif(compiled_library() is None, reason="no compiled library: there was no compiler"),
]
SEEDS = st.integers(0, 2**32 - 1)


def compiled() -> CompiledVectorSearch:
    search = compiled_vector_search()
    assert search is not None
    return search


def shards(codes: np.ndarray, search: CompiledVectorSearch | None) -> Shards:
    """Of these codes alone, without vectors."""
    made = Shards([], 1)
    made._codes, made._compiled = codes, search
    made.chunks = np.arange(codes.shape[1], dtype=np.int64)
    return made


@given(
    SEEDS, st.integers(1, 3_000), st.integers(1, 9), st.integers(1, 40), st.sampled_from([None, 0.0, 0.02, 0.5, 1.0])
)
def test_the_compiled_library_finds_the_rows_that_numpy_finds(
    seed: int, rows: int, columns: int, wanted: int, share: float | None
) -> None:
    chance = np.random.default_rng(seed)
    # Few different words: many rows tie.
    codes = chance.choice(chance.integers(0, 2**64, 6, dtype=np.uint64), (columns, rows))
    code = codes[:, chance.integers(rows)] ^ np.uint64(chance.integers(4))
    admitted = None if share is None else chance.random(rows) < share
    found = [shards(codes, each)._nearest_codes(code, wanted, admitted) for each in (None, compiled())]
    assert found[0].tolist() == found[1].tolist()


@given(SEEDS, st.integers(1, 70), st.integers(0, 30), st.floats(-7, 4))
def test_a_compiled_product_is_wrong_by_no_more_than_a_sum_in_single_precision_may_be(
    seed: int, dimensions: int, count: int, magnitude: float
) -> None:
    chance = np.random.default_rng(seed)
    halves = (chance.standard_normal((40, dimensions)) * 10.0**magnitude).astype(np.float16)
    vector = chance.standard_normal(dimensions).astype(np.float32)
    rows = np.sort(chance.integers(0, 40, count))
    matrices, inside = (halves[:25], halves[25:]), (rows[rows < 25], rows[rows >= 25] - 25)
    products = compiled().products(matrices, inside, vector)
    exact, sizes = halves[rows].astype(np.float64), np.abs(halves[rows].astype(np.float64)) @ np.abs(vector)
    assert (np.abs(products - exact @ vector) <= sizes * dimensions * 2.0**-23 + 1e-30).all()


def test_a_library_is_searched_by_numpy_where_a_processor_cannot_count_bits() -> None:
    class Refusing(CompiledVectorSearch):
        def nearest_codes(self, *_: object) -> None:
            return None

    library = compiled_library()
    assert library is not None
    codes = np.random.default_rng(1).integers(0, 2**64, (6, 500), dtype=np.uint64)
    found = [shards(codes, each)._nearest_codes(codes[:, 7], 9, None) for each in (None, Refusing(library))]
    assert found[0].tolist() == found[1].tolist()
