"""A library is restored while it is open elsewhere, and a search waits for its model before it reads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from engines import engine_over, wired
from numpy.typing import NDArray
from set_clock import SetClock

from octavo.embedding.hashing_embedder import HashingEmbedder
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import LibraryError
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.copy_backup_and_restore import restore, save_copy
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemoryCommitRequest, RecallRequest
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.stores.sqlite.store import SqliteStore

SETTINGS = {"embedding.provider": "hashing"}


def test_whoever_has_a_library_open_sees_what_is_restored_and_writes_where_others_read(tmp_path: Path) -> None:
    library, saved = tmp_path / "library.db", tmp_path / "saved.db"
    with open_library(library, create=True, settings=SETTINGS) as server:
        memory_commit(server, MemoryCommitRequest(text="The harbour opens at six."))
        save_copy(library, saved)
        memory_commit(server, MemoryCommitRequest(text="The boiler is in the cellar."))
        generation = server.store.generation()
        restore(saved, library, replace=True)
        assert [found.text for found in recall(server, RecallRequest("boiler harbour"))] == [
            "The harbour opens at six."
        ]
        assert server.store.generation() > generation
        memory_commit(server, MemoryCommitRequest(text="The lamp is on the roof."))
        with open_library(library, settings=SETTINGS) as other:
            assert [found.text for found in recall(other, RecallRequest("lamp"))] == ["The lamp is on the roof."]
            assert other.store.check() == ()
    with open_library(library.with_name("library.db.before-restore"), settings=SETTINGS) as before:
        assert len(recall(before, RecallRequest("boiler")).memories) == 1


def test_a_restore_leaves_nothing_beside_the_saved_file(tmp_path: Path) -> None:
    library, saved = tmp_path / "library.db", tmp_path / "backups" / "saved.db"
    saved.parent.mkdir()
    with open_library(library, create=True, settings=SETTINGS) as server:
        memory_commit(server, MemoryCommitRequest(text="The harbour opens at six."))
    save_copy(library, saved)
    restore(saved, library, replace=True)
    assert [path.name for path in saved.parent.iterdir()] == ["saved.db"]
    with open_library(saved, settings=SETTINGS) as used:
        memory_commit(used, MemoryCommitRequest(text="The boiler is in the cellar."))
        assert saved.with_name("saved.db-wal").stat().st_size  # what is only in the log is restored too
        restore(saved, library, replace=True)
    with open_library(library, settings=SETTINGS) as restored:
        assert len(recall(restored, RecallRequest("boiler")).memories) == 1


def test_a_restore_to_a_place_where_nothing_was_keeps_nothing_beside_it(tmp_path: Path) -> None:
    library, saved, place = tmp_path / "library.db", tmp_path / "saved.db", tmp_path / "elsewhere" / "library.db"
    with open_library(library, create=True, settings=SETTINGS) as server:
        memory_commit(server, MemoryCommitRequest(text="The harbour opens at six."))
    save_copy(library, saved)
    restore(saved, place)
    assert [path.name for path in place.parent.iterdir()] == ["library.db"]


def test_a_library_whose_file_was_replaced_is_not_written_any_more(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    SqliteStore(tmp_path / "other.db").close()
    (tmp_path / "other.db").replace(tmp_path / "library.db")
    with pytest.raises(LibraryError, match="replaced or removed while it was open"), store.transaction():
        pass
    store.close()


def test_a_search_waits_for_its_model_before_it_begins_to_read(tmp_path: Path) -> None:
    clock = SetClock()
    store = SqliteStore(tmp_path / "library.db", clock=clock)
    reading: list[int] = []

    class Asked(HashingEmbedder):
        def embed_query(self, text: str) -> NDArray[np.float32]:
            reading.append(len(store.database.connections.in_use))
            return super().embed_query(text)

    engine = engine_over(store, wired(tmp_path), clock, embedder=Asked)
    memory_commit(engine, MemoryCommitRequest(text="The boiler is in the cellar."))
    engine.search(Query("boiler"))
    reading.clear()
    assert engine.search(Query("cellar")).hits
    assert reading == [0]
    engine.close()


def test_a_process_that_has_the_library_open_searches_the_restored_one(tmp_path: Path) -> None:
    """With a snapshot and cached vectors of what was there before, whose numbers the restored library uses again."""
    library, saved, notes = tmp_path / "library.db", tmp_path / "saved.db", tmp_path / "notes"
    notes.mkdir()

    def write(names: str) -> None:
        for name in names:
            (notes / f"{name}.md").write_text(f"# Note {name}\n\nThe {name * 7} harbour.\n", "utf-8")

    def found(engine: Engine, name: str) -> list[str]:
        profiles = ("lexical_only", "dense_only")
        hits = [engine.search(Query(f"{name * 7} harbour", limit=1), PROFILES[profile]).hits for profile in profiles]
        return [hit.citation.uri for those in hits for hit in those]

    settings = SETTINGS | {"snapshots.threshold": 1}
    with open_library(library, create=True, settings=settings) as server:
        server.add_collection("notes", notes)
        write("ab")
        server.index()
        save_copy(library, saved)
        write("cdef")
        server.index()
        assert server.accelerator is not None
        server.accelerator.upkeep.publish(NoProgress(), full=True)
        assert found(server, "c") == ["c.md", "c.md"]
        restore(saved, library, replace=True)
        for name in "cdef":
            (notes / f"{name}.md").unlink()
        write("xyz")
        with open_library(library, settings=settings) as other:
            other.index()
        for name in "abxyz":
            assert found(server, name) == [f"{name}.md", f"{name}.md"]
        assert server.store.check() == ()


def test_backups_and_restores_of_one_place_at_once_each_write_a_whole_library(tmp_path: Path) -> None:
    library, saved = tmp_path / "library.db", tmp_path / "saved.db"
    with open_library(library, create=True, settings=SETTINGS) as engine:
        memory_commit(engine, MemoryCommitRequest(text="The harbour opens at six."))
    save_copy(library, saved)
    tasks = [partial(save_copy, library, tmp_path / "copy.db", replace=True)] * 3
    tasks += [partial(restore, saved, library, replace=True)] * 3
    with ThreadPoolExecutor(len(tasks)) as threads:
        for done in [threads.submit(task) for task in tasks]:
            done.result(timeout=120)
    for place in (library, tmp_path / "copy.db"):
        with open_library(place, settings=SETTINGS) as engine:
            assert len(recall(engine, RecallRequest("harbour")).memories) == 1
            assert engine.store.check() == ()
    assert not list(tmp_path.glob("*.new*"))
