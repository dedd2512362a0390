"""Searchable at once, best soon: fast vectors stand in for full ones, and go as those come."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workbench import several_processes

from octavo.config.schema import Jobs
from octavo.engine import library_search
from octavo.engine.engine import Engine
from octavo.engine.indexing import full_vector_upgrade
from octavo.engine.open_project_library import OpenLibrary
from octavo.engine.search.index_freshness import learning
from octavo.engine.wiring import open_library
from octavo.fast_dataclass import replace
from octavo.ingest import provisional_fast_vectors as fast
from octavo.model.ids import ChunkKey
from octavo.model.query import Query
from octavo.model.search_result import Freshness
from octavo.model.stored_rows import StoredVectors
from octavo.observability.progress import NoProgress
from octavo.operations.answering.ask import ask
from octavo.operations.answering.requests import AskRequest
from octavo.operations.jobs import list_retry_and_run_jobs
from octavo.operations.library.results import IndexingRun
from octavo.operations.library.status import full_status
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.retrieval.profiles_by_name import PROFILES

PACE = Jobs(lease_seconds=60, retry_seconds=1, max_retry_seconds=1, max_attempts=2, batch=4, poll_seconds=0.1)
NOTES = {
    "bread.md": "The dough rests overnight and is baked in the morning.",
    "moon.md": "The moon is best seen through a telescope at half phase.",
    "garden.md": "Prune the apple tree in late winter, before the buds open.",
    "harbour.md": "The harbour pilot comes aboard an hour before high water.",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fast, "AT_ONCE", 2)
    made = tmp_path / "notes"
    made.mkdir()
    for age, (name, text) in enumerate(NOTES.items()):
        (made / name).write_text(f"# {name}\n\n{text}\n")
        os.utime(made / name, (1_700_000_000 - age, 1_700_000_000 - age))
    return made


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[Engine]:
    named = {name.replace("__", "."): value for name, value in settings.items()}
    with open_library(folder.parent / "library.db", create=True, settings=named) as engine:
        if not engine.collections():
            engine.add_collection("notes", folder)
        yield engine


def fast_vectors(engine: Engine) -> StoredVectors:
    profile = engine.library.active.fast_profile
    assert profile is not None
    return engine.store.embeddings.vectors(engine.project.id, profile, 0)


def fast_rows(engine: Engine) -> int:
    return len(fast_vectors(engine).keys)


def full(engine: Engine) -> list[str]:
    """The notes that have their full vector."""
    store, project = engine.store, engine.project.id
    waiting = set(store.embeddings.pending(project, engine.embedder.profile))
    keys = [chunk for chunk, key in store.embeddings.assignments(project).tolist() if key not in waiting]
    return sorted(candidate.uri for candidate in store.documents.candidates(project, keys).values())


def test_many_chunks_get_fast_vectors_at_once_and_full_ones_from_whoever_works(folder: Path) -> None:
    with opened(folder) as engine:
        assert engine.index().embedded == 0
        assert (fast_rows(engine), full(engine)) == (4, [])
        answer = engine.search(Query("telescope for the moon"), PROFILES["dense_only"])
        assert answer.hits[0].citation.uri == "moon.md"
        assert answer.trace[0].detail["fast_vectors"] == "4 of 4"
        assert (answer.freshness.pending, answer.freshness.full_vectors) == (4, 0.0)
        engine.job_worker("test", PACE).run(threading.Event(), until_idle=True)
        assert (fast_rows(engine), full(engine)) == (0, sorted(NOTES))
        answer = engine.search(Query("telescope for the moon"), PROFILES["dense_only"])
        assert answer.hits[0].citation.uri == "moon.md"
        assert "fast_vectors" not in answer.trace[0].detail
        assert (answer.freshness.pending, answer.freshness.full_vectors) == (0, 1.0)


def test_processes_that_prepare_files_make_the_same_fast_vectors_on_the_way(folder: Path, tmp_path: Path) -> None:
    with opened(folder) as engine:
        assert engine.index().fast == 4
        alone = fast_vectors(engine)
    (tmp_path / "library.db").unlink()
    with opened(folder, ingest__workers=2) as engine:
        several_processes(engine)
        report = engine.index()
        assert (report.fast, report.collections[0].fast_vectors) == (4, 4)
        together = fast_vectors(engine)
        assert engine.index(reread=True).fast == 0
    assert together.matrix.tolist() == alone.matrix.tolist()


def test_an_input_that_was_met_before_gets_no_fast_vector_on_the_way(folder: Path) -> None:
    with opened(folder, ingest__workers=2) as engine:
        several_processes(engine)
        engine.index(wait_full=True)
        assert fast_rows(engine) == 0
        (folder / "again.md").write_text((folder / "moon.md").read_text())
        (folder / "more.md").write_text("# more\n\nSomething else altogether.\n")
        assert engine.index(embed=True).collections[0].fast_vectors == 1
        assert full(engine) == sorted([*NOTES, "again.md", "more.md"])


def test_waiting_for_full_vectors_leaves_no_fast_one(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        assert fast_rows(engine) == 4
        assert engine.index(wait_full=True).embedded == 4
        assert (fast_rows(engine), full(engine)) == (0, sorted(NOTES))


def test_what_changed_last_is_upgraded_first(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["bread.md"]
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["bread.md", "moon.md"]


def test_status_says_how_long_the_rest_takes_at_the_pace_of_whoever_computes_it(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        (told,) = full_status(engine).advisories
        assert told.message.startswith("4 passages are found by") and "takes about" not in told.message
        engine.writer.upgrade(1)
    with opened(folder) as engine:  # another process knows it too
        (told,) = full_status(engine).advisories
        assert told.message.startswith("3 passages are found by")
        assert re.search(r"that takes about \d+ seconds? more$", told.message)


def test_status_says_how_much_of_the_library_is_learnt_and_not_how_far_a_short_run_is(folder: Path) -> None:
    told: list[IndexingRun | None] = []

    class Watching(NoProgress):
        def __init__(self, engine: Engine) -> None:
            self.engine = engine

        def start(self, phase: str, total: int | None, unit: str) -> None:
            told.append(full_status(self.engine).job)

    with opened(folder) as engine:
        engine.index()
        engine.writer.upgrade(1)
        engine.writer.embed(1, progress=Watching(engine))
    assert [(run.phase, run.done, run.total) for run in told if run is not None] == [("embedding", 1, 4)]


def test_what_was_found_most_often_is_upgraded_before_what_changed_last(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        engine.search(Query("harbour pilot", limit=1))
        engine.search(Query("pilot", limit=1))
        engine.search(Query("apple tree", limit=1))
    with opened(folder) as engine:  # counted across processes
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["harbour.md"]
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["garden.md", "harbour.md"]
        engine.search(Query("moon", limit=1))
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["garden.md", "harbour.md", "moon.md"]


def test_the_best_candidates_get_their_full_vector_before_a_search_says_that_nothing_matches(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        result = engine.search(Query("what is the capital of Mongolia?"))
        assert (result.hits, result.freshness.pending) == ((), 0)
        assert full(engine) == sorted(NOTES)
        assert fast_rows(engine) == 0


def test_a_search_waits_for_no_more_full_vectors_than_it_has_time_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_vector_upgrade, "JUDGED_AT_ONCE", 2)
    monkeypatch.setattr(library_search, "JUDGED_WITHIN", {False: 0.0, True: 600.0})
    with opened(folder) as engine:
        engine.index()
        question = Query("what is the capital of Mongolia?")
        assert engine.search(question).freshness.pending == len(NOTES) - 2
        assert len(full(engine)) == 2
        assert engine.search(replace(question, judged_in_full=True)).freshness.pending == 0


def test_what_is_found_for_sure_is_not_waited_for(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        assert engine.search(Query("harbour pilot")).hits[0].citation.uri == "harbour.md"
        assert full(engine) == []


def test_an_answer_is_made_from_passages_that_are_judged_by_their_full_vectors(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        answer = ask(engine, AskRequest("harbour pilot"))
        assert answer.answered and full(engine) == sorted(NOTES)


def test_a_search_that_was_recorded_is_replayed_as_it_was_judged_in_the_end(folder: Path) -> None:
    with opened(folder) as engine:
        engine.index()
        question = Query("when should fruit trees be cut?", judged_in_full=True)
        result, recording = engine.record(question, PROFILES["hybrid"])
        assert full(engine) == sorted(NOTES)
        assert engine.replay(recording).hits == result.hits == engine.search(question).hits != ()


@pytest.mark.parametrize(
    ("pending", "seconds", "words"),
    [
        (0, None, ""),
        (1, None, "1 passage not learnt yet"),
        (3_944, None, "3,944 passages not learnt yet"),
        (3_944, 236, "still learning 3,944 passages, about 4 minutes"),
        (100, 61, "still learning 100 passages, about 1 minute"),
        (2, 1, "still learning 2 passages, about 1 second"),
        (900_000, 9_000, "still learning 900,000 passages, about 2.5 hours"),
    ],
)
def test_what_is_still_to_be_learnt_is_said_in_plain_words(pending: int, seconds: int | None, words: str) -> None:
    assert learning(Freshness(1, pending, 0, 0.5, seconds_left=seconds)) == words


def test_nothing_is_counted_where_that_is_switched_off(folder: Path) -> None:
    with opened(folder, retrieval__count_hits=False) as engine:
        engine.index()
        engine.search(Query("harbour pilot", limit=1))
        assert engine.writer.upgrade(1) == 1
        assert full(engine) == ["bread.md"]


def test_a_constrained_machine_computes_no_full_vector_whoever_asks(folder: Path) -> None:
    with opened(folder, embedding__constrained="on") as engine:
        engine.index()
        (folder / "new.md").write_text("# New\n\nA lantern beside the door.\n")
        engine.writer.index_changes({"notes": ["new.md"]})
        assert engine.writer.embed(10) == 0
        engine.job_worker("test", PACE).run(threading.Event(), until_idle=True)
        assert (fast_rows(engine), full(engine)) == (5, [])
        found = engine.search(Query("light at the entrance"), PROFILES["dense_only"])
        assert found.hits[0].citation.uri == "new.md"


def test_a_question_waits_once_for_full_vectors_though_it_is_searched_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def computed(library: OpenLibrary, chunks: Sequence[ChunkKey], seconds: float) -> int:
        waits.append(seconds)
        return embed_candidates(library, chunks[:1], seconds)

    embed_candidates = full_vector_upgrade.embed_candidates
    monkeypatch.setattr(full_vector_upgrade, "embed_candidates", computed)
    with opened(folder) as engine:
        engine.index()
        assert ask(engine, AskRequest("harbour pilot")).answered
        assert waits == [library_search.JUDGED_WITHIN[True]]


def test_a_memory_does_not_wait_for_the_vectors_of_what_was_indexed_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_vector_upgrade, "JUDGED_AT_ONCE", 1)
    monkeypatch.setattr(list_retry_and_run_jobs, "A_FEW", 1)
    monkeypatch.setattr(list_retry_and_run_jobs, "A_MOMENT", 0.0)
    with opened(folder) as engine:
        engine.index()
        written = remember(engine, RememberRequest("The lantern hangs beside the door."))
        assert list_retry_and_run_jobs.work_shortly(engine, PACE) == ""
        assert full(engine) == [f"{written.item}.md"]
