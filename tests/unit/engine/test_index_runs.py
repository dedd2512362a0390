"""Runs of the writing flow: one at a time, watched, and stopped when asked."""

from __future__ import annotations

import threading

import pytest

from octavo.engine.indexing.index_runs import DONE, FAILED, RUNNING, STOPPED, IndexRuns, Stopped
from octavo.errors import Busy, StorageError
from octavo.ingest.indexing_report import IndexReport
from octavo.observability.progress import Progress

NOTHING = IndexReport((), (), 0, 0.0)


class Held:
    """Work that says when it has begun and goes on when it is let."""

    def __init__(self) -> None:
        self.begun, self.let = threading.Event(), threading.Event()

    def __call__(self, progress: Progress) -> IndexReport:
        progress.start("notes", 10, "B")
        progress.advance(4)
        self.begun.set()
        while not self.let.wait(0.01):
            progress.advance(0)
        return NOTHING


def test_a_second_run_is_refused_while_one_is_under_way_and_says_which() -> None:
    builds, held = IndexRuns(lambda: 7.0), Held()
    begun = builds.start("full", held)
    assert begun.state == RUNNING
    assert held.begun.wait(60)
    with pytest.raises(Busy) as refused:
        builds.start("changed", held)
    assert refused.value.details["job"] == {"scope": "full", "started_at": 7.0, "number": 1}
    latest = builds.latest
    assert latest is not None
    assert (latest.phase, latest.done, latest.total, latest.unit) == ("notes", 4, 10, "B")
    held.let.set()
    assert builds.run("changed", lambda progress: NOTHING).number == 2  # it went after the first


def test_a_run_that_fails_says_so_and_lets_the_next_one_begin() -> None:
    builds = IndexRuns()

    def fail(progress: Progress) -> IndexReport:
        raise StorageError("the disk is full")

    with pytest.raises(StorageError):
        builds.run("changed", fail)
    assert builds.latest is not None
    assert (builds.latest.state, builds.latest.error) == (FAILED, "the disk is full")
    assert builds.run("changed", lambda progress: NOTHING).state == DONE


def test_a_run_stops_at_its_next_report_when_asked() -> None:
    builds, held = IndexRuns(), Held()
    builds.start("changed", held)
    assert held.begun.wait(60)
    assert builds.stop(60)
    assert builds.latest is not None
    assert builds.latest.state == STOPPED


def test_whoever_waits_for_a_run_may_stop_waiting() -> None:
    builds, held = IndexRuns(), Held()
    builds.start("changed", held)
    assert held.begun.wait(60)

    class Impatient:
        def start(self, phase: str, total: int | None, unit: str) -> None: ...

        def advance(self, n: int = 1, note: str = "") -> None:
            raise Stopped

        def finish(self) -> None: ...

    with pytest.raises(Stopped):
        builds.run("full", lambda progress: NOTHING, Impatient())
    assert builds.latest is not None
    assert builds.latest.state == RUNNING
    held.let.set()
