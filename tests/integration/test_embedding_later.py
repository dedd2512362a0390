"""A library that was indexed without embedding, and embedded afterwards, is the one that was indexed at once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from octavo.config.schema import Jobs
from octavo.engine.wiring import open_library
from octavo.model.job import JobKind, JobState
from octavo.operations.jobs.list_retry_and_run_jobs import work

ROOT = Path(__file__).parents[2]
VAULT = ROOT / "examples" / "vault"
SETTINGS = {"embedding.provider": "hashing", "ingest.workers": 1}

_ASKED = (
    "select * from documents",
    "select * from sections",
    "select * from chunks",
    "select * from inputs",
    "select * from chunk_inputs",
    "select * from vectors",
    "select * from library where name <> 'generation'",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes, code, configuration, and a table too long for one window."""
    made = tmp_path / "folder"
    shutil.copytree(VAULT, made)
    shutil.copy(ROOT / "pyproject.toml", made / "settings.toml")
    shutil.copy(Path(__file__), made / "code.py")
    rows = "".join(f"| word {number} | another word {number * 7} |\n" for number in range(400))
    (made / "long.md").write_text(
        f"# A title\n\n## A heading that is not short\n\n| a | b |\n|---|---|\n{rows}", "utf-8"
    )
    return made


def held(library: Path) -> dict[str, list[Any]]:
    """Every row of what is written, cut, embedded and counted, with its number."""
    connection = apsw.Connection(str(library), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {asked.split()[3]: list(connection.execute(asked)) for asked in _ASKED}
    finally:
        connection.close()


def test_embedding_later_gives_the_same_chunks_inputs_and_vectors(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "once.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    with open_library(tmp_path / "later.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        project, profile = engine.project.id, engine.embedder.profile
        covered, total = engine.store.embeddings.coverage(project, profile)
        assert covered == 0 and total > 50
        assert not held(tmp_path / "later.db")["chunk_inputs"]
        engine.index()
        assert engine.store.embeddings.coverage(project, profile) == (total, total)
    once = held(tmp_path / "once.db")
    assert len(once["chunk_inputs"]) > len(once["chunks"])
    assert held(tmp_path / "later.db") == once


def test_a_worker_embeds_what_a_run_without_embedding_left_to_it(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        work(engine, Jobs())
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    assert covered == total > 50


def test_vectors_are_promised_where_the_last_count_still_says_that_none_is_missing(
    folder: Path, tmp_path: Path
) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        assert engine.freshness().full_vectors == 1.0
        engine.reader.counts.counting_seconds = (
            60.0  # as in a library so large that it is counted beside everything else
        )
        engine.index(embed=False)
        jobs = engine.store.outbox.jobs(engine.project.id, [JobState.READY])
    assert JobKind.EMBED in {job.kind for job in jobs}


def test_a_job_that_embeds_makes_what_was_left_out(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        assert engine.writer.upgrade(10_000) > 50
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    assert covered == total


def test_a_file_that_moves_in_a_run_without_embedding_keeps_its_vectors(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        (folder / "code.py").rename(folder / "other.py")
        engine.index(embed=False)
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    assert covered == total


def test_an_edit_without_embedding_takes_no_vector_from_what_stayed_the_same(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        with (folder / "long.md").open("a", encoding="utf-8") as file:
            file.write("\n## Another heading\n\nJust written.\n")
        engine.index(embed=False)
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
        assert covered == total - 1
        engine.index()
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    assert covered == total


def test_a_file_that_moves_while_its_chunks_wait_is_embedded_under_its_new_name(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        (folder / "code.py").rename(folder / "other.py")
        engine.index(embed=False)
        assert engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)[0] == 0
        engine.index()
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    assert covered == total


def test_an_edit_that_is_embedded_leaves_the_rest_to_be_made(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        (folder / "new.md").write_text("# New\n\nJust written.\n", "utf-8")
        engine.writer.index_changes({"notes": ["new.md"]})
        covered, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
        assert covered == 1
        engine.index()
        assert engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile) == (total, total)
        assert engine.store.embeddings.postponed(engine.project.id, 0, 1) == ()


def test_nobody_looks_for_chunks_that_went_before_they_were_given_inputs(folder: Path, tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index(embed=False)
        assert "inputs_postponed" in dict(held(tmp_path / "library.db")["library"])
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "new.md").write_text("# New\n\nAll there is.\n", "utf-8")
        engine.index()
        assert "inputs_postponed" not in dict(held(tmp_path / "library.db")["library"])
