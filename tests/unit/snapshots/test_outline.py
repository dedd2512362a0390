"""Sections stand for what is below them, and a search that is routed by them looks only where they point."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from numpy.typing import NDArray
from snapshot_samples import Bench

from octavo.algorithms.ranking.marginal_relevance import marginal_relevance, representatives
from octavo.engine.wiring import open_library
from octavo.model.query import Query
from octavo.model.search_snapshot import WindowVectors
from octavo.retrieval.profile_toml_files import read_profile
from octavo.search_snapshots.section_outline_index import section_vectors

ROUTED = """
name = "routed"
[[recall]]
stage = "dense_outline"
shards = 1
[fuse]
stage = "single"
"""


def units(count: int, seed: int = 1, dimensions: int = 8) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def windows(matrix: NDArray[Any]) -> WindowVectors:
    keys = np.arange(1, len(matrix) + 1)
    return WindowVectors(keys, keys, np.zeros(len(matrix), np.uint8), matrix.astype(np.float16))


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 4), st.integers(3, 30), st.integers(0, 1_000), st.sampled_from([0.3, 0.7, 1.0]))
def test_many_groups_at_once_choose_as_one_by_one(groups: int, size: int, seed: int, balance: float) -> None:
    made = units(groups * size, seed).reshape(groups, size, -1)
    count = min(size, 5)
    chosen = representatives(made, count, balance)
    for group, places in zip(made, chosen.tolist(), strict=True):
        middle = group.mean(axis=0)
        relevance = group @ (middle / np.linalg.norm(middle))
        alone = marginal_relevance(relevance.tolist(), group @ group.T, balance)[:count]
        assert places == [place for place, _ in alone]


def test_a_section_of_few_chunks_is_their_middle_and_a_larger_one_that_of_its_representatives() -> None:
    leaves = units(14)
    chunks = np.array([(key, 7, 1 if key <= 2 else 2) for key in range(1, 15)])
    sections = np.array([(7, 0, 0), (7, 1, 1), (7, 2, 1), (7, 3, 1)])
    made = section_vectors(windows(leaves), chunks, sections)
    assert list(zip(made.chunks.tolist(), made.inputs.tolist(), strict=True)) == [(7, 0), (7, 1), (7, 2)]
    few = leaves[:2].mean(axis=0)
    assert made.matrix[1] == pytest.approx(few / np.linalg.norm(few), abs=2e-3)
    held = leaves[2:].astype(np.float16).astype(np.float32)
    held /= np.linalg.norm(held, axis=1, keepdims=True)
    typical = held[representatives(held[None], 3, 0.7)[0]].mean(axis=0)
    assert made.matrix[2] == pytest.approx(typical / np.linalg.norm(typical), abs=2e-3)


def test_a_section_reaches_over_all_that_is_below_it_and_single_chunks_have_none_of_their_own() -> None:
    chunks = np.array([(1, 3, 1), (2, 3, 2), (3, 3, 3), (4, 3, 4), (5, 8, 0)])
    sections = np.array([(3, 0, 0), (3, 1, 1), (3, 2, 2), (3, 3, 3), (3, 4, 1), (8, 0, 0)])
    made = section_vectors(windows(units(5)), chunks, sections)
    # Of document 3: all of it, its first chapter with all below, and the part of that with two chunks.
    assert list(zip(made.chunks.tolist(), made.inputs.tolist(), strict=True)) == [(3, 0), (3, 1), (3, 2), (8, 0)]


def test_a_routed_search_looks_into_the_shard_of_the_nearest_section_and_at_what_is_new(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        bench.making = replace(bench.making, outline=True)
        for number in range(12):
            bench.put(f"a/{number}.md", f"apple {number}", f"fig {number}")
        bench.embed(100)
        bench.publish()
        query = bench.vector("input 5")
        everything = bench.vectors.search(query, 100)
        near, said = bench.vectors.search_near_sections(query, 100, sections=4, shards=1)
        assert said == "1 of 4 shards, by 4 sections"
        assert 0 < len(near) < len(everything)
        wide, said = bench.vectors.search_near_sections(query, 100, sections=100, shards=100)
        assert (wide, said) == (everything, "4 of 4 shards, by 100 sections")
        bench.put("b/new.md", "apple new")
        bench.embed(100)
        newest = {one.key for one in bench.vectors.search(query, 100)} - {one.key for one in everything}
        near, _ = bench.vectors.search_near_sections(query, 100, sections=4, shards=1)
        assert newest and newest <= {one.key for one in near}


def test_an_outline_is_carried_over_with_its_shard_and_made_for_shards_that_have_none(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        for number in range(12):
            bench.put(f"a/{number}.md", f"apple {number}", f"fig {number}")
        bench.embed(100)
        bench.publish()
        bench.reopen()
        assert bench.vectors.search_near_sections(bench.vector("x"), 5, 4, 1)[1].startswith(
            "the snapshot has no outline"
        )
        bench.making = replace(bench.making, outline=True)
        bench.put("b/new.md", "apple new")
        second = bench.publish()
        assert [name for name in second.files if name.startswith("outline_")] == [
            f"outline_{n:03d}.vec" for n in range(4)
        ]
        bench.put("b/new.md", "apple newer")
        bench.embed(100)
        bench.reopen()
        third = bench.publish()
        for number in range(4):
            shard, outline = third.files[f"shard_{number:03d}.vec"], third.files[f"outline_{number:03d}.vec"]
            assert shard.carried == outline.carried


def test_the_trace_says_what_was_looked_into(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nAbout apples, number {number}.\n")
    wanted = {"embedding.provider": "hashing", "snapshots.threshold": 1, "snapshots.shards": 4}
    with open_library(tmp_path / "l.db", create=True, settings={**wanted, "snapshots.outline": True}) as engine:
        engine.add_collection("notes", folder)
        profile = read_profile(ROUTED)
        (asked,) = engine.index().collections
        assert asked.chunks == 30
        result = engine.search(Query("apples number 7"), profile)
        assert result.trace[0].detail == {"outline": "1 of 4 shards, by 32 sections"}
        assert result.hits
    with open_library(tmp_path / "l.db", settings={**wanted, "snapshots.enabled": False}) as engine:
        result = engine.search(Query("apples number 7"), profile)
        assert result.trace[0].detail == {"outline": "this library has no snapshots: everything was searched"}
