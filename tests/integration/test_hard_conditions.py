"""A suspended process, a full table of descriptors, a slow disk: each ends in a way that has a name, and loses nothing.

Steps of the clock are in tests/unit/engine/test_leased_index_runs.py and tests/conformance/test_store_outbox.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from workbench import GOOD, Bench

from octavo.engine.engine import Engine
from octavo.errors import Busy, OctavoError
from octavo.memory.draft import MemoryDraft
from octavo.memory.memory_changes import create
from octavo.model.memory import MemoryFilter

PATIENCE = 120.0
MANY = {f"{number}.md": f"# Note {number}\n\nThe harbour of day {number}.\n" for number in range(40)}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals and limits")

# An index run with a short lease and small batches, which waits for a word after the first of them.
INDEXING = """
import sys
from octavo.engine.indexing import index_runs
from octavo.ingest import prepared_file_batches
from octavo.ingest.batch_writer import BatchWriter
from octavo.engine.wiring import open_library
from octavo.errors import OctavoError

index_runs._LEASE_SECONDS, index_runs._BEAT_SECONDS, prepared_file_batches.BATCH_FILES = 0.5, 0.1, 10
write = BatchWriter.write

def write_and_wait(self, files):
    BatchWriter.write = write
    write(self, files)
    print("begun", flush=True)
    sys.stdin.readline()

BatchWriter.write = write_and_wait
with open_library(settings={"embedding.provider": "hashing"}) as engine:
    try:
        engine.index()
        print("done")
    except OctavoError as error:
        print(type(error).__name__)
"""


def started(bench: Bench, program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(
        command, env=bench.environ(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )


def until(true: object, engine: Engine) -> None:
    deadline, rest = time.monotonic() + PATIENCE, threading.Event()
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline
        rest.wait(0.02)


def test_a_run_suspended_for_two_lease_lengths_ends_with_lease_lost_and_the_other_is_whole(bench: Bench) -> None:
    bench.write(MANY)
    with bench.opened() as engine:
        process = started(bench, INDEXING)
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        os.kill(process.pid, signal.SIGSTOP)
        lease = engine.store.leases.current(engine.project.id, "index")
        ends = time.time() if lease is None else lease.expires_at
        until(lambda: time.time() > ends + 0.5, engine)
        (report,) = engine.index(patience=0.0).collections
        assert 0 < report.added < 40
        os.kill(process.pid, signal.SIGCONT)
        assert process.communicate("go on\n", timeout=PATIENCE)[0] == "LeaseLost\n"
        assert engine.freshness().documents == 40
        assert engine.store.check() == ()
        assert engine.store.leases.current(engine.project.id, "index") is None


# A library that works, then has no descriptor left, then has them again.
EXHAUSTED = """
import json, os, resource, sys, threading
from octavo.engine.wiring import open_library
from octavo.errors import OctavoError
from octavo.memory.memory_changes import create
from octavo.memory.draft import MemoryDraft
from octavo.model.query import Query

def tried(what):
    try:
        what()
        return "done"
    except OctavoError as error:
        return type(error).__name__
    except Exception as error:
        return "not on purpose: " + repr(error)

def elsewhere(what):
    told = []
    thread = threading.Thread(target=lambda: told.append(tried(what)))
    thread.start()
    thread.join()
    return told[0]

with open_library(settings={"embedding.provider": "hashing"}) as engine:
    engine.index()
    engine.search(Query("apple"))
    create(engine.memories, MemoryDraft("The boiler is in the cellar."))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, before[1]))
    while True:
        try:
            held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            break
    told = {
        "search": tried(lambda: engine.search(Query("apple"))),
        "index": tried(lambda: engine.index()),
        "missing": [problem.reason for problem in engine.index().missing],
        "remember": tried(lambda: create(engine.memories, MemoryDraft("The lamp is on the roof."))),
        "elsewhere": elsewhere(lambda: engine.search(Query("apple"))),
        "documents": engine.store.counts(engine.project.id).documents,
    }
    for one in held:
        os.close(one)
    told["afterwards"] = [
        tried(lambda: create(engine.memories, MemoryDraft("The valve is behind it."))),
        tried(lambda: engine.index()),
        elsewhere(lambda: engine.search(Query("apple"))),
        list(engine.store.check()),
        engine.store.counts(engine.project.id).documents,
    ]
    print(json.dumps(told))
"""


def test_without_a_descriptor_left_everything_is_refused_on_purpose_and_nothing_is_taken_for_deleted(
    bench: Bench,
) -> None:
    bench.write(GOOD)
    bench.index()
    process = started(bench, EXHAUSTED)
    told = json.loads(process.communicate(timeout=PATIENCE)[0])
    outcomes = {told[name] for name in ("search", "index", "remember", "elsewhere")}
    assert outcomes <= {"done", "StorageError", "SourceError"}, told
    assert told["missing"] == [f"cannot read {bench.folder}: too many open files"]
    assert told["documents"] >= 3 + 1  # the files and the first memory: nothing was taken for deleted
    assert told["afterwards"][:4] == ["done", "done", "done", []], told


# A disk that takes a fifth of a second for every sync.
SLOW_DISK = """
import threading
import apsw
from octavo.engine.wiring import open_library
from octavo.memory.memory_changes import create
from octavo.memory.draft import MemoryDraft

disk = apsw.vfs_names()[0]

class SlowFile(apsw.VFSFile):
    def xSync(self, flags):
        threading.Event().wait(0.2)
        super().xSync(flags)

class SlowDisk(apsw.VFS):
    def __init__(self):
        super().__init__("slow", disk, makedefault=True)
    def xOpen(self, name, flags):
        return SlowFile(disk, name, flags)

slow = SlowDisk()
with open_library(settings={"embedding.provider": "hashing"}) as engine:
    print("begun", flush=True)
    engine.index()
    for number in range(5):
        create(engine.memories, MemoryDraft(f"The slow process wrote fact {number}."))
    print("done")
"""


def test_beside_a_process_on_a_slow_disk_a_change_is_made_or_refused_as_busy(bench: Bench) -> None:
    bench.write(MANY)
    with bench.opened() as engine:
        _ = engine.memories
        process = started(bench, SLOW_DISK)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        made, refused = 0, []
        for number in range(5):
            try:
                create(engine.memories, MemoryDraft(f"The quick process wrote fact {number}."))
                made += 1
            except OctavoError as error:
                refused.append(error)
        assert process.communicate(timeout=PATIENCE)[0] == "done\n"
        assert {type(error) for error in refused} <= {Busy}
        assert all(error.hint for error in refused)
        assert len(engine.store.memories.find(engine.project.id, MemoryFilter())) == 5 + made
        assert engine.freshness().documents == 40 + 5 + made
        assert engine.store.check() == ()
