"""What a status advises, and what a machine with little memory does without."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from octavo.embedding.static_token_table_choice import fast_tier
from octavo.engine.engine import Engine
from octavo.engine.indexing.full_vector_upgrade import make_inputs
from octavo.engine.processes import low_memory_detection
from octavo.engine.wiring import open_library
from octavo.ingest.prepared_file_batches import BATCH_FILES
from octavo.ingest.provisional_fast_vectors import embed_fast
from octavo.observability.progress import NoProgress
from octavo.operations.library.indexing import index
from octavo.operations.library.requests import IndexRequest, StatusRequest
from octavo.operations.library.status import full_status, status
from octavo.operations.operation_lookup import OPERATIONS

HASHING = {"embedding.provider": "hashing"}


def notes(folder: Path) -> Path:
    made = folder / "notes"
    made.mkdir()
    for number in range(3):
        (made / f"{number}.md").write_text(f"# Note {number}\n\nAbout harbour {number}.\n")
    return made


def test_a_library_that_lacks_nothing_is_advised_nothing(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=HASHING) as engine:
        engine.add_collection("notes", notes(tmp_path))
        engine.index()
        assert full_status(engine).advisories == ()


class StoppedOnce(NoProgress):
    """Ctrl-C as soon as a part of the new documents is in the library."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.before = engine, engine.store.counts(engine.project.id).documents

    def advance(self, n: int = 1, note: str = "") -> None:
        if self.engine.store.counts(self.engine.project.id).documents > self.before:
            raise KeyboardInterrupt


def test_a_folder_that_was_not_read_to_its_end_is_named_until_it_is(tmp_path: Path) -> None:
    folder = notes(tmp_path)
    for number in range(3, BATCH_FILES + 10):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nAbout harbour {number}.\n")
    with open_library(tmp_path / "library.db", create=True, settings=HASHING) as engine:
        engine.add_collection("notes", folder)
        (advised,) = full_status(engine).advisories
        assert (advised.level, str(advised)) == ("warn", "notes has not been read yet; run `octavo index`")

        with pytest.raises(KeyboardInterrupt):
            engine.index(progress=StoppedOnce(engine))
        assert 0 < engine.store.counts(engine.project.id).documents < BATCH_FILES + 10
        advised = full_status(engine).advisories[0]
        assert str(advised) == "notes was not read to its end: the rest is not found; run `octavo index`"

        folder.rename(tmp_path / "away")  # an index would not help
        assert [told for told in full_status(engine).advisories if told.command == "octavo index"] == []
        (tmp_path / "away").rename(folder)
        with engine.builds.alone("changed"):  # it is being read at this moment
            assert [told for told in full_status(engine).advisories if told.command == "octavo index"] == []

        engine.index()
        assert full_status(engine).advisories == ()


def test_an_advisory_that_cannot_be_made_is_said_and_costs_no_answer(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=HASHING) as engine:
        engine.add_collection("notes", notes(tmp_path))
        engine.index()
        apsw.Connection(str(tmp_path / "library.db")).execute("alter table summaries rename to elsewhere")
        (told,) = full_status(engine).advisories
        assert (told.level, told.command) == ("warn", "octavo doctor")
        assert told.message.startswith("what to advise about summaries could not be found out: ")
        assert index(engine, IndexRequest(), NoProgress()).advisories == (told,)


def test_a_large_library_without_a_snapshot_is_told_the_command(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True, settings=HASHING) as engine:
        engine.add_collection("notes", notes(tmp_path))
        engine.index()
    with open_library(tmp_path / "library.db", settings={**HASHING, "snapshots.threshold": 2}) as engine:
        (told,) = full_status(engine).advisories
        assert (told.level, told.command) == ("warn", "octavo snapshots build")
        assert "octavo snapshots build" in OPERATIONS["status"].written(status(engine, StatusRequest()))
        assert engine.accelerator is not None
        engine.index()  # nothing changed on the disk; the snapshot is due all the same
        assert full_status(engine).advisories == ()


def test_what_waits_for_its_vector_is_told_to_be_found_by_what_there_is(tmp_path: Path) -> None:
    with open_library(tmp_path / "library.db", create=True) as engine:
        engine.add_collection("notes", notes(tmp_path))
        engine.index(embed=False)
        (told,) = full_status(engine).advisories
        assert "found by their words until" in told.message
        fast = fast_tier(engine.embedder)
        assert fast is not None
        make_inputs(engine.library, NoProgress())
        embed_fast(engine.store, engine.project.id, fast, engine.embedder.profile, NoProgress())
        (told,) = full_status(engine).advisories
        assert "found by their words and a rough meaning until" in told.message


def test_constrained_mode_computes_no_full_vectors_and_says_so(tmp_path: Path) -> None:
    settings = {**HASHING, "embedding.constrained": "on"}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("notes", notes(tmp_path))
        assert engine.index().embedded == 0
        (told,) = full_status(engine).advisories
        assert told.message == "constrained mode is on: full vectors are not computed, fast ones and words are searched"
    with open_library(tmp_path / "library.db", settings={**settings, "embedding.fast": False}) as engine:
        (told,) = full_status(engine).advisories
        assert told.message == "constrained mode is on: full vectors are not computed, words alone are searched"


def test_constrained_mode_cuts_chunks_half_as_long(tmp_path: Path) -> None:
    folder = notes(tmp_path)
    (folder / "long.md").write_text("# Long\n\n" + "\n\n".join(f"Paragraph {n} of a long note." for n in range(200)))
    sizes = []
    for mode in ("off", "on"):
        settings = {**HASHING, "embedding.constrained": mode}
        with open_library(tmp_path / f"{mode}.db", create=True, settings=settings) as engine:
            engine.add_collection("notes", folder)
            engine.index()
            recipe = engine.recipe()
            sizes.append((recipe.sizes.hard_max, engine.store.counts(engine.project.id).chunks))
    (whole, few), (half, many) = sizes
    assert half < whole * 0.6
    assert many > few


@pytest.mark.parametrize(("left", "reason"), [(1_500_000_000, "only 1.5 GB of memory are free"), (3_000_000_000, "")])
def test_below_two_gigabytes_a_machine_is_constrained_by_itself(
    left: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low_memory_detection, "available_memory", lambda: left)
    assert low_memory_detection.low_memory("auto") == reason
    assert low_memory_detection.low_memory("off") == ""
    assert low_memory_detection.low_memory("on") == "constrained mode is on"
