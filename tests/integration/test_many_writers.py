"""Several processes and threads write to one library: everybody gets a turn, and nobody waits for all the others."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import samples

from octavo.engine.wiring import open_library
from octavo.stores.sqlite.store import SqliteStore

BUSY = """
import sys
from pathlib import Path
from octavo.stores.sqlite.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]), busy_timeout_ms=60_000)
print("ready", flush=True)
number, ended = 0, False
while not ended:
    ended = Path(sys.argv[2]).exists()  # before the write: whoever got no turn until the end has one after it
    with store.transaction():
        store.catalog.ensure_project(f"busy {number % 7}")
    number += 1
print(number, flush=True)
"""


def test_a_writer_gets_its_turns_beside_processes_that_never_pause(tmp_path: Path) -> None:
    library, end = tmp_path / "library.db", tmp_path / "end"
    store = SqliteStore(library, busy_timeout_ms=60_000)
    samples.ensure(store)
    command = [sys.executable, "-c", BUSY, str(library), str(end)]
    busy = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    try:
        for process in busy:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for number in range(20):
            with store.transaction():
                store.catalog.ensure_project(f"mine {number}")
    finally:
        end.touch()
        written = [int(process.communicate(timeout=120)[0]) for process in busy]
    assert all(written)
    assert len(store.catalog.projects()) == 20 + 1 + len({f"busy {number}" for number in range(min(7, max(written)))})
    store.close()


def test_a_collection_is_removed_in_turns_that_let_others_write(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe harbour of day {number}.\n", "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        before = engine.store.generation()
        engine.library.remove_seconds = 0.0
        engine.remove_collection("notes")
        assert engine.store.generation() - before >= 30
        assert engine.store.check() == ()
        assert engine.store.counts(engine.project.id).documents == 0


def test_a_run_waits_for_a_writer_that_takes_longer_than_the_busy_timeout(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    store, other = SqliteStore(library, busy_timeout_ms=20), SqliteStore(library)
    samples.ensure(store)
    writing, waiting, over = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        with other.transaction():
            writing.set()
            assert waiting.wait(60)
            over.wait(0.2)  # ten times what the store waits by itself

    thread = threading.Thread(target=write)
    thread.start()
    assert writing.wait(60)
    waiting.set()
    with store.patient(60.0), store.transaction():
        store.catalog.ensure_project("patient")
    thread.join()
    assert {project.name for project in other.catalog.projects()} >= {"patient"}
    store.close()
    other.close()
