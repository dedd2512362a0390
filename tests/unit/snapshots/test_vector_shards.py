"""Quantised shards find what an exact scan finds, with and without filters, however few are let through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from octavo.algorithms.ranking.vector_nearest_neighbors import cosines
from octavo.ingest.snapshot_shard_assignment import fnv1a32, shard_count, shard_of
from octavo.model.search_snapshot import WindowVectors
from octavo.search_snapshots.code_comparison import codes, smallest, to_float32
from octavo.search_snapshots.vector_shards import Shards, save_shard

COUNT, DIMENSIONS = 110_000, 128


def test_fnv_is_that_of_the_reference_and_folds_whole_code_units() -> None:
    assert fnv1a32("") == 0x811C9DC5
    assert fnv1a32("a") == 0xE40C292C
    assert fnv1a32("foobar") == 0xBF9CF968
    assert fnv1a32("é") == ((0x811C9DC5 ^ 0xE9) * 0x01000193) & 0xFFFFFFFF
    assert fnv1a32("😀") == fnv1a32("\ud83d\ude00")
    assert {shard_of(f"{number}.md", 4) for number in range(50)} == {0, 1, 2, 3}


def test_small_libraries_have_few_shards_and_large_ones_a_hundred_and_twenty_eight() -> None:
    assert [shard_count(chunks) for chunks in (0, 8_192, 8_193, 132_000, 500_000, 1_500_000)] == [1, 1, 2, 32, 64, 128]


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float16]:
    """Around a few hundred middles, as texts are around subjects."""
    chance = np.random.default_rng(3)
    middles = chance.standard_normal((300, DIMENSIONS)).astype(np.float32)
    made = middles[chance.integers(0, 300, COUNT)] + 0.7 * chance.standard_normal((COUNT, DIMENSIONS)).astype(
        np.float32
    )
    halves: NDArray[np.float16] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)
    return halves


@pytest.fixture(scope="module")
def shards(vectors: NDArray[np.float16], tmp_path_factory: pytest.TempPathFactory) -> Shards:
    folder = tmp_path_factory.mktemp("shards")
    paths = []
    for number in range(8):
        rows = np.arange(number, COUNT, 8)
        paths.append(folder / f"{number}.vec")
        save_shard(paths[-1], WindowVectors(rows + 1, rows + 1, np.zeros(len(rows), np.uint8), vectors[rows]))
    return Shards(paths, most_open=3)


def test_the_best_ten_are_those_of_an_exact_scan(shards: Shards, vectors: NDArray[np.float16]) -> None:
    exact, found = vectors.astype(np.float32), 0
    for number in range(0, COUNT, COUNT // 40):
        query = exact[number]
        wanted = set((np.argsort(-(exact @ query), kind="stable")[:10] + 1).tolist())
        chunks, scores = shards.search(query, 10)
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)
        found += len(wanted & set(chunks.tolist()))
    assert found / 400 > 0.98


@pytest.mark.parametrize("count", [3_000, 40_000])
def test_the_best_hundred_are_those_of_an_exact_scan(count: int, vectors: NDArray[np.float16], tmp_path: Path) -> None:
    """A library of that size answers the same with its snapshot and without: a fusion looks at a hundred."""
    numbers = np.arange(count)
    save_shard(tmp_path / "0.vec", WindowVectors(numbers, numbers, np.zeros(count, np.uint8), vectors[:count]))
    shards, exact = Shards([tmp_path / "0.vec"], most_open=1), vectors[:count].astype(np.float32)
    chance = np.random.default_rng(7)
    for number in range(0, count, count // 20):
        query = exact[number] + 0.1 * chance.standard_normal(DIMENSIONS).astype(np.float32)
        query /= np.linalg.norm(query)
        expected = np.argsort(-cosines(exact, query), kind="stable")[:100]
        assert shards.search(query, 100)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("share", [0.0, 0.00005, 0.01, 0.5])
def test_a_filter_leaves_the_best_of_what_it_lets_through(
    shards: Shards, vectors: NDArray[np.float16], share: float
) -> None:
    chance = np.random.default_rng(5)
    admitted = chance.random(COUNT) < share
    keys = np.sort(shards.chunks[admitted])
    query = vectors[17].astype(np.float32)
    chunks, scores = shards.search(query, 10, admitted)
    assert set(chunks.tolist()) <= set(keys.tolist())
    assert len(chunks) == min(10, len(keys))
    if len(keys):
        exact = vectors[keys - 1].astype(np.float32) @ query
        assert scores[0] == pytest.approx(float(exact.max()), abs=1e-5)


def test_codes_have_a_bit_for_each_dimension_and_zeros_beyond() -> None:
    made = codes(np.array([[1.0, -1.0, 0.0] + [2.0] * 62], dtype=np.float32))
    assert made.shape == (2, 1)
    assert int(np.bitwise_count(made).sum()) == 63


def test_moving_the_bits_of_a_half_into_place_gives_the_same_number() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    numbers = every[np.isfinite(every)].reshape(-1, 1)
    assert np.array_equal(to_float32(numbers).view(np.uint32), numbers.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("admitted", [None, 0, 1, 899, 900, 901, 4_000])
def test_the_smallest_distances_are_those_of_a_histogram(kind: type, admitted: int | None) -> None:
    chance, wanted = np.random.default_rng(4), 900
    distances = np.clip(chance.normal(96, 12, 20_000), 0, 190).astype(kind)
    mask = None
    if admitted is not None:
        mask = np.zeros(len(distances), dtype=bool)
        mask[chance.choice(len(distances), admitted, replace=False)] = True
    let_through = distances if mask is None else distances[mask]
    bound = let_through.max(initial=0) if len(let_through) <= wanted else np.sort(let_through)[wanted]
    expected = np.flatnonzero((distances <= bound) & (True if mask is None else mask))
    assert smallest(distances, wanted, mask).tolist() == expected.tolist()
