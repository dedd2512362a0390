"""What was removed and pruned is gone from the file: no word of it is left for whoever reads the bytes."""

from __future__ import annotations

from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.model.job import JobKind, JobState
from octavo.operations.database.pruning import prune
from octavo.operations.database.requests import PruneRequest

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
        prune(engine, PruneRequest(keep=0, dry_run=True))
        assert left_in(tmp_path)
        prune(engine, PruneRequest(keep=0))
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
        database = engine.store._database  # type: ignore[attr-defined]
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
        prune(engine, PruneRequest())
        assert [job.state for job in outbox.jobs(project)] == [JobState.READY]
