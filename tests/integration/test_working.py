"""A server does promised work beside answering, for every project, until it is told to stop."""

from __future__ import annotations

import threading
from pathlib import Path

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.job import JobKind, JobState
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemoryCommitRequest, RecallRequest
from octavo.operations.operation_lookup import EVERY
from octavo.operations.projects.projects_and_sessions import projects_resolve
from octavo.operations.projects.requests import ProjectsResolveRequest

SETTINGS = {"embedding.provider": "hashing"}
PACE = Jobs(poll_seconds=0.01)


def settled(engine: Engine, wait: threading.Event) -> bool:
    """Until no job is left in any project; false after a while."""
    for _ in range(6_000):
        projects = engine.store.catalog.projects()
        if not any(engine.store.outbox.jobs(project.id, [JobState.READY, JobState.LEASED]) for project in projects):
            return True
        wait.wait(0.02)
    return False


def test_what_is_committed_to_any_project_gets_its_vectors_without_a_worker_of_its_own(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        projects_resolve(engine, ProjectsResolveRequest(name="other", create_if_missing=True))
        engine.job_threads.start(PACE, threads=2)
        engine.job_threads.start(PACE)
        for project in (None, "other"):
            request = MemoryCommitRequest(text="The boiler is in the cellar.", project=project)
            EVERY["memory_commit"].run(engine, request)
        assert settled(engine, threading.Event())
        for project in (None, "other"):
            assert EVERY["recall"].run(engine, RecallRequest("boiler", project=project)).pending == 0
        assert engine.job_threads.active
        assert engine.job_threads.stop(60.0)
        memory_commit(engine, MemoryCommitRequest(text="The valve is behind it."))
        assert recall(engine, RecallRequest("valve")).pending == 1


def test_a_snapshot_that_is_due_is_made_by_a_worker_and_not_by_who_watches(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boiler.md").write_text("# Boiler\n\nIt is in the cellar.\n", "utf-8")
    settings = SETTINGS | {"snapshots.threshold": 1}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("notes", folder)
        idle = Jobs(poll_seconds=3_600)
        engine.job_threads.start(idle)
        engine.writer.index_changes({"notes": None})
        promised = [job for job in engine.store.outbox.jobs(engine.project.id) if job.kind is JobKind.SNAPSHOT]
        assert [one.state for one in promised] in ([JobState.READY], [JobState.LEASED], [JobState.DONE])
        work(engine, Jobs())
        assert settled(engine, threading.Event())
        assert engine.accelerator is not None
        assert [one.current for one in engine.accelerator.upkeep.stored()] == [True]
        assert engine.job_threads.stop(60.0)


def test_without_a_worker_beside_it_who_watches_makes_the_snapshot(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boiler.md").write_text("# Boiler\n\nIt is in the cellar.\n", "utf-8")
    settings = SETTINGS | {"snapshots.threshold": 1}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("notes", folder)
        engine.writer.index_changes({"notes": None})
        assert engine.accelerator is not None
        assert [one.current for one in engine.accelerator.upkeep.stored()] == [True]
