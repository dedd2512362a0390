"""Clusters: same input, same groups; a search among the nearest finds what lies there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from octavo.algorithms.clustering.kmeans import kmeans, usual_groups
from octavo.engine.wiring import open_library
from octavo.errors import MissingExtra, NotIndexed
from octavo.model.query import Query
from octavo.operations.graph.graph_export_and_cluster_map import cluster_build, cluster_plot
from octavo.operations.graph.requests import ClusterBuildRequest, ClusterPlotRequest
from octavo.operations.graph.results import ClustersAnswer, clusters_lines
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.score_and_rank_fusion import SingleChannel
from octavo_stages.recall_stages import ClusterRecall

SETTINGS = {"embedding.provider": "hashing"}
PROFILE = RetrievalProfile("clustered", recall=(ClusterRecall(top=1),), fuse=SingleChannel())


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


def test_no_cluster_is_empty_where_many_vectors_are_the_same() -> None:
    same = np.eye(4, dtype=np.float16)[[0, 0, 0, 0, 0, 0, 1, 1, 2]]
    labels, centroids = kmeans(same, 6)
    assert sorted(set(labels.tolist())) == list(range(len(centroids)))
    assert len({int(labels[place]) for place in (0, 6, 8)}) == len(centroids)


def test_hdbscan_finds_groups_among_the_notes_of_the_example(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the extra `cluster` is not installed")
    with open_library(tmp_path / "library.db", create=True) as engine:
        engine.add_collection("vault", Path(__file__).parents[3] / "examples" / "vault")
        engine.index()
        made = cluster_build(engine, ClusterBuildRequest("hdbscan"))
    assert made.clusters > 3 and made.unclustered < made.chunks / 2


def test_where_no_group_stands_apart_the_answer_says_so() -> None:
    ((told,),) = clusters_lines(ClustersAnswer(0, 92, 92, 0, 0))
    assert told.text.startswith("No cluster: no group of the 92 chunks stands apart")


@pytest.mark.parametrize(("vectors", "groups"), [(1, 2), (12, 2), (141, 8), (132_000, 257), (10_000_000, 500)])
def test_the_usual_number_of_groups_is_the_root_of_half_the_vectors(vectors: int, groups: int) -> None:
    assert usual_groups(vectors) == groups


def test_a_search_in_clusters_says_when_there_are_none_and_finds_what_is_in_them(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(12):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nAbout {'harbours' if number % 2 else 'mountains'}.\n")
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", notes)
        with pytest.raises(NotIndexed):
            cluster_build(engine, ClusterBuildRequest())
        engine.index()
        plain = engine.search(Query("harbours"), PROFILE)
        assert plain.hits
        assert "every chunk is searched" in plain.trace[0].detail["clusters"]
        made = cluster_build(engine, ClusterBuildRequest(k=3))
        assert (made.clusters, made.chunks, made.unclustered) == (3, 12, 0)
        found = engine.search(Query("harbours"), PROFILE)
        assert found.hits
        assert "chunks in the nearest 1" in found.trace[0].detail["clusters"]
        (notes / "late.md").write_text("# Late\n\nAbout harbours, written after the clusters were made.\n")
        engine.index()
        every = RetrievalProfile("all", recall=(ClusterRecall(top=3),), fuse=SingleChannel())
        late = engine.search(Query("harbours written after the clusters were made"), every)
        assert late.hits[0].citation.uri == "late.md"
        # It has joined one cluster and no other: the one whose middle is nearest to it.
        numbers = engine.store.clusters.of_chunks(engine.project.id)
        assert len(numbers) == 13
        nearest = engine.search(Query("Late harbours, written after the clusters were made"), PROFILE)
        assert nearest.hits[0].citation.uri == "late.md"
        (notes / "late.md").unlink()
        engine.index(confirm_removals=True)
        page = tmp_path / "map.html"
        answer = cluster_plot(engine, ClusterPlotRequest(str(page)))
        assert (answer.points, answer.chunks, answer.clusters) == (12, 12, 3)
        drawn = page.read_text("utf-8")
        assert drawn.count('"notes","') == 12
        assert "://" not in drawn
        try:
            import sklearn  # noqa: F401
        except ImportError:
            with pytest.raises(MissingExtra):
                cluster_build(engine, ClusterBuildRequest("hdbscan"))
        else:
            assert cluster_build(engine, ClusterBuildRequest("hdbscan")).chunks == 12
