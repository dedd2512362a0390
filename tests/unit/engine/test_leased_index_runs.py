"""Runs of several processes on one library: one at a time, known to the others, taken over when one dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from set_clock import SetClock

from octavo.engine.indexing import index_runs as module
from octavo.engine.indexing.index_runs import RUNNING, IndexRuns
from octavo.errors import Busy, LeaseLost
from octavo.ingest.indexing_report import IndexReport
from octavo.jobs import lease_holder_process
from octavo.model.ids import project_id
from octavo.observability.progress import Progress
from octavo.stores.sqlite.store import SqliteStore

MINE = project_id("mine")
NOTHING = IndexReport((), (), 0, 0.0)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(clock: SetClock) -> SqliteStore:
    made = SqliteStore.in_memory(clock)
    with made.transaction():
        made.catalog.ensure_project("mine")
    return made


def process(store: SqliteStore, clock: SetClock) -> IndexRuns:
    """As another process has it: another `IndexRuns` over the same library."""
    return IndexRuns(clock, store.leases, MINE)


def held(builds: IndexRuns, scope: str = "full") -> Callable[[], None]:
    """Begins a run that goes on until what is returned is called."""
    begun, let = threading.Event(), threading.Event()

    def work(progress: Progress) -> IndexReport:
        progress.start("notes", 10, "files")
        progress.advance(4)
        begun.set()
        assert let.wait(120)
        return NOTHING

    builds.start(scope, work)
    assert begun.wait(120)

    def end() -> None:
        let.set()
        builds.stop(120)

    return end


def dead() -> str:
    """A holder whose process has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return lease_holder_process.holder_name().replace(f" {os.getpid()}@", f" {ended.pid}@")


def test_another_processs_run_is_busy_and_says_whose(store: SqliteStore, clock: SetClock) -> None:
    here, there = process(store, clock), process(store, clock)
    end = held(there)
    with pytest.raises(Busy) as refused:
        here.start("changed", lambda progress: NOTHING)
    with pytest.raises(Busy):
        here.run("changed", lambda progress: NOTHING, patience=0.0)
    job = refused.value.details["job"]
    assert (job["scope"], job["process"]) == ("full", str(os.getpid()))
    seen = here.current()
    assert seen is not None
    assert (seen.state, seen.scope, seen.process) == (RUNNING, "full", str(os.getpid()))
    assert here.latest is None
    end()
    assert here.current() is None


def test_whoever_waits_goes_after_the_other_process(store: SqliteStore, clock: SetClock) -> None:
    here, there = process(store, clock), process(store, clock)
    end = held(there)
    order: list[str] = []

    def mine(progress: Progress) -> IndexReport:
        order.append("mine")
        return NOTHING

    waiting = threading.Thread(target=lambda: here.run("changed", mine))
    waiting.start()
    order.append("theirs ended")
    end()
    waiting.join(120)
    assert order == ["theirs ended", "mine"]
    assert store.leases.current(MINE, "index") is None


def test_the_lease_of_a_process_that_died_is_taken_over_at_once(store: SqliteStore, clock: SetClock) -> None:
    gone = dead()
    assert lease_holder_process.has_ended(gone)
    store.leases.take(MINE, "index", gone, 1_000.0, {"scope": "full"})
    here = process(store, clock)
    assert here.current() is None
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_of_another_machines_process_nothing_is_known_until_its_lease_runs_out(
    store: SqliteStore, clock: SetClock
) -> None:
    store.leases.take(MINE, "index", "elsewhere/1 4711 abcd", 100.0, {"scope": "full", "done": 3})
    here = process(store, clock)
    seen = here.current()
    assert seen is not None and seen.process == "4711 on elsewhere"
    with pytest.raises(Busy, match="by process 4711 on elsewhere"):
        here.run("changed", lambda progress: NOTHING, patience=0.0)
    clock.now += 100.0
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_a_run_that_lost_its_lease_stops_at_its_next_report(
    store: SqliteStore, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEW_SECONDS", 0.0)
    here = process(store, clock)

    def work(progress: Progress) -> IndexReport:
        progress.start("notes", 10, "files")
        clock.now += 1_000.0  # asleep for longer than the lease lasts
        store.leases.take(MINE, "index", "another", 100.0, {})
        progress.advance()
        return NOTHING

    with pytest.raises(Busy, match="took over"):
        here.run("changed", work)
    lease = store.leases.current(MINE, "index")
    assert lease is not None and lease.holder == "another"


def test_a_run_tells_the_others_how_far_it_is(
    store: SqliteStore, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEW_SECONDS", 0.0)
    here, there = process(store, clock), process(store, clock)
    end = held(there)
    seen = here.current()
    assert seen is not None
    assert (seen.phase, seen.done, seen.total, seen.unit) == ("notes", 4, 10, "files")
    end()


def test_this_process_is_not_taken_for_gone() -> None:
    assert not lease_holder_process.has_ended(lease_holder_process.holder_name())
    assert lease_holder_process.holder_name() != lease_holder_process.holder_name()
    assert not lease_holder_process.has_ended("nonsense")
    assert not lease_holder_process.has_ended("")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux says when a process started")
def test_a_process_that_was_given_the_number_of_one_that_ended_is_not_taken_for_it() -> None:
    machine, process, label = lease_holder_process.holder_name("index").split(" ")
    number, _, start = process.partition("@")
    assert lease_holder_process.has_ended(f"{machine} {number}@{int(start) - 1} {label}")
    assert not lease_holder_process.has_ended(f"{machine} {number} {label}")
    assert not lease_holder_process.has_ended(f"{machine.rpartition('/')[0]}/0ld6007 {number}@{int(start) - 1} {label}")


def test_a_run_that_reports_nothing_for_longer_than_a_lease_keeps_it(store: SqliteStore, clock: SetClock) -> None:
    here = IndexRuns(clock, store.leases, MINE, beat_seconds=0.001)
    there = process(store, clock)

    def renewed() -> bool:
        lease = store.leases.current(MINE, "index")
        return lease is not None and lease.expires_at >= clock.now + 120.0

    def work(progress: Progress) -> IndexReport:
        for _ in range(5):
            clock.now += 100.0  # a remote model, a first scan, a snapshot
            waited = threading.Event()
            assert any(renewed() or waited.wait(0.01) for _ in range(12_000))
            with pytest.raises(Busy, match="is being indexed"):
                there.run("changed", lambda progress: NOTHING, patience=0.0)
        return NOTHING

    assert here.run("full", work).state == "done"
    assert there.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_a_run_that_lost_its_lease_without_a_report_does_not_end_as_if_nothing_had_happened(
    store: SqliteStore, clock: SetClock
) -> None:
    here = IndexRuns(clock, store.leases, MINE, beat_seconds=0.001)

    def work(progress: Progress) -> IndexReport:
        clock.now += 1_000.0  # suspended
        store.leases.take(MINE, "index", "another", 100.0, {}, over=holder())
        waited = threading.Event()
        assert any(here.lost or waited.wait(0.01) for _ in range(12_000))
        return NOTHING

    def holder() -> str | None:
        lease = store.leases.current(MINE, "index")
        return None if lease is None else lease.holder

    with pytest.raises(LeaseLost, match="took over"):
        here.run("changed", work)
    assert here.latest is not None and here.latest.state == "failed"
    assert holder() == "another"


DAY = 86_400.0


def test_a_clock_set_a_day_ahead_lets_another_run_begin_and_the_first_ends_with_lease_lost(
    store: SqliteStore, clock: SetClock
) -> None:
    here, there = process(store, clock), process(store, clock)

    def work(progress: Progress) -> IndexReport:
        clock.now += DAY
        assert there.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"
        return NOTHING  # at once: no heartbeat has come in between

    with pytest.raises(LeaseLost, match="its clock was set"):
        here.run("full", work)
    assert here.latest is not None and here.latest.state == "failed"
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_a_clock_set_a_day_back_leaves_a_run_alone_and_a_dead_holder_is_not_waited_for(
    store: SqliteStore, clock: SetClock
) -> None:
    here, there = process(store, clock), process(store, clock)
    end = held(there)
    clock.now -= DAY
    with pytest.raises(Busy, match="is being indexed"):
        here.run("changed", lambda progress: NOTHING, patience=0.0)
    end()
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"
    store.leases.take(MINE, "index", dead(), 120.0, {})
    clock.now -= DAY
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_other_work_waits_for_a_run_and_a_run_for_it(store: SqliteStore, clock: SetClock) -> None:
    here, there = process(store, clock), process(store, clock)
    with here.alone("remove"), pytest.raises(Busy, match="is being indexed"):
        there.run("changed", lambda progress: NOTHING, patience=0.0)
    assert here.latest is None
    assert there.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"
