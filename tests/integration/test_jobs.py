"""Processes that die: no acknowledged memory is lost, and promised work is done by whoever is left."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from engines import engine_over
from test_memory import SETTINGS, answered, octavo

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.jobs.worker import Round
from octavo.model.job import JobState
from octavo.model.memory import MemoryId
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest, RememberRequest
from octavo.stores.sqlite.store import SqliteStore

_CLAIM = """
import sys
from octavo.engine.wiring import open_library
from octavo.config.schema import Jobs
from octavo.jobs.worker import JobWorker
from octavo.model.job import JobKind
from dataclasses import asdict

def hang(job):
    print("claimed", flush=True)
    sys.stdin.read()

with open_library(sys.argv[1], settings={"embedding.provider": "hashing"}) as engine:
    pace = Jobs()
    JobWorker(engine.store, engine.project.id, "doomed", {JobKind.EMBED: hang}, pace, engine.memories.clock).run_due()
"""

_WRITE = """
import sys
from octavo.engine.wiring import open_library
from octavo.memory import memory_changes
from octavo.memory.draft import MemoryDraft, Provenance

with open_library(sys.argv[1], create=True, settings={"embedding.provider": "hashing"}) as engine:
    for number in range(1000):
        key = f"{sys.argv[2]}-{number}"
        draft = MemoryDraft(f"Fact {key}: the pump was started.")
        made = memory_changes.create(engine.memories, draft, Provenance(key=key))
        print(made.item.id, flush=True)
"""


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def killed(process: subprocess.Popen[str]) -> str:
    """Without a chance to clean up; what it had still said."""
    process.kill()
    said, _ = process.communicate()
    return said


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


def later(library: Path, seconds: float) -> Engine:
    """The library as it is found so many seconds from now."""

    def clock() -> float:
        return time.time() + seconds

    with open_library(library, settings=SETTINGS) as engine:
        like = engine.library
    return engine_over(SqliteStore(library, clock=clock), like, clock, "default")


def test_a_job_whose_worker_was_killed_is_done_by_the_next_when_the_lease_has_run_out(library: Path) -> None:
    with open_library(library, create=True, settings=SETTINGS) as engine:
        remember(engine, RememberRequest(text="The pump is in the cellar."))
        process = started(_CLAIM, library)
        assert process.stdout is not None
        assert process.stdout.readline() == "claimed\n"
        killed(process)
        assert work(engine, Jobs()) == Round()
        assert [job.state for job in engine.store.outbox.jobs(engine.project.id)] == [JobState.LEASED]
    with later(library, Jobs().lease_seconds + 1) as engine:
        assert work(engine, Jobs()) == Round(finished=1)
        (job,) = engine.store.outbox.jobs(engine.project.id)
        assert (job.state, job.attempts) == (JobState.DONE, 2)
        vectors = engine.store.embeddings.vectors(engine.project.id, engine.embedder.profile, 0)
        assert len(vectors.keys) == 1
        assert recall(engine, RecallRequest("pump", profile="dense_only")).memories[0].text.startswith("The pump")


def test_a_killed_writer_loses_nothing_it_had_acknowledged(library: Path) -> None:
    acknowledged: list[str] = []
    for round_ in range(4):
        process = started(_WRITE, library, round_)
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().strip() for _ in range(3 + 5 * round_)]
        acknowledged += [line for line in killed(process).splitlines(keepends=True) if line.endswith("\n")]
    names = [MemoryId(name.strip()) for name in acknowledged]
    with open_library(library, settings=SETTINGS) as engine:
        store, project = engine.store, engine.project.id
        assert store.check() == ()
        assert all(store.memories.get(project, name) for name in names)
        assert len(set(names)) == len(names)
        again = remember(engine, RememberRequest(text="Fact 0-0: the pump was started."))
        assert (again.item, again.action) == (names[0], "unchanged")


def test_a_worker_on_the_command_line_does_what_is_due_and_jobs_are_looked_at(library: Path) -> None:
    answered(library, "remember", "The pump is in the cellar.", "--later")
    (waiting,) = answered(library, "jobs", "list")["jobs"]
    assert (waiting["kind"], waiting["state"], waiting["attempts"]) == ("embed", "ready", 0)
    assert answered(library, "worker", "--once") == {"finished": 1, "failed": 0, "dead": 0, "lost": 0}
    assert [job["state"] for job in answered(library, "jobs", "list")["jobs"]] == ["done"]
    assert octavo(library, "jobs", "retry", str(waiting["job"])).exit_code == 1
    assert answered(library, "jobs", "retry")["jobs"] == 0
    assert answered(library, "jobs", "purge")["jobs"] == 1
    assert octavo(library, "jobs", "list").stdout == "No jobs.\n"


def test_a_worker_does_the_work_of_every_project_unless_one_is_named(library: Path) -> None:
    projects = ("default", "garden", "kitchen")
    for project in projects:
        answered(library, "--project", project, "remember", "The pump is in the cellar.", "--later")
    assert answered(library, "--project", "garden", "worker", "--once")["finished"] == 1
    waiting = [project for project in projects if answered(library, "--project", project, "recall", "pump")["pending"]]
    assert waiting == ["default", "kitchen"]
    assert answered(library, "worker", "--once", "--threads", "2")["finished"] == 2
    assert not any(answered(library, "--project", project, "recall", "pump")["pending"] for project in projects)


def test_remember_leaves_no_vector_missing_unless_told_to(library: Path) -> None:
    answered(library, "remember", "The pump is in the cellar.")
    assert answered(library, "recall", "pump")["pending"] == 0
