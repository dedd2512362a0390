"""What an operator reads at `info`: what came and went, what was mended, what was slow or did without a part."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import apsw
import pytest
from workbench import Bench

from octavo.config.schema import Jobs
from octavo.engine import library_search
from octavo.jobs.worker import JobWorker
from octavo.model.job import Job, JobKind
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

Lines = Callable[[str], list[str]]


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    """What one part of Octavo has logged so far, from `info` on."""
    caplog.set_level(logging.INFO, "octavo")

    def logged(component: str) -> list[str]:
        return [record.getMessage() for record in caplog.records if record.name == f"octavo.{component}"]

    return logged


def test_a_run_logs_how_much_came_and_went_and_names_files_only_for_debugging(
    bench: Bench, lines: Lines, caplog: pytest.LogCaptureFixture
) -> None:
    bench.write({"a.md": "# A\n\nalpha\n", "b.md": "# B\n\nbeta\n"})
    bench.index()
    (bench.folder / "a.md").unlink()
    bench.write({"b.md": "# B\n\ngamma\n"})
    bench.index()
    bench.index()
    assert lines("ingest") == ["notes: 2 added", "notes: 1 changed, 1 removed"]
    caplog.set_level(logging.DEBUG, "octavo")
    bench.write({"c.md": "# C\n"})
    bench.index()
    assert lines("ingest")[2:] == ["added: c.md", "notes: 1 added"]
    with bench.opened() as engine:
        engine.remove_collection("notes")
    assert lines("engine") == ["the collection notes was removed"]


def test_a_search_is_logged_where_it_was_slow_and_its_text_is_not(
    bench: Bench, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write({"a.md": "# A\n\nThe zebrafish swims.\n"})
    bench.index()
    with bench.opened() as engine:
        monkeypatch.setattr(library_search, "SLOW_MS", float("inf"))
        engine.search(Query("zebrafish"), PROFILES["lexical_only"])
        assert lines("search") == []
        monkeypatch.setattr(library_search, "SLOW_MS", -1.0)
        engine.search(Query("zebrafish"), PROFILES["lexical_only"])
    (line,) = lines("search")
    assert line.startswith("a search by lexical_only with 1 hits took ") and "zebrafish" not in line


def test_a_search_that_did_without_a_part_is_logged(bench: Bench, lines: Lines) -> None:
    bench.write({"a.md": "# A\n\nThe zebrafish swims.\n"})
    bench.index()
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        assert engine.search(Query("zebrafish"), PROFILES["hybrid"]).degraded
    degraded = [line for line in lines("search") if line.startswith("a search was degraded: dense: the vectors were")]
    assert len(degraded) == 1 and "zebrafish" not in degraded[0]


def test_what_was_damaged_and_mended_is_logged(bench: Bench, lines: Lines) -> None:
    bench.write({"a.md": "# A\n\nalpha\n"})
    bench.index()
    apsw.Connection(str(bench.library)).execute("delete from lexical")
    with bench.opened() as engine:
        engine.repair()
        assert engine.store.check() == ()
    assert lines("engine")[-1] == "mended: the word index"
    assert any(line.startswith("damaged: ") for line in lines("engine"))


def test_a_job_that_is_given_up_is_logged(bench: Bench, lines: Lines) -> None:
    def failing(job: Job) -> None:
        raise OSError("no space")

    with bench.opened() as engine:
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "all", {})
        pace = Jobs(max_attempts=1)
        worker = JobWorker(engine.store, engine.project.id, "w", {JobKind.EMBED: failing}, pace, time.time)
        assert worker.run_due().dead == 1
    assert lines("jobs")[-1].endswith("(embed) is given up after 1 attempts")
