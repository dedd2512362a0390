"""`octavo worker`: its name, its kinds of jobs, its figures, and how it ends; and what the dashboard shows."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import anyio
import httpx2
import pytest
from cli_calls import Location, Octavo
from http_calls import in_process
from patience import PATIENCE

import octavo as api
from octavo.engine.wiring import open_library
from octavo.model.job import JobKind, JobState
from octavo.observability.metrics import COUNTERS, GAUGES, HISTOGRAMS, Gauge, Metrics
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set
from octavo.operations.embedding_profiles.requests import ProfilesSetRequest

DASHBOARD = Path(__file__).parents[2] / "deploy" / "grafana-dashboard.json"
NAMED = re.compile(r"octavo_([a-z_]+)")


@pytest.fixture
def library(octavo: Octavo, location: Location) -> Location:
    """With two jobs that wait: vectors, and communities of the graph."""
    with api.open(location, create=True, config={"work.in_server": False}) as opened:
        opened.remember("The ladder is in the shed.")
    with open_library(location) as engine:
        for job in engine.store.outbox.jobs(engine.project.id):
            assert job.kind is JobKind.EMBED
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "again", {})
            engine.store.outbox.enqueue(engine.project.id, JobKind.COMMUNITIES, "", {})
    return location


def waiting(library: Location) -> list[str]:
    with open_library(library) as engine:
        return sorted(job.kind.value for job in engine.store.outbox.jobs(engine.project.id, [JobState.READY]))


def test_a_worker_of_one_kind_leaves_the_others(octavo: Octavo, library: Location) -> None:
    assert set(waiting(library)) == {"embed", "communities"}
    done = octavo("worker", "--once", "--kinds", "embed", "--library", library, "--json")
    assert done.exit_code == 0, done.output
    assert waiting(library) == ["communities"]
    assert json.loads(done.stdout)["failed"] == 0
    assert octavo("worker", "--once", "--kinds", "nonsense", "--library", library).exit_code == 2


def test_a_worker_is_named_tells_its_figures_and_drains_on_sigterm(library: Location) -> None:
    environ = {**os.environ, "WORKER_ID": "attic", "OCTAVO_LIBRARY": str(library)}
    worker = subprocess.Popen(
        [sys.executable, "-m", "octavo", "worker", "--metrics-port", "0", "--threads", "2", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environ,
    )
    assert worker.stderr is not None and worker.stdout is not None
    try:
        address = next(word for line in worker.stderr for word in line.split() if word.startswith("http://"))
        figures = ""
        with anyio.from_thread.start_blocking_portal() as portal:
            while 'octavo_jobs_total{kind="embed",outcome="done"}' not in figures or waiting(library):
                with urllib.request.urlopen(address, timeout=30) as answer:
                    figures = answer.read().decode()
                portal.call(anyio.sleep, 0.05)
        assert 'octavo_jobs_total{kind="embed",outcome="claimed"}' in figures
        assert re.search(r"^octavo_embedded_total [1-9]", figures, re.MULTILINE)
        assert re.search(r"^octavo_oldest_lease_seconds \d", figures, re.MULTILINE)
        with urllib.request.urlopen(address.replace("/metrics", "/health"), timeout=30) as answer:
            assert answer.read() == b"ok\n"
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=60) == 0
        assert json.loads(worker.stdout.read())["finished"] >= 2
    finally:
        worker.kill()
        worker.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
def test_a_command_that_is_ended_while_it_embeds_gives_its_job_back(library: Location) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes a question, and never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with open_library(library) as engine:
            profiles_set(engine, ProfilesSetRequest("silent", "ollama", "any", 8, url=url), by_person=True)
            outbox, project = engine.store.outbox, engine.project.id
            command = [sys.executable, "-m", "octavo", "--library", library, "profiles", "reindex", "silent", "--wait"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            with process, silent.accept()[0]:
                process.terminate()
                _, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 128 + signal.SIGTERM and b"Traceback" not in err, err
            left = outbox.jobs(project, [JobState.READY])
            assert {(job.attempts, job.locked_by) for job in left} == {(0, "")} and not outbox.holders(project)


@pytest.mark.one_engine
def test_a_worker_gives_back_what_it_has_claimed_when_it_is_to_stop(library: Location) -> None:
    import threading

    from octavo.config.schema import Jobs
    from octavo.jobs.worker import JobWorker

    stop, held = threading.Event(), []
    with open_library(library) as engine:
        outbox, project = engine.store.outbox, engine.project.id

        def first(job: object) -> None:
            held.extend(job.locked_by for job in outbox.jobs(project, [JobState.LEASED]))
            stop.set()

        handlers = dict.fromkeys(JobKind, first)
        worker = JobWorker(engine.store, project, "attic", handlers, Jobs(), engine.memories.clock)  # type: ignore[arg-type]
        before = len(outbox.jobs(project, [JobState.READY]))
        assert before >= 2 and worker.run(stop).finished == 1
        assert held == ["attic"] * before, "all were claimed at once"
        left = outbox.jobs(project, [JobState.READY])
        assert len(left) == before - 1 and {(job.attempts, job.locked_by) for job in left} == {(0, "")}


def test_a_server_counts_searches_by_stage_jobs_and_what_its_memory_found(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        for _ in range(2):
            await client.post("/v1/recall", json={"query": "the ladder"})
        figures = (await client.get("/metrics")).text
        assert re.search(r'^octavo_search_stage_seconds_count{stage="\w+"} [1-9]', figures, re.MULTILINE)
        assert re.search(r'^octavo_searches_total{profile="\w+",degraded="false"} [1-9]', figures, re.MULTILINE)
        assert 'octavo_jobs{kind="communities",state="ready"} 1' in figures
        assert re.search(r"^octavo_cached_texts_found [1-9]", figures, re.MULTILINE)
        assert "octavo_call_threads 2" in figures
        names = {re.sub(r"_(bucket|sum|count)$", "", name) for name in NAMED.findall(figures)}
        assert names <= {*COUNTERS, *HISTOGRAMS, *GAUGES}

    in_process(library, talk)


@pytest.mark.one_engine
def test_the_dashboard_names_only_metrics_there_are_and_every_kind_of_them() -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for text in shown for name in NAMED.findall(text)}
    assert names - {*COUNTERS, *HISTOGRAMS, *GAUGES} == set()
    assert {*COUNTERS, *HISTOGRAMS} <= names
    written = Metrics().exposition([Gauge(name, 1) for name in GAUGES])
    assert all(f"# TYPE octavo_{name} " in written for name in names)
