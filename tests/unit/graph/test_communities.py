"""Communities and thematic links: found the same each time, and written by jobs."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import MissingExtra, NotIndexed
from octavo.graph.communities_and_thematic_links import (
    community_names,
    degrees,
    described,
    directions,
    leiden,
    nearest,
    weighted,
)
from octavo.jobs.communities_and_thematic_links import find_communities, find_thematic_links
from octavo.jobs.follow_up_job_queueing import queue_graph_jobs
from octavo.model.job import JobKind, JobState
from octavo.model.link_graph import COMMUNITIES, THEMATIC_LINKS
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.library.status import full_status

NEEDS_IGRAPH = pytest.mark.skipif(find_spec("igraph") is None, reason="communities need igraph")


def ring(*members: int) -> dict[tuple[int, int], float]:
    """Every two of them joined."""
    return {(a, b): 1.0 for a in members for b in members if a < b}


@NEEDS_IGRAPH
def test_what_is_joined_closely_is_one_community_and_the_largest_comes_first() -> None:
    pairs = ring(1, 2, 3) | ring(4, 5, 6, 7) | {(3, 4): 1.0}
    numbers, modularity = leiden(9, pairs)
    assert numbers == [2, 1, 1, 1, 0, 0, 0, 0, 3]
    assert 0.3 < modularity < 0.5


@NEEDS_IGRAPH
def test_the_same_seed_gives_the_same_communities() -> None:
    random = np.random.default_rng(3)
    pairs = {(int(a), int(b)): 1.0 for a, b in np.sort(random.integers(0, 200, (600, 2))).tolist() if a != b}
    assert leiden(200, pairs, seed=7) == leiden(200, pairs, seed=7)


@NEEDS_IGRAPH
def test_without_edges_everything_stands_alone() -> None:
    assert leiden(3, {}) == ([0, 1, 2], 0.0)
    assert leiden(0, {}) == ([], 0.0)


def test_without_igraph_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(MissingExtra) as raised:
        leiden(2, {(0, 1): 1.0})
    assert raised.value.hint == "it comes with octavo: pip install igraph brings it back"


def test_the_nearest_are_pairs_near_enough_each_once() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1], [0, 0]], dtype=np.float32)
    assert nearest(vectors, 0.7, 1) == [(0, 1, 0.8)]
    assert nearest(vectors, 0.5, 2) == [(0, 1, 0.8), (1, 2, 0.6)]
    assert nearest(vectors[:1], 0.0, 5) == []
    assert nearest(vectors[:0], 0.0, 5) == []


def test_a_document_points_where_its_chunks_point_on_average() -> None:
    matrix = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    found = directions(np.array([0, 0, 2]), np.array([0, 1, 2]), matrix, 3)
    assert np.allclose(found, [[0.70710678, 0.70710678], [0, 0], [0, 1]])


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    folder = tmp_path / "notes"
    for group in ("sea", "sky"):
        (folder / group).mkdir(parents=True)
        for number in range(3):
            links = " ".join(f"[[{group}{other}]]" for other in range(3) if other != number)
            text = f"---\ntags: [{group}]\n---\n# {group}{number}\n\nAll about the {group}. {links}\n"
            (folder / group / f"{group}{number}.md").write_text(text, "utf-8")
    engine = open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"})
    engine.add_collection("notes", folder)
    engine.index()
    return engine


@NEEDS_IGRAPH
def test_communities_of_a_library_are_found_named_and_written_down(engine: Engine) -> None:
    graph, project = engine.store.graph, engine.project.id
    assert find_communities(engine.store, project, {"seed": 1}) == 2
    nodes, edges = graph.nodes(project), graph.edges(project)
    numbers = graph.communities(project)
    assert len(weighted(nodes, edges, ())) == 6
    found = described(nodes, numbers, degrees(edges))
    assert {(one.name, one.tags, len(one.documents)) for one in found} == {
        ("sea0, sea1, sea2", ("sea",), 3),
        ("sky0, sky1, sky2", ("sky",), 3),
    }
    assert graph.runs(project)[COMMUNITIES].facts["communities"] == 2


def test_a_community_is_named_by_words_that_its_titles_share_and_else_by_its_most_linked_documents() -> None:
    labels = {
        0: ["CSS grid", "Grid areas", "Named grid lines"],
        1: ["Ovens", "Bread"],
        2: ["Grid"],
        3: ["a.py", "b.py"],
        4: ["28 March", "29 March", "Safety", "Keys", "Dome"],
    }
    assert community_names(labels) == {
        0: "grid",
        1: "Ovens, Bread",
        2: "Grid",
        3: "a.py, b.py",
        4: "28 March, 29 March, Safety",
    }


def test_thematic_links_join_what_says_the_same(engine: Engine) -> None:
    graph, project, profile = engine.store.graph, engine.project.id, engine.embedder.profile
    assert find_thematic_links(engine.store, project, profile, {"threshold": 0.3, "neighbours": 2}).documents >= 6
    uris = {node.document: node.uri for node in graph.nodes(project)}
    strongest = sorted(graph.thematic(project), key=lambda one: -one.weight)[:6]
    assert all(uris[one.source][:3] == uris[one.target][:3] for one in strongest)
    assert find_thematic_links(engine.store, project, profile, {"threshold": 1.1}) == (0, 0)
    assert graph.thematic(project) == ()


@NEEDS_IGRAPH
def test_both_are_jobs(engine: Engine) -> None:
    with engine.store.transaction():
        for kind in (JobKind.THEMATIC_LINKS, JobKind.COMMUNITIES):
            engine.store.outbox.enqueue(engine.project.id, kind, "graph", {"threshold": 0.3})
    assert work(engine, Jobs()).finished == 2
    assert set(engine.store.graph.runs(engine.project.id)) == {COMMUNITIES, THEMATIC_LINKS}


def states(engine: Engine) -> list[tuple[JobKind, JobState]]:
    return [(one.kind, one.state) for one in engine.store.outbox.jobs(engine.project.id) if one.subject == "graph"]


@NEEDS_IGRAPH
def test_indexing_a_graph_promises_its_communities_and_promises_them_again_once_a_tenth_has_changed(
    engine: Engine, tmp_path: Path
) -> None:
    assert states(engine) == [(JobKind.COMMUNITIES, JobState.READY)]
    assert work(engine, Jobs()).finished >= 1
    assert set(engine.store.graph.runs(engine.project.id)) == {COMMUNITIES}
    # Nothing moved: nothing is promised.
    engine.index(reread=True)
    assert states(engine) == [(JobKind.COMMUNITIES, JobState.DONE)]
    assert full_status(engine).offline[0].state == "done"
    (tmp_path / "notes" / "sea" / "sea0.md").write_text("# sea0\n\nAll about the shore. [[sky1]]\n", "utf-8")
    engine.index()
    assert states(engine)[-1] == (JobKind.COMMUNITIES, JobState.READY)
    found = full_status(engine)
    assert found.offline[0].state == "stale"
    assert "octavo graph build" in [one.command for one in found.advisories]
    work(engine, Jobs())
    assert full_status(engine).offline[0].state == "done"


@NEEDS_IGRAPH
def test_what_went_counts_as_a_change_and_commits_do_not(engine: Engine, tmp_path: Path) -> None:
    work(engine, Jobs())
    (tmp_path / "notes" / "sea" / "sea0.md").unlink()
    engine.index()
    assert full_status(engine).offline[0].state == "stale"


@NEEDS_IGRAPH
def test_a_graph_is_built_again_with_the_settings_it_was_built_with(engine: Engine, tmp_path: Path) -> None:
    store, project = engine.store, engine.project.id
    work(engine, Jobs())
    find_thematic_links(store, project, engine.embedder.profile, {"threshold": 0.4, "neighbours": 2})
    find_communities(store, project, {"resolution": 2.0, "seed": 7})
    (tmp_path / "notes" / "sky" / "sky0.md").write_text("# sky0\n\nClouds. [[sky1]]\n", "utf-8")
    engine.index()
    waiting = [one for one in store.outbox.jobs(project, (JobState.READY,)) if one.subject == "graph"]
    assert [(one.kind, dict(one.payload)) for one in waiting] == [
        (JobKind.THEMATIC_LINKS, {"threshold": 0.4, "neighbours": 2}),
        (JobKind.COMMUNITIES, {"resolution": 2.0, "seed": 7}),
    ]
    assert queue_graph_jobs(store, project) == ()


@NEEDS_IGRAPH
def test_work_that_was_given_up_is_not_promised_again(engine: Engine) -> None:
    with engine.store.transaction():
        (job,) = engine.store.outbox.claim(engine.project.id, "test", lease_seconds=9.0, limit=1, max_attempts=1)
        engine.store.outbox.fail(job, "no", None)
    assert queue_graph_jobs(engine.store, engine.project.id) == ()
    assert full_status(engine).offline[0].state == "failed"


def test_without_igraph_no_communities_are_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igraph", None)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# a\n\n" + "[[b]] " * 20, "utf-8")
    (tmp_path / "notes" / "b.md").write_text("# b\n", "utf-8")
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", tmp_path / "notes")
        engine.index()
        assert states(engine) == []


@NEEDS_IGRAPH
@pytest.mark.parametrize("found", [None, object()], ids=["uninstalled", "broken"])
def test_communities_stay_when_igraph_is_gone_after_a_build(
    found: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    for name, other in ("ab", "ba", "cd", "dc"):
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\n" + f"[[{other}]] " * 20, "utf-8")
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", tmp_path / "notes")
        engine.index()
        project = engine.project.id
        find_communities(engine.store, project, {})
        before = engine.store.graph.runs(project)
        with engine.store.transaction():
            engine.store.outbox.enqueue(project, JobKind.COMMUNITIES, "graph", {})
        monkeypatch.setitem(sys.modules, "igraph", None)
        monkeypatch.setattr("octavo.jobs.follow_up_job_queueing.find_spec", lambda name: found)
        work(engine, Jobs())
        assert engine.store.outbox.jobs(project, [JobState.READY, JobState.DEAD]) == ()
        assert engine.store.graph.runs(project) == before


@NEEDS_IGRAPH
def test_without_vectors_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        with pytest.raises(NotIndexed):
            find_thematic_links(engine.store, engine.project.id, engine.embedder.profile, {})
        assert find_communities(engine.store, engine.project.id, {}) == 0
