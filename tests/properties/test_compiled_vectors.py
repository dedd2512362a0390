"""The compiled part against numpy: the same nearest codes, and products as near as the choice of rows takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.compiled.library_loading import VARIABLE, compiled_library
from octavo.algorithms.ranking.vector_nearest_neighbors import cosines
from octavo.model.search_snapshot import WindowVectors
from octavo.search_snapshots.code_comparison import nearest_codes
from octavo.search_snapshots.compiled_vector_search import CompiledVectorSearch, compiled_vector_search
from octavo.search_snapshots.vector_shards import Shards, save_shard

pytestmark = [
    pytest.mark.one_engine,
    pytest.mark.skipif(compiled_library() is None, reason="no compiled library: there was no compiler"),
]
SEEDS = st.integers(0, 2**32 - 1)


def compiled() -> CompiledVectorSearch:
    search = compiled_vector_search()
    assert search is not None
    return search


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
    half = columns // 2
    found = compiled().nearest_codes(codes, code, half, 16 * wanted, wanted, admitted)
    expected = nearest_codes(codes, code, half, 16 * wanted, wanted, admitted, [(0, rows)])
    assert found is not None and found.tolist() == expected.tolist()


@given(SEEDS, st.integers(1, 70), st.integers(0, 30), st.floats(-7, 4))
def test_compiled_products_are_those_of_numpy_once_they_are_rounded(
    seed: int, dimensions: int, count: int, magnitude: float
) -> None:
    chance = np.random.default_rng(seed)
    halves = (chance.standard_normal((40, dimensions)) * 10.0**magnitude).astype(np.float16)
    vector = chance.standard_normal(dimensions).astype(np.float32)
    rows, offsets = np.sort(chance.integers(0, 40, count)), np.array([0, 0, 25])
    counts = np.array([0, (rows < 25).sum(), (rows >= 25).sum()])
    found = compiled().products([None, halves[:25], halves[25:]], offsets, counts, rows, vector)
    assert np.allclose(found, cosines(halves[rows].astype(np.float32), vector), rtol=1e-6, atol=1e-6 * 10.0**magnitude)


def test_a_large_library_is_searched_alike_with_the_compiled_library_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(2)
    matrix = chance.standard_normal((41_000, 64)).astype(np.float32)
    matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float16)
    keys = np.arange(len(matrix), dtype=np.int64) // 2
    paths = [tmp_path / f"{number}.vec" for number in range(3)]
    for path, some in zip(paths, np.array_split(np.arange(len(matrix)), 3), strict=True):
        save_shard(path, WindowVectors(keys[some], keys[some], np.zeros(len(some), dtype=np.uint8), matrix[some]))
    with_it = Shards(paths, 2)
    monkeypatch.setenv(VARIABLE, "0")
    without = Shards(paths, 2)
    for row, admitted in ((0, None), (17, chance.random(len(matrix)) < 0.5), (40_999, None)):
        found, expected = (each.search(matrix[row].astype(np.float32), 20, admitted) for each in (with_it, without))
        assert found[0].tolist() == expected[0].tolist() and found[1].tolist() == expected[1].tolist()
