"""Runs of several processes on one library: one at a time, known to the others, taken over when one dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from recto.engine import builds as module
from recto.engine import holders
from recto.engine.builds import RUNNING, Builds
from recto.engine.parts import IndexReport
from recto.errors import Busy
from recto.model.ids import project_id
from recto.observability.progress import Progress
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore

MINE = project_id("mine")
NOTHING = IndexReport((), (), 0, 0.0)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(clock: SetClock) -> MemoryStore:
    made = MemoryStore(clock=clock)
    with made.transaction():
        made.catalog.ensure_project("mine")
    return made


def process(store: MemoryStore, clock: SetClock) -> Builds:
    """As another process has it: another `Builds` over the same library."""
    return Builds(clock, store.leases, MINE)


def held(builds: Builds, scope: str = "full") -> Callable[[], None]:
    """Begins a run that goes on until what is returned is called."""
    begun, let = threading.Event(), threading.Event()

    def work(progress: Progress) -> IndexReport:
        progress.start("notes", 10, "files")
        progress.advance(4)
        begun.set()
        assert let.wait(30)
        return NOTHING

    builds.start(scope, work)
    assert begun.wait(30)

    def end() -> None:
        let.set()
        builds.stop(30)

    return end


def dead() -> str:
    """A holder whose process has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return holders.name().replace(f" {os.getpid()} ", f" {ended.pid} ")


def test_another_processs_run_is_busy_and_says_whose(store: MemoryStore, clock: SetClock) -> None:
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


def test_whoever_waits_goes_after_the_other_process(store: MemoryStore, clock: SetClock) -> None:
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
    waiting.join(30)
    assert order == ["theirs ended", "mine"]
    assert store.leases.current(MINE, "index") is None


def test_the_lease_of_a_process_that_died_is_taken_over_at_once(store: MemoryStore, clock: SetClock) -> None:
    gone = dead()
    assert holders.is_gone(gone)
    store.leases.take(MINE, "index", gone, 1_000.0, {"scope": "full"})
    here = process(store, clock)
    assert here.current() is None
    assert here.run("changed", lambda progress: NOTHING, patience=0.0).state == "done"


def test_of_another_machines_process_nothing_is_known_until_its_lease_runs_out(
    store: MemoryStore, clock: SetClock
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
    store: MemoryStore, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RENEW_SECONDS", 0.0)
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
    store: MemoryStore, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RENEW_SECONDS", 0.0)
    here, there = process(store, clock), process(store, clock)
    end = held(there)
    seen = here.current()
    assert seen is not None
    assert (seen.phase, seen.done, seen.total, seen.unit) == ("notes", 4, 10, "files")
    end()


def test_this_process_is_not_taken_for_gone() -> None:
    assert not holders.is_gone(holders.name())
    assert holders.name() != holders.name()
    assert not holders.is_gone("nonsense")
    assert not holders.is_gone("")
