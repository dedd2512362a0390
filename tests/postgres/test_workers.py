"""Workers and servers on one database: woken by promises, stopped at any moment, none of them needed by another."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
import samples

from octavo.model.job import JobKind, JobState
from octavo.model.library_location import DatabaseUrl
from octavo_postgres.store import PostgresStore

CLAIM = """
import os, sys
from octavo.model.ids import ProjectId
from octavo.model.library_location import DatabaseUrl
from octavo_postgres.store import PostgresStore

store = PostgresStore(DatabaseUrl(sys.argv[1]))
with store.transaction():
    lease = float(sys.argv[3])
    (job,) = store.outbox.claim(ProjectId(sys.argv[2]), "doomed", lease_seconds=lease, limit=1, max_attempts=5)
sys.stdout.write("claimed\\n")
sys.stdout.flush()
sys.stdin.read()
"""


def promise(store: PostgresStore, number: int = 1) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        for one in range(number):
            store.outbox.enqueue(notes.project_id, JobKind.EMBED, f"subject {one}", {})


def test_a_waiting_worker_is_woken_by_a_promise(store: PostgresStore, url: DatabaseUrl) -> None:
    woken, stop = threading.Event(), threading.Event()
    listening = threading.Event()

    def wait() -> None:
        listening.set()
        store.wait_for_work(stop, 60.0)
        woken.set()

    promise(store)
    thread = threading.Thread(target=wait)
    thread.start()
    listening.wait()
    other = PostgresStore(url)
    # The listener may not have got as far as listening: promise again until it has heard.
    for number in range(400):
        promise(other, number + 2)
        if woken.wait(0.1):
            break
    other.close()
    thread.join(60)
    assert woken.is_set()


def test_a_waiting_worker_that_is_told_to_stop_stops(store: PostgresStore) -> None:
    stop = threading.Event()
    stop.set()
    started = time.monotonic()
    store.wait_for_work(stop, 600.0)
    assert time.monotonic() - started < 60


def test_claims_of_several_workers_never_meet(url: DatabaseUrl, store: PostgresStore) -> None:
    promise(store, 40)
    project = samples.collection().project_id
    claimed: list[int] = []
    guard = threading.Lock()

    def work(name: str) -> None:
        mine = PostgresStore(url)
        while True:
            with mine.transaction():
                jobs = mine.outbox.claim(project, name, lease_seconds=60, limit=3, max_attempts=5)
            if not jobs:
                break
            for job in jobs:
                with mine.transaction():
                    assert mine.outbox.finish(job)
            with guard:
                claimed.extend(int(job.id) for job in jobs)
        mine.close()

    threads = [threading.Thread(target=work, args=(f"worker {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(set(claimed))
    assert len(claimed) == 40
    assert {job.state for job in store.outbox.jobs(project)} == {JobState.DONE}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_a_killed_worker_had_claimed_goes_to_the_next(url: DatabaseUrl, store: PostgresStore) -> None:
    promise(store)
    project = samples.collection().project_id
    program = [sys.executable, "-c", CLAIM, url.secret, project, "0.001"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as doomed:
        assert doomed.stdout is not None
        assert doomed.stdout.readline() == "claimed\n"
        doomed.send_signal(signal.SIGKILL)
    with store.transaction():
        (job,) = store.outbox.claim(project, "next", lease_seconds=60, limit=1, max_attempts=5)
    assert job.attempts == 2
    with store.transaction():
        assert store.outbox.finish(job)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_writer_killed_in_its_transaction_leaves_neither_rows_nor_lock(
    url: DatabaseUrl, store: PostgresStore
) -> None:
    samples.ensure(store)
    program = (
        "import sys\nfrom octavo.model.library_location import DatabaseUrl\n"
        "from octavo_postgres.store import PostgresStore\n"
        "store = PostgresStore(DatabaseUrl(sys.argv[1]))\n"
        "with store.transaction():\n"
        "    store.catalog.ensure_project('half')\n"
        "    sys.stdout.write('in\\n')\n    sys.stdout.flush()\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, url.secret]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as doomed:
        assert doomed.stdout is not None
        assert doomed.stdout.readline() == "in\n"
        doomed.send_signal(signal.SIGKILL)
    with store.transaction():
        store.catalog.ensure_project("whole")
    assert [project.name for project in store.catalog.projects()] == ["sample", "whole"]
