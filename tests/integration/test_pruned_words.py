"""What was removed and pruned is gone from the file: no word of it is left for whoever reads the bytes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from octavo.engine.wiring import open_library
from octavo.model.ids import ChunkKey
from octavo.model.job import JobKind, JobState
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.requests import DbPruneRequest
from octavo.operations.database.upgrade_repair_and_prune import db_prune
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.stores.sqlite import token_block_and_fts5_compaction
from octavo.stores.sqlite.database import SqliteDatabase

SETTINGS = {"embedding.provider": "hashing"}
WORDS = (b"quixotine", b"pomegranular", b"xylofern", b"zanzibarite", b"formula.md")


def left_in(folder: Path) -> dict[str, list[bytes]]:
    found = {file.name: [word for word in WORDS if word in file.read_bytes().lower()] for file in folder.glob("l.db*")}
    return {name: words for name, words in found.items() if words}


def test_no_word_of_a_removed_document_is_left_after_pruning(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe harbour of day {number}.\n", "utf-8")
    secret = folder / "formula.md"
    secret.write_text("# Zanzibarite\n\nThe quixotine is [[xylofern]], and pomegranular.\n", "utf-8")
    with open_library(tmp_path / "l.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        secret.unlink()
        engine.index()
        assert left_in(tmp_path)
        db_prune(engine, DbPruneRequest(keep=0, dry_run=True))
        assert left_in(tmp_path)
        db_prune(engine, DbPruneRequest(keep=0))
        assert left_in(tmp_path) == {}
        assert engine.store.check() == ()
        (folder / "new.md").write_text("# New\n\nWritten afterwards.\n", "utf-8")
        engine.index()
        assert engine.store.check() == ()


def test_a_file_that_is_saved_again_and_again_does_not_make_the_library_grow(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    with open_library(tmp_path / "l.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        for save in range(40):
            parts = (f"# Part {part}\n\nSaved {save} with word{save}x{part}.\n" for part in range(100))
            (folder / "journal.md").write_text("\n".join(parts), "utf-8")
            engine.index(embed=False)
        database = engine.store.database  # type: ignore[attr-defined]
        ((entries,),) = database.rows("lexical_block_entries")
        ((chunks,),) = database.rows("chunks_in_all_projects")
        assert chunks > 0
        assert entries <= 2 * chunks + 512
        assert engine.store.check() == ()


def test_jobs_that_are_done_are_pruned(tmp_path: Path) -> None:
    with open_library(tmp_path / "l.db", create=True, settings=SETTINGS) as engine:
        outbox, project = engine.store.outbox, engine.project.id
        with engine.store.transaction():
            outbox.enqueue(project, JobKind.EMBED, "s", {})
            for job in outbox.claim(project, "w", lease_seconds=60.0, limit=1, max_attempts=3):
                outbox.finish(job)
            outbox.enqueue(project, JobKind.EMBED, "s", {})
        db_prune(engine, DbPruneRequest())
        assert [job.state for job in outbox.jobs(project)] == [JobState.READY]


def test_words_that_another_process_writes_while_blocks_are_compacted_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "first.md").write_text("# First\n\nThe harbour.\n", "utf-8")
    newest_blocks = token_block_and_fts5_compaction.newest_blocks
    with (
        open_library(tmp_path / "l.db", create=True, settings=SETTINGS | {"snapshots.threshold": 1}) as engine,
        open_library(tmp_path / "l.db", settings=SETTINGS) as other,
    ):
        engine.add_collection("notes", folder)
        engine.index()

        def meanwhile() -> None:
            (folder / "second.md").write_text("# Second\n\nThe boiler.\n", "utf-8")
            other.index()

        def read(database: SqliteDatabase) -> Mapping[ChunkKey, int]:
            found = newest_blocks(database)
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()
            return found

        monkeypatch.setattr(token_block_and_fts5_compaction, "newest_blocks", read)
        engine.store.compact(fully=True)
        assert engine.accelerator is not None
        assert engine.accelerator.upkeep.publish(NoProgress(), full=True).chunks == 2
        assert [hit.citation.uri for hit in engine.search(Query("boiler"), PROFILES["lexical_only"]).hits] == [
            "second.md"
        ]
        assert engine.store.check() == ()


def test_words_are_in_one_segment_once_a_library_is_large_enough_for_a_snapshot(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    with open_library(tmp_path / "l.db", create=True, settings=SETTINGS | {"snapshots.threshold": 6}) as engine:
        engine.add_collection("notes", folder)
        database = engine.store.shared
        assert isinstance(database, SqliteDatabase)
        segments = []
        for number in range(6):
            (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe harbour of day {number}.\n", "utf-8")
            engine.index()
            with database.connection() as connection:
                segments.append(connection.execute("select count(distinct segid) from lexical_idx").get)
        assert max(segments[:-1]) > 1
        assert segments[-1] == 1
        assert len(engine.search(Query('"harbour of day"'), PROFILES["lexical_only"]).hits) == 6
