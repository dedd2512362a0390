"""Many at once on one library: searches while it is rebuilt, eight processes, and a server killed in the middle.

OCTAVO_TEST_SECONDS says how long the eight processes go on; a minute is the real thing, a few seconds are the suite's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from cli_calls import Location, Octavo, Shell
from daemon_calls import client as shim
from http_calls import mcp_client, running
from mcp import Client
from mcp_calls import uris

from octavo.engine.wiring import open_library
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.query import Query

SECONDS = float(os.environ.get("OCTAVO_TEST_SECONDS", "3"))
SETTINGS = {"embedding.provider": "hashing"}


@pytest.fixture
def folder(environment: Path) -> Path:
    (environment / "notes").mkdir()
    (environment / "notes" / "first.md").write_text("# First\n\nzebrafish\n", "utf-8")
    return environment / "notes"


@pytest.fixture
def library(location: Location, folder: Path, octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> Location:
    """Of that folder. Who writes when is looked at here: the model is the stand-in, which takes no time."""
    monkeypatch.setenv("OCTAVO_LIBRARY", str(location))
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    monkeypatch.setenv("OCTAVO_WATCH_ENABLED", "false")
    assert octavo("init").exit_code == 0
    assert octavo("add", folder, "--name", "notes").exit_code == 0
    assert octavo("index").exit_code == 0
    return location


def note(number: int, edition: str) -> str:
    lines = "\n\n".join(f"Line {line} of {edition} note {number} is about the harbour." for line in range(40))
    return (
        f"# Note {number}, {edition}\n\n{lines}\n\n## Tides\n\nThe {edition} tide of note {number} is high at noon.\n"
    )


def test_fifty_searches_during_a_rebuild_never_fail_and_never_cite_wrongly(library: Location, folder: Path) -> None:
    editions = ("first", "second")
    for number in range(120):
        (folder / f"{number}.md").write_text(note(number, editions[0]), "utf-8")
    with running(["--tools", "default,data"]) as server:

        async def main() -> None:
            async with httpx2.AsyncClient(base_url=server.address, headers=server.headers, timeout=120) as http:
                assert (await http.post("/v1/reindex", json={"wait": True})).status_code == 200
                for number in range(120):
                    (folder / f"{number}.md").write_text(note(number, editions[1]), "utf-8")
                begun = (await http.post("/v1/reindex", json={"scope": "full"})).json()
                assert begun["state"] == "running"
                async with mcp_client(server) as client, anyio.create_task_group() as tasks:
                    for number in range(50):
                        tasks.start_soon(check, client, number)
                assert (await http.post("/v1/reindex", json={"wait": True})).json()["failed"] == 0

        async def check(client: Client, number: int) -> None:
            result = await client.call_tool("search", {"query": f"tide of note {number} at the harbour", "limit": 5})
            assert not result.is_error, result.content
            hits = result.structured_content["hits"]
            assert hits
            for hit in hits:
                if hit["uri"] == "first.md":
                    continue
                texts = [normalise(note(int(hit["uri"].removesuffix(".md")), one)) for one in editions]
                assert hit["excerpt"] in [text[hit["start"] : hit["end"]] for text in texts]

        anyio.run(main)


WORKER = """
import json, sys, time
from pathlib import Path
from octavo.engine.wiring import open_library
from octavo.operations.memory.requests import RememberRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

name, seconds = sys.argv[1], float(sys.argv[2])
folder = Path(sys.argv[3]) / name
folder.mkdir()
engine = open_library(settings={"embedding.provider": "hashing"})
wrote = {"notes": 0, "memories": 0, "searches": 0}
until = time.monotonic() + seconds
while time.monotonic() < until:
    number = wrote["notes"]
    (folder / f"{number}.md").write_text(f"# {name} {number}\\n\\nthe {name} heron numbered {number}\\n")
    with engine.store.patient(120.0):
        engine.writer.index_changes({"notes": [f"{name}/{number}.md"]})
        wrote["notes"] += 1
        remember(engine, RememberRequest(f"Process {name} saw heron {number} at the {name} pond."))
        wrote["memories"] += 1
    for _ in range(3):
        found = search(engine, SearchRequest("heron zebrafish"))
        assert found.hits
        wrote["searches"] += 1
engine.close()
print(json.dumps(wrote))
"""


def test_eight_processes_read_and_write_one_library_and_lose_nothing(library: Location, folder: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, name, str(SECONDS), str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    ends = [process.communicate(timeout=SECONDS + 300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, [error for _, error in ends]
    wrote = {name: json.loads(out) for name, (out, _) in zip(names, ends, strict=True)}
    with open_library(library, settings=SETTINGS) as engine:
        uris = set(engine.store.ledger.entries(engine.project.id, engine.collection("notes").id))
        for name, figures in wrote.items():
            assert figures["notes"] > 0
            assert {uri for uri in uris if uri.startswith(f"{name}/")} == {
                f"{name}/{number}.md" for number in range(figures["notes"])
            }
        memories = engine.store.memories.find(engine.project.id, _every_memory())
        assert len(memories) == sum(figures["memories"] for figures in wrote.values())
        assert engine.store.check() == ()
        assert engine.store.leases.current(engine.project.id, "index") is None


def _every_memory() -> Any:
    from octavo.model.memory import MemoryFilter

    return MemoryFilter()


# Octavo with small batches, whose runs stand still for ever once the first of them is committed.
HELD_AFTER_ONE_BATCH = """
import threading
from octavo.ingest import prepared_file_batches
from octavo.ingest.batch_writer import BatchWriter
from octavo.interfaces.cli.main import main

prepared_file_batches.BATCH_FILES = 20
write = BatchWriter.write

def write_and_stand_still(self, files):
    write(self, files)
    threading.Event().wait()

BatchWriter.write = write_and_stand_still
main()
"""


def test_a_server_killed_while_it_indexes_is_continued_cleanly(library: Location, folder: Path, shell: Shell) -> None:
    for number in range(60):
        (folder / f"{number}.md").write_text(note(number, "only"), "utf-8")
    held = running(program=("-c", HELD_AFTER_ONE_BATCH))
    with held as server, httpx2.Client(base_url=server.address, headers=server.headers, timeout=120) as http:
        assert http.post("/v1/reindex", json={}).json()["state"] == "running"
        while http.post("/v1/status", json={}).json()["documents"] == 1:
            pass
        server.process.kill()
        server.process.wait(timeout=60)
    # Its lease is nobody's any more: nothing is waited for.
    done = shell("index", "--json")
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)["collections"]
    assert 0 < report["added"] < 60
    with open_library(library, settings=SETTINGS) as engine:
        assert engine.freshness().documents == 61
        assert engine.freshness().full_vectors == 1.0
        assert engine.store.check() == ()
        assert engine.search(Query("tide of note 59")).hits


def test_a_second_process_is_told_which_run_is_under_way_or_waits(library: Location, shell: Shell) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        lease = engine.store.leases.take(
            engine.project.id, "index", f"elsewhere/1 {os.getpid()} x", 3_600.0, {"scope": "full"}
        )
        busy = shell("index", "--json")
        assert busy.returncode == 5
        error = json.loads(busy.stdout)["error"]
        assert error["code"] == "INDEX_BUSY"
        assert (error["details"]["job"]["scope"], error["details"]["job"]["process"]) == (
            "full",
            f"{os.getpid()} on elsewhere",
        )
        told = json.loads(shell("status", "--json").stdout)["job"]
        assert (told["state"], told["scope"]) == ("running", "full")
        waiting = subprocess.Popen(
            [sys.executable, "-m", "octavo", "index", "--wait", "--quiet"], stderr=subprocess.PIPE
        )
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=3)
        engine.store.leases.release(lease)
        assert waiting.communicate(timeout=120)[1] == b""
        assert waiting.returncode == 0


def test_a_search_cancelled_in_mid_call_leaves_a_server_that_answers(library: Location) -> None:
    with running() as server:

        async def main() -> None:
            async with mcp_client(server) as client:
                await client.call_tool("search", {"query": "zebrafish"})
                for _ in range(5):
                    with anyio.move_on_after(0.001):
                        await client.call_tool("search", {"query": "zebrafish"})
                result = await client.call_tool("search", {"query": "zebrafish"})
                assert uris(result.content[0].text)[0] == "first.md"  # type: ignore[union-attr]

        anyio.run(main)


def test_a_client_that_dies_in_mid_call_leaves_no_process_and_no_lease(library: Location) -> None:
    with shim("--no-daemon") as one:
        one.begin("reindex", scope="full")
        one.kill()
    with open_library(library, settings=SETTINGS) as engine:
        assert engine.builds.current() is None
        assert engine.index(patience=0.0).collections[0].failed == []
