"""How work over the whole library stands: done, out of date, under way, broken off, given up."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_wide_job_states import CLUSTERS, FINETUNE, noted_while_running, recorded_run
from octavo.engine.wiring import open_engine, open_library
from octavo.jobs.summary_making import make_summaries
from octavo.model.ids import SnapshotId
from octavo.model.job import JobKind
from octavo.model.summary import SummarySettings
from octavo.observability.progress import NoProgress
from octavo.operations.graph.graph_export_and_cluster_map import cluster_build
from octavo.operations.graph.links_entities_and_communities import graph_build
from octavo.operations.graph.requests import ClusterBuildRequest, GraphBuildRequest
from octavo.operations.library.doctor import doctor
from octavo.operations.library.requests import DoctorRequest, StatusRequest
from octavo.operations.library.status import full_status, status
from octavo.operations.operation_lookup import OPERATIONS

HASHING = {"embedding.provider": "hashing"}
KILLED = """
import os, signal, sys
from octavo.engine.wiring import open_library
from octavo.ingest import chunk_clustering
from octavo.operations.graph.graph_export_and_cluster_map import cluster_build
from octavo.operations.graph.requests import ClusterBuildRequest
chunk_clustering.kmeans = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
cluster_build(open_library(sys.argv[1], settings={"embedding.provider": "hashing"}), ClusterBuildRequest())
"""
KILLED_TRAINING = """
import os, signal, sys
from octavo.engine.maintenance.library_wide_job_states import FINETUNE, recorded_run
from octavo.engine.wiring import open_library
with recorded_run(open_library(sys.argv[1], settings={"embedding.provider": "hashing"}), FINETUNE):
    os.kill(os.getpid(), signal.SIGKILL)
"""
PROFILE = """
name = "mine"
[[recall]]
stage = "dense_clusters"
[fuse]
stage = "single"
[[refine]]
stage = "community_boost"
"""

NEEDS_IGRAPH = pytest.mark.skipif(find_spec("igraph") is None, reason="communities need igraph")


WALKING = """
name = "walking"
[fuse]
stage = "joined_fusion"
[[recall]]
stage = "lexical"
[[recall]]
stage = "graph"
"""


@pytest.fixture
def library(library: Path) -> Path:
    """Lacks nothing yet."""
    with open_library(library, settings=HASHING) as engine:
        assert full_status(engine).offline == ()
    return library


def told(engine: Engine) -> tuple[dict[str, str], list[tuple[str, str | None]]]:
    found = full_status(engine)
    return {one.name: one.state for one in found.offline}, [(str(one.level), one.command) for one in found.advisories]


def test_clusters_are_done_until_the_library_has_grown_by_a_fifth(library: Path, tmp_path: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        cluster_build(engine, ClusterBuildRequest(k=2))
        (run,) = full_status(engine).offline
        assert (run.name, run.state, run.chunks) == ("clusters", "done", 10)
        assert "clusters  done 20" in OPERATIONS["status"].written(status(engine, StatusRequest()))
        for number in range(10, 13):
            (tmp_path / "notes" / f"{number}.md").write_text(f"# Note {number}\n\nAbout harbour {number}.\n")
        engine.index()
        assert told(engine) == ({"clusters": "stale"}, [("info", "octavo cluster build")])


def test_work_that_was_killed_is_told_from_work_that_goes_on(library: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(library)], timeout=120)
    assert killed.returncode == -signal.SIGKILL
    with open_library(library, settings=HASHING) as engine:
        assert told(engine) == ({"clusters": "interrupted"}, [("warn", "octavo cluster build")])
        with noted_while_running(engine, CLUSTERS):
            assert told(engine) == ({"clusters": "running"}, [])
        assert told(engine) == ({}, [])
        cluster_build(engine, ClusterBuildRequest(k=2))
        assert told(engine) == ({"clusters": "done"}, [])


def test_a_note_that_cannot_be_read_says_nothing(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        assert engine.accelerator is not None
        engine.accelerator.root.mkdir(parents=True, exist_ok=True)
        for text in ("", "[]", '{"holder": 3}', '{"at": 1}'):
            (engine.accelerator.root / "clusters.running").write_text(text)
            assert told(engine) == ({}, [])


def test_a_snapshot_that_was_begun_and_left_is_told_with_its_command(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        assert engine.accelerator is not None
        engine.accelerator.upkeep.publish(NoProgress())
        assert told(engine) == ({"snapshot": "done"}, [])
        with engine.store.transaction():
            engine.store.snapshots.begin(engine.project.id, SnapshotId("20260220T230501Z-1"))  # type: ignore[attr-defined]
        assert told(engine) == ({"snapshot": "interrupted"}, [("warn", "octavo snapshots build")])
        with engine.accelerator.folder.exclusive():
            assert told(engine) == ({"snapshot": "running"}, [])
        (engine.location.parent / "notes" / "new.md").write_text("# New\n\nOne more.\n")  # type: ignore[union-attr]
        engine.index()
        engine.accelerator.upkeep.publish(NoProgress())
        assert told(engine) == ({"snapshot": "done"}, [])


@NEEDS_IGRAPH
def test_work_over_the_graph_is_told_done_or_given_up(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        graph_build(engine, GraphBuildRequest(wait=True), NoProgress())
        assert told(engine) == ({"communities": "done", "entities": "done", "thematic_links": "done"}, [])
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.COMMUNITIES, "all", {})
            (job,) = engine.store.outbox.claim(engine.project.id, "test", lease_seconds=60.0, limit=1, max_attempts=5)
        assert told(engine)[0]["communities"] == "running"
        with engine.store.transaction():
            engine.store.outbox.fail(job, "no", None)
        states, advised = told(engine)
        assert states["communities"] == "failed"
        assert advised == [("warn", "octavo graph build")]
        graph_build(engine, GraphBuildRequest(wait=True), NoProgress())
        assert told(engine) == ({"communities": "done", "entities": "done", "thematic_links": "done"}, [])


def test_training_is_told_while_it_runs_and_by_how_it_ended(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine, open_library(library, settings=HASHING) as other:
        with recorded_run(engine, FINETUNE):
            assert told(other) == ({"finetune": "running"}, [])
        # What was made answers nobody until it is activated.
        assert told(other) == ({"finetune": "done"}, [("info", "octavo models list")])
        assert "finetune  done 20" in OPERATIONS["status"].written(status(other, StatusRequest()))
        with pytest.raises(ZeroDivisionError), recorded_run(engine, FINETUNE):
            raise ZeroDivisionError
        assert told(other) == ({"finetune": "failed"}, [("warn", "octavo models finetune")])
        with pytest.raises(KeyboardInterrupt), recorded_run(engine, FINETUNE):
            raise KeyboardInterrupt
        assert told(other) == ({"finetune": "interrupted"}, [("warn", "octavo models finetune")])
        with recorded_run(other, FINETUNE), recorded_run(engine, FINETUNE):
            assert told(other) == ({"finetune": "running"}, [])
        assert told(engine) == ({"finetune": "done"}, [("info", "octavo models list")])


def test_training_that_was_killed_is_broken_off_and_can_be_done_again(library: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_TRAINING, str(library)], timeout=120)
    assert killed.returncode == -signal.SIGKILL
    with open_library(library, settings=HASHING) as engine:
        assert told(engine) == ({"finetune": "interrupted"}, [("warn", "octavo models finetune")])
        with recorded_run(engine, FINETUNE):
            assert told(engine) == ({"finetune": "running"}, [])
        assert told(engine) == ({"finetune": "done"}, [("info", "octavo models list")])


def test_work_whose_worker_was_killed_is_not_told_as_running_once_its_lease_has_ended(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        (engine.location.parent / "notes" / "new.md").write_text("# New\n\nOne more.\n")  # type: ignore[union-attr]
        engine.index(embed=False)
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "full vectors", {})
            engine.store.outbox.claim(engine.project.id, "killed", lease_seconds=0.0, limit=1, max_attempts=5)
        assert told(engine)[0] == {}


def test_full_vectors_that_were_given_up_are_told_until_they_are_there(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        (engine.location.parent / "notes" / "new.md").write_text("# New\n\nOne more.\n")  # type: ignore[union-attr]
        engine.index(embed=False)
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "full vectors", {})
            (job,) = engine.store.outbox.claim(engine.project.id, "test", lease_seconds=60.0, limit=1, max_attempts=5)
        assert told(engine)[0] == {"full_vectors": "running"}
        with engine.store.transaction():
            engine.store.outbox.fail(job, "no", None)
        states, advised = told(engine)
        assert states == {"full_vectors": "failed"}
        assert ("warn", "octavo index --wait-full") in advised
        engine.index()
        assert told(engine) == ({}, [])


@NEEDS_IGRAPH
def test_what_the_default_profile_needs_and_nobody_made_is_advised(library: Path, tmp_path: Path) -> None:
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    (profiles / "mine.toml").write_text(PROFILE)
    settings = {"embedding": {"provider": "hashing"}, "library": library, "retrieval": {"profile": "mine"}}
    with open_engine(validated(Config, settings), profiles=(profiles,)) as engine:
        assert told(engine)[1] == [("warn", "octavo cluster build"), ("warn", "octavo graph build")]
        cluster_build(engine, ClusterBuildRequest(k=2))
        graph_build(engine, GraphBuildRequest(wait=True), NoProgress())
        assert told(engine)[1] == []


@NEEDS_IGRAPH
def test_a_profile_that_follows_thematic_links_is_told_that_none_were_made(library: Path, tmp_path: Path) -> None:
    walking = tmp_path / "walking.toml"
    settings = {"embedding": {"provider": "hashing"}, "library": library, "retrieval": {"profile": "walking"}}
    config = validated(Config, settings)
    for types, advised in (("", [("warn", "octavo graph build")]), ('types = ["links_to"]\n', [])):
        walking.write_text(WALKING + types)
        with open_engine(config, profiles=(tmp_path,)) as engine:
            assert told(engine)[1] == advised
    walking.write_text(WALKING)
    with open_engine(config, profiles=(tmp_path,)) as engine:
        graph_build(engine, GraphBuildRequest(wait=True), NoProgress())
        assert told(engine)[1] == []


@NEEDS_IGRAPH
@pytest.mark.parametrize("chosen", [True, False])
def test_a_profile_that_follows_entities_is_told_that_nobody_looked_for_them(
    library: Path, tmp_path: Path, chosen: bool
) -> None:
    (tmp_path / "naming.toml").write_text(WALKING.replace("walking", "naming") + 'types = ["same_author"]\n')
    settings = {"embedding": {"provider": "hashing"}, "library": library}
    profile = {"retrieval": {"profile": "naming"}} if chosen else {}
    with open_engine(validated(Config, {**settings, **profile}), profiles=(tmp_path,)) as engine:
        (advised,) = full_status(engine).advisories
        who = "the default profile" if chosen else "the profile naming"
        assert advised.message == f"{who} follows who and what documents name, but nobody has looked for entities"
        assert (advised.level, advised.command) == ("warn", "octavo graph build")
        graph_build(engine, GraphBuildRequest(wait=True), NoProgress())
        assert told(engine)[1] == []


def test_a_profile_that_cannot_be_read_advises_nothing(library: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("name = ")
    with open_engine(
        validated(Config, {"embedding": {"provider": "hashing"}, "library": library}), profiles=(tmp_path,)
    ) as engine:
        assert told(engine)[1] == []


def test_entities_are_stale_once_a_tenth_of_the_documents_changed(library: Path, tmp_path: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        graph_build(engine, GraphBuildRequest(wait=True, communities=False, thematic_links=False), NoProgress())
        assert told(engine)[0]["entities"] == "done"
        more = tmp_path / "more"
        more.mkdir()
        for number in range(10):
            (more / f"{number}.md").write_text(f"# Harbour {number}\n\nShips of harbour {number}.\n")
        engine.add_collection("more", more)
        engine.index()
        assert told(engine)[0]["entities"] == "stale"
        assert "since entities were found" in str(full_status(engine).advisories)


@pytest.mark.parametrize("chosen", [True, False])
def test_a_profile_that_searches_in_summaries_is_told_of_those_that_are_missing(library: Path, chosen: bool) -> None:
    settings = {**HASHING, **({"retrieval.profile": "multi_vector"} if chosen else {})}
    with open_library(library, settings=settings) as engine:
        none = [("warn", "octavo summaries build")] if chosen else []
        assert told(engine) == ({}, none)
        checked = doctor(engine, DoctorRequest())
        assert checked.ok and [(str(advisory.level), advisory.command) for advisory in checked.advisories] == none
        shown = OPERATIONS["doctor"].written(checked)
        assert ("searches in summaries, but none were made" in shown) == chosen
        make_summaries(engine, SummarySettings(), most=1)
        assert told(engine) == ({"summaries": "stale"}, [("info", "octavo summaries build")])
        make_summaries(engine, SummarySettings())
        assert told(engine) == ({"summaries": "done"}, [])
