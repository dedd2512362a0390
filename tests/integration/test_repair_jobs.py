"""Damage that somebody meets is mended by a job, while the library goes on answering."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import apsw
import pytest

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend
from octavo.engine.wiring import open_library
from octavo.model.indexing_ledger import LedgerEntry
from octavo.model.job import JobKind, JobState
from octavo.model.library_damage import LibraryPart
from octavo.observability.progress import NoProgress
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.library.doctor import health_checks
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

SETTINGS = {"embedding.provider": "hashing"}
LOST_MEMORIES = (
    "update texts set data = randomblob(length(data)) where hash in (select text_hash from memory_versions)",
    "update memory_texts set data = randomblob(length(data))",
)
DAMAGES = {
    "vectors": "update vectors set data = randomblob(length(data))",
    "blocks": "update lexical_blocks set data = randomblob(length(data))",
    "spans": "update chunks set end = end + 1",
    "lines": "update chunks set first_line = first_line + 3",
    "words": "delete from lexical",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(8):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe lamp {number} stands near [[{number + 1}]].\n")
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", notes)
        remember(engine, RememberRequest(text="The boiler stands in the cellar."))
        engine.index()
        work(engine, Jobs())
    return tmp_path / "library.db"


def hurt(library: Path, statement: str) -> None:
    connection = apsw.Connection(str(library))
    connection.execute(statement)
    connection.close()


def repairs(engine: Engine) -> list[str]:
    jobs = engine.store.outbox.jobs(engine.project.id, [JobState.READY])
    return [job.subject for job in jobs if job.kind is JobKind.REPAIR]


def test_a_search_that_meets_a_damaged_word_index_has_it_mended(library: Path) -> None:
    hurt(library, "update lexical_data set block = randomblob(length(block))")
    with open_library(library, settings=SETTINGS) as engine:
        found = search(engine, SearchRequest("lamp"))
        assert found.hits and found.degraded
        assert repairs(engine) == ["library"]
        work(engine, Jobs())
        assert damage(engine) == ()
        assert search(engine, SearchRequest("lamp")).degraded is None
        assert [hit.uri for hit in search(engine, SearchRequest("boiler")).hits][:1] != []


@pytest.mark.parametrize("part", DAMAGES)
def test_damage_that_the_doctor_finds_is_mended_by_a_job(part: str, library: Path) -> None:
    hurt(library, DAMAGES[part])
    with open_library(library, settings=SETTINGS) as engine:
        assert [check.name for check in health_checks(engine) if not check.ok] == ["library"]
        assert repairs(engine) == ["library"]
        work(engine, Jobs())
        assert damage(engine) == ()
        assert engine.store.outbox.jobs(engine.project.id, [JobState.DEAD]) == ()


def test_a_text_that_cannot_be_made_again_is_left_for_a_person(library: Path) -> None:
    for statement in LOST_MEMORIES:
        hurt(library, statement)
    with open_library(library, settings=SETTINGS) as engine:
        assert not health_checks(engine)[0].ok
        work(engine, Jobs(max_attempts=1))
        (job,) = engine.store.outbox.jobs(engine.project.id, [JobState.DEAD])
        assert (job.kind, "not everything could be mended" in job.error) == (JobKind.REPAIR, True)
    connection = apsw.Connection(str(library))
    held = "select count(*) from texts where hash in (select text_hash from memory_versions)"
    assert connection.execute(held).get == 1  # its bytes are still there for `octavo db repair`


def test_a_file_that_left_while_the_library_was_mended_takes_its_document_with_it(library: Path) -> None:
    hurt(library, DAMAGES["lines"])
    (library.parent / "notes" / "3.md").unlink()
    with open_library(library, settings=SETTINGS) as engine:
        mend(engine)
        assert [entry.uri for entry in ledger(engine).values()] == [
            f"{number}.md" for number in range(8) if number != 3
        ]
        assert "3.md" not in {hit.uri for hit in search(engine, SearchRequest("lamp 3", limit=20)).hits}


def test_the_ledger_keeps_its_documents_while_they_are_read_again(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurt(library, DAMAGES["lines"])
    with open_library(library, settings=SETTINGS) as engine:
        monkeypatch.setattr(Engine, "index", lambda *_, **__: None)  # a process that ends before it has read them
        mend(engine)
        assert all(entry.document_id is not None for entry in ledger(engine).values())


def test_a_check_sees_one_state_while_another_process_writes(library: Path) -> None:
    class Rewriting(NoProgress):
        def start(self, phase: str, total: int | None, unit: str = "") -> None:
            if phase == "documents":
                hurt(library, DAMAGES["lines"])  # as another process would write between two queries

    with open_library(library, settings=SETTINGS) as engine:
        assert [
            found for found in engine.store.damage(progress=Rewriting()) if found.part is LibraryPart.DOCUMENTS
        ] == []


def ledger(engine: Engine) -> Mapping[str, LedgerEntry]:
    (notes,) = (collection for collection in engine.collections() if collection.name == "notes")
    return engine.store.ledger.entries(engine.project.id, notes.id)
