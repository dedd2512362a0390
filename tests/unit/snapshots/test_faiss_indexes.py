"""IVFPQ and HNSW behind the same port: what they find is scored and filtered as exactly as what codes find."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from snapshot_samples import Bench

from octavo.config.search_snapshot_settings import Faiss
from octavo.errors import MissingExtra
from octavo.model.search_snapshot import WindowVectors
from octavo.plugins import INDEXES, OURS
from octavo.search_snapshots.vector_shards import Shards, save_shard
from octavo_stages.faiss_indexes import FaissIndexes, require_faiss, save_index

COUNT, DIMENSIONS = 2_600, 24


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("faiss", reason="faiss is an extra: pip install 'octavo[faiss]'")


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float16]:
    chance = np.random.default_rng(3)
    made = chance.standard_normal((20, DIMENSIONS))[chance.integers(0, 20, COUNT)]
    made += 0.5 * chance.standard_normal((COUNT, DIMENSIONS))
    halves: NDArray[np.float16] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)
    return halves


@pytest.fixture(scope="module")
def paths(vectors: NDArray[np.float16], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two large shards and one that is too small to be quantised, each with an index of either form."""
    paths = []
    for number, rows in enumerate((np.arange(0, 1_200), np.arange(1_200, 2_400), np.arange(2_400, COUNT))):
        paths.append(tmp_path_factory.mktemp("shards") / f"shard_{number:03d}.vec")
        save_shard(paths[-1], WindowVectors(rows + 1, rows + 1, np.zeros(len(rows), np.uint8), vectors[rows]))
        for form in OURS[INDEXES]:
            save_index(paths[-1].with_suffix(f".{form}"), form, vectors[rows])
    return paths


def shards_with(form: str, paths: list[Path], most_open: int = 8) -> Shards:
    return Shards(paths, most_open, FaissIndexes([path.with_suffix(f".{form}") for path in paths], most_open))


@pytest.mark.parametrize("form", OURS[INDEXES])
def test_the_best_ten_are_nearly_those_of_an_exact_scan(
    form: str, vectors: NDArray[np.float16], paths: list[Path]
) -> None:
    shards, exact, found = shards_with(form, paths, most_open=1), vectors.astype(np.float32), 0
    for number in range(0, COUNT, COUNT // 30):
        wanted = set((np.argsort(-(exact @ exact[number]), kind="stable")[:10] + 1).tolist())
        chunks, scores = shards.search(exact[number], 10)
        assert scores == pytest.approx(exact[chunks - 1] @ exact[number], abs=1e-3)
        found += len(wanted & set(chunks.tolist()))
    assert found / 300 > 0.95


@pytest.mark.parametrize("form", OURS[INDEXES])
@pytest.mark.parametrize("share", [0.001, 0.6, 0.9])
def test_a_filter_is_looked_at_before_anything_is_found(
    form: str, share: float, vectors: NDArray[np.float16], paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MIN_CANDIDATES", "SCORE_ALL_BELOW"):
        monkeypatch.setattr(f"octavo.search_snapshots.vector_shards.{name}", 100)  # more are not scored outright
    shards, exact = shards_with(form, paths), vectors.astype(np.float32)
    admitted = np.random.default_rng(5).random(COUNT) < share
    wanted = np.flatnonzero(admitted)[np.argsort(-(exact[admitted] @ exact[17]), kind="stable")[:10]] + 1
    chunks, _ = shards.search(exact[17], 10, admitted)
    assert admitted[chunks - 1].all()
    assert len(chunks) == min(10, int(admitted.sum()))
    assert len({*chunks.tolist()} & {*wanted.tolist()}) >= len(wanted) - 1


@pytest.mark.parametrize("form", OURS[INDEXES])
def test_a_snapshot_carries_its_indexes_over_with_their_shards(form: str, tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        bench.making = replace(bench.making, vectors=form)
        for number in range(12):
            bench.put(f"a/{number}.md", f"apple {number}", "banana")
        bench.embed(100)
        first = bench.publish()
        bench.put("a/3.md", "apple 3", "cherry")
        bench.embed(100)
        second = bench.publish()
        names = [name for name in second.files if name.endswith(form)]
        assert len(names) == len([name for name in first.files if name.startswith("shard_") and name.endswith(".vec")])
        assert {second.files[name].carried for name in names} == {True, False}
        bench.reopen()
        bench.snapshots.opened = None
        vector = bench.vector("query 1")
        assert bench.snapshots.current().shards.approximate is not None  # type: ignore[union-attr]
        found = bench.vectors.search(vector, 5)
        assert [one.score for one in found] == pytest.approx(
            [one.score for one in bench.exact.search(vector, 5)], abs=1e-3
        )


def test_without_faiss_building_says_what_to_install_and_reading_goes_by_the_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_faiss(name: str, *rest: Any, **more: Any) -> Any:
        if name == "faiss":
            raise ImportError(name)
        return real(name, *rest, **more)

    with Bench(tmp_path) as bench:
        bench.making = replace(bench.making, vectors="hnsw")
        bench.put("a/1.md", "apple", "banana")
        bench.embed(100)
        bench.publish()
        monkeypatch.setattr(builtins, "__import__", without_faiss)
        with pytest.raises(MissingExtra) as refused:
            bench.publish()
        assert "pip install 'faiss-cpu" in (refused.value.hint or "")
        bench.reopen()
        vector = bench.vector("query 1")
        found, wanted = bench.vectors.search(vector, 2), bench.exact.search(vector, 2)
        assert [one.key for one in found] == [one.key for one in wanted]
        assert bench.snapshots.current().shards.approximate is None  # type: ignore[union-attr]
    with pytest.raises(MissingExtra):
        require_faiss()


def test_the_numbers_of_an_index_are_settings_and_stay_in_its_file(
    vectors: NDArray[np.float16], tmp_path: Path
) -> None:
    faiss = require_faiss()
    few = Faiss(min_vectors=500, m=6, nbits=6, nprobe=3, hnsw_m=8, ef_construction=40, ef_search=20)
    for form in OURS[INDEXES]:
        save_index(tmp_path / form, form, vectors[:600], few)
        save_index(tmp_path / f"{form}-usual", form, vectors[:600])
    ivfpq, hnsw = (faiss.read_index(str(tmp_path / form)) for form in ("ivfpq", "hnsw"))
    assert (ivfpq.nprobe, ivfpq.pq.M, ivfpq.pq.nbits) == (3, 6, 6)
    assert (hnsw.hnsw.efSearch, hnsw.hnsw.efConstruction) == (20, 40)
    assert isinstance(faiss.read_index(str(tmp_path / "ivfpq-usual")), faiss.IndexFlatIP)
