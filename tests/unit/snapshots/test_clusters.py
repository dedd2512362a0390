"""Clusters: same input, same groups; a search among the nearest finds what lies there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recto.algorithms.kmeans import kmeans
from recto.engine.wiring import open_library
from recto.errors import MissingExtra, NotIndexed
from recto.model.query import Query
from recto.operations.clusters import cluster_build, cluster_map
from recto.retrieval.stage import Profile
from recto.retrieval.stages.clusters import ClusterRecall
from recto.retrieval.stages.fuse import SingleChannel

SETTINGS = {"embedding.provider": "hashing"}
PROFILE = Profile("clustered", recall=(ClusterRecall(top=1),), fuse=SingleChannel())


def test_k_means_finds_groups_that_are_there_and_finds_them_again() -> None:
    chance = np.random.default_rng(1)
    middles = np.eye(8, dtype=np.float32)[:3]
    vectors = np.concatenate([middle + 0.1 * chance.standard_normal((40, 8)) for middle in middles])
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    labels, centroids = kmeans(vectors, 3, seed=4)
    assert {len(set(labels[start : start + 40].tolist())) for start in (0, 40, 80)} == {1}
    assert len(set(labels.tolist())) == 3
    again, same = kmeans(vectors, 3, seed=4)
    assert labels.tolist() == again.tolist()
    assert centroids.tolist() == same.tolist()
    assert len(kmeans(vectors[:2], 50)[1]) == 2


def test_a_search_in_clusters_says_when_there_are_none_and_finds_what_is_in_them(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(12):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nAbout {'harbours' if number % 2 else 'mountains'}.\n")
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", notes)
        with pytest.raises(NotIndexed):
            cluster_build(engine)
        engine.index()
        skipped = engine.search(Query("harbours"), PROFILE)
        assert skipped.trace[0].skipped == "no clusters were made; run `recto cluster build`"
        made = cluster_build(engine, groups=3)
        assert (made.clusters, made.chunks, made.unclustered) == (3, 12, 0)
        found = engine.search(Query("harbours"), PROFILE)
        assert found.hits
        assert "chunks in the nearest 1" in found.trace[0].detail["clusters"]
        drawn = cluster_map(engine)
        assert drawn.count('"u": "notes/') == 12
        assert "http" not in drawn
        try:
            import sklearn  # noqa: F401
        except ImportError:
            with pytest.raises(MissingExtra):
                cluster_build(engine, "hdbscan")
        else:
            assert cluster_build(engine, "hdbscan").chunks == 12
