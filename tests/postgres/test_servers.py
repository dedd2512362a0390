"""`octavo serve` and `octavo worker` on one database: several of each, any of them killed, no answer or work lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from http_calls import Running, running

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.job import JobKind, JobState
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query

ENVIRON = {
    "OCTAVO_EMBEDDING_PROVIDER": "hashing",
    "OCTAVO_DAEMON_ENABLED": "false",
    "OCTAVO_WATCH_ENABLED": "false",
    "OCTAVO_WORK_IN_SERVER": "false",
    "OCTAVO_JOBS_POLL_SECONDS": "0.2",
    "OCTAVO_JOBS_LEASE_SECONDS": "5",
    "OCTAVO_JOBS_RETRY_SECONDS": "0.1",
}
SETTINGS = {"embedding.provider": "hashing"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


@pytest.fixture
def environ(url: DatabaseUrl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    places = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    return {**ENVIRON, **places, "OCTAVO_LIBRARY": url.secret}


@pytest.fixture
def notes(url: DatabaseUrl, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nwords about moons {number}\n", "utf-8")
    with opened(url, create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    yield folder


def opened(url: DatabaseUrl, *, create: bool = False) -> Engine:
    return open_library(url.secret, create=create, settings=SETTINGS)


def post(server: Running, operation: str, **body: Any) -> Any:
    answer = httpx2.post(f"{server.address}/v1/{operation}", json=body, headers=server.headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_server_on_a_database_answers_and_remembers(notes: Path, environ: dict[str, str]) -> None:
    with running(environ=environ) as server:
        assert httpx2.get(f"{server.address}/health", timeout=60).json() == {"status": "ok"}
        assert len(post(server, "search", query="moons")["hits"]) == 8
        post(server, "remember", text="the dome is locked with two keys")
        assert "dome" in json.dumps(post(server, "recall", query="dome"))
        assert "postgresql://" in json.dumps(post(server, "status"))
        assert "postgres:postgres" not in json.dumps(post(server, "status"))


@contextmanager
def worker(environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", "worker"],
        env={**os.environ, **environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_worker_told_to_stop_ends_in_order(notes: Path, url: DatabaseUrl, environ: dict[str, str]) -> None:
    with worker(environ) as process, opened(url) as engine:
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "all", {})
        until = time.monotonic() + 180
        while unfinished(engine):
            assert time.monotonic() < until
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert {job.state for job in engine.store.outbox.jobs(engine.project.id)} == {JobState.DONE}


def test_three_servers_and_four_workers_lose_nothing_when_some_are_killed(
    notes: Path, url: DatabaseUrl, environ: dict[str, str]
) -> None:
    chance = random.Random(7)
    kept: list[str] = []
    with ExitStack() as stack, opened(url) as engine:
        servers = [stack.enter_context(running(environ=environ)) for _ in range(3)]
        workers = [stack.enter_context(worker(environ)) for _ in range(4)]
        for number in range(30):
            if number == 10:
                servers.pop(0).process.send_signal(signal.SIGKILL)
            if number in (5, 12, 20):
                workers.pop(0).send_signal(signal.SIGKILL)
            server = chance.choice(servers)
            text = f"fact {number}: the comet {number} was seen by observer {number}"
            post(server, "remember", text=text)
            kept.append(text)
            # Another server knows it at once: there is nothing between a server and the database.
            assert text in json.dumps(post(chance.choice(servers), "recall", query=f"comet {number}", k=40))
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "all", {})
        until = time.monotonic() + 300
        while engine.store.outbox.due(engine.project.id) or unfinished(engine):
            assert time.monotonic() < until, engine.store.outbox.jobs(engine.project.id)
            with pytest.raises(subprocess.TimeoutExpired):  # one is left, and goes on working
                workers[0].wait(0.1)
        states = {job.state for job in engine.store.outbox.jobs(engine.project.id)}
        assert states <= {JobState.DONE}
        assert engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)[0] == 8 + len(kept)
        assert len(engine.search(Query("moons")).hits) > 0
        assert engine.store.check() == ()


def unfinished(engine: Engine) -> int:
    return len(engine.store.outbox.jobs(engine.project.id, (JobState.READY, JobState.LEASED)))
