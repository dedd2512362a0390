"""A watched folder: what is saved, moved, removed or ignored is in the library a moment later."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from git_repository import GitRepository
from patience import eventually
from workbench import GOOD, Bench, found

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.indexing.folder_watcher import MISSING, POLLING, WATCHING, QueuedPath, WatchedFolder
from octavo.engine.live_configuration_reload import reconfigure
from octavo.engine.open_project_library import OpenLibrary
from octavo.errors import StorageError
from octavo.ingest.collection_repository_watch import HistoryWatch
from octavo.ingest.indexing_report import CollectionReport, IndexReport
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.operations.note_editing.note_editing import doc_create, doc_rename
from octavo.operations.note_editing.requests import DocCreateRequest, DocRenameRequest

PATIENCE = 240.0
QUICK = {"watch": {"debounce_ms": 250, "poll_ms": 100}}


@dataclass
class Watched:
    """A watched engine, and every run that it did."""

    engine: Engine
    runs: list[CollectionReport] = field(default_factory=list)
    heard: threading.Condition = field(default_factory=threading.Condition)

    def tell(self, report: IndexReport) -> None:
        with self.heard:
            self.runs += report.collections
            self.heard.notify_all()

    def until(self, true: Callable[[], bool]) -> None:
        """Waits until it is true. What a run has written is found before its report is here."""
        with self.heard:
            assert self.heard.wait_for(true, PATIENCE), self.engine.watcher.state()

    def until_found(self, words: str, *uris: str) -> None:
        self.until(lambda: self.found(words) == list(uris))

    def found(self, words: str) -> list[str]:
        return sorted({hit.citation.uri for hit in found(self.engine, words, "lexical_only")})


@contextmanager
def watched(bench: Bench, **settings: object) -> Iterator[Watched]:
    with bench.opened(**{**QUICK, **settings}) as engine:
        watching = Watched(engine)
        engine.watcher.on_report = watching.tell
        engine.watcher.start()
        yield watching


def settled(bench: Bench) -> None:
    """What the watcher made is what a run over the whole folder would have made."""
    state, generation = bench.state(), bench.generation()
    report = bench.index()
    assert (report.added, report.changed, report.moved, report.removed) == (0, 0, 0, 0)
    assert (bench.state(), bench.generation()) == (state, generation)
    assert bench.problems() == ()


def test_what_happened_before_anybody_watched_is_found_at_the_start(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    bench.write({"late.md": "# Late\n\nzebrafish\n"})
    (bench.folder / "lamp.txt").unlink()
    with watched(bench) as watching:
        watching.until_found("zebrafish", "late.md")
        assert watching.found("switch") == []
    settled(bench)


@pytest.mark.parametrize("polling", [False, True])
def test_files_and_folders_are_followed_as_they_come_change_move_and_go(bench: Bench, polling: bool) -> None:
    bench.write(GOOD)
    with watched(bench, watch={**QUICK["watch"], "polling": polling}) as watching:
        watching.until_found("prune", "garden/apples.md")
        assert watching.engine.watcher.state().folders[0].state == (POLLING if polling else WATCHING)
        bench.write({"new/deep/down.md": "# Down\n\nzebrafish\n"})
        watching.until_found("zebrafish", "new/deep/down.md")
        bench.write({"new/deep/down.md": "# Down\n\nokapi now\n"})
        # A poll compares times by the second: what is saved twice within one is found when folders are compared.
        later = time.time() + 2
        os.utime(bench.folder / "new/deep/down.md", (later, later))
        watching.until_found("okapi", "new/deep/down.md")
        (bench.folder / "new").rename(bench.folder / "moved")
        watching.until_found("okapi", "moved/deep/down.md")
        shutil.rmtree(bench.folder / "moved")
        watching.until_found("okapi")
        assert watching.found("zebrafish") == []
    settled(bench)


def test_a_moved_folder_costs_no_second_reading(bench: Bench) -> None:
    bench.write({f"old/{number}.md": f"# Note {number}\n\nzebrafish\n" for number in range(5)})
    with watched(bench) as watching:
        watching.until_found("zebrafish", *(f"old/{number}.md" for number in range(5)))
        (bench.folder / "old").rename(bench.folder / "new")
        watching.until(lambda: sum(run.moved for run in watching.runs) == 5)
        assert watching.found("zebrafish") == [f"new/{number}.md" for number in range(5)]
        assert sum(run.added for run in watching.runs) == 5


def write_and_rename(path: Path, text: str) -> None:
    """As most editors save: aside, then over the old one."""
    aside = path.with_name(f".{path.name}.tmp~")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def with_swap_files(path: Path, text: str) -> None:
    """As vim saves: a swap file, a probe, a backup of the old file, a new file, and none of them but that left."""
    swap, probe, backup = path.with_name(f".{path.name}.swp"), path.with_name("4913"), path.with_name(f"{path.name}~")
    swap.write_bytes(b"b0VIM 9.0" + bytes(100))
    probe.write_bytes(b"")
    probe.unlink()
    path.rename(backup)
    path.write_text(text, "utf-8")
    backup.unlink()
    swap.unlink()


def truncate_and_write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.flush()
        file.write(text)


def remove_and_write(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("save", [write_and_rename, with_swap_files, truncate_and_write, remove_and_write])
def test_however_an_editor_saves_one_file_has_changed(bench: Bench, save: Callable[[Path, str], None]) -> None:
    bench.write(GOOD)
    with watched(bench) as watching:
        watching.until(lambda: sum(run.added for run in watching.runs) == len(GOOD))
        before = len(watching.runs)
        with watching.engine.watcher.condition:  # nobody looks in the middle of it, however long it takes
            save(bench.folder / "bread.md", "# Bread\n\nzebrafish\n")
        watching.until(lambda: any(run.changed for run in watching.runs[before:]))
        assert watching.found("zebrafish") == ["bread.md"]
        runs = watching.runs[before:]
        assert (sum(run.changed for run in runs), sum(run.added + run.removed for run in runs)) == (1, 0)
    settled(bench)


def test_what_is_not_indexed_wakes_nobody(bench: Bench) -> None:
    bench.write({**GOOD, ".gitignore": "ignored/\n"})
    with watched(bench) as watching:
        watching.until(lambda: sum(run.added for run in watching.runs) == len(GOOD))
        before, generation = len(watching.runs), watching.engine.store.generation()
        bench.write({"node_modules/a.md": "x\n", ".git/objects/ab": "x", "ignored/b.md": "x\n", "picture.png": "x"})
        bench.write({".bread.md.swp": "x", "bread.md~": "x"})
        with watching.engine.watcher.condition:
            bench.write({"last.md": "# Last\n\nzebrafish\n"})
        watching.until(lambda: len(watching.runs) > before)
        assert watching.found("zebrafish") == ["last.md"]
        assert [run.added for run in watching.runs[before:]] == [1]
        assert watching.engine.store.generation() > generation


def test_new_rules_are_applied_without_a_rebuild(bench: Bench) -> None:
    bench.write({**GOOD, "drafts/a.md": "# A\n\nzebrafish\n"})
    with watched(bench) as watching:
        watching.until_found("zebrafish", "drafts/a.md")
        bench.write({".octavoignore": "drafts/\n"})
        watching.until_found("zebrafish")
        (bench.folder / ".octavoignore").unlink()
        watching.until_found("zebrafish", "drafts/a.md")
        with bench.opened() as another:
            another.add_collection("notes", bench.folder, CollectionSettings(ignore=("*.txt",)))
        watching.until_found("switch")
        assert watching.found("dough") == ["bread.md"]
        assert max(run.bytes for run in watching.runs[1:]) < 100


def test_new_rules_of_the_configuration_are_applied_at_the_next_start_without_a_rebuild(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    with watched(bench, ingest={"ignore": ["*.txt"]}) as watching:
        watching.until(lambda: bool(watching.runs))
        assert watching.found("switch") == []
        assert [(run.removed, run.bytes) for run in watching.runs] == [(1, 0)]
    with watched(bench) as watching:
        watching.until(lambda: bool(watching.runs))
        assert watching.found("switch") == ["lamp.txt"]
        assert [(run.added, run.bytes) for run in watching.runs] == [(1, len(GOOD["lamp.txt"]))]


def test_new_rules_of_the_configuration_are_applied_while_it_runs(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before = Config()
    after = replace(before, ingest=replace(before.ingest, ignore=("*.txt",)))
    with watched(bench) as watching:
        bench.write({"last.md": "# Last\n\nzebrafish\n"})
        watching.until_found("zebrafish", "last.md")
        assert not reconfigure(watching.engine, before, before)
        assert reconfigure(watching.engine, before, after)
        watching.until_found("switch")
        assert reconfigure(watching.engine, after, before)
        watching.until_found("switch", "lamp.txt")


def test_new_ways_of_watching_are_taken_up_while_it_runs(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before = Config()
    polled = replace(before, watch=replace(before.watch, debounce_ms=250, polling=True, poll_ms=100))
    off = replace(before, watch=replace(before.watch, enabled=False))
    with watched(bench) as watching:
        reconfigure(watching.engine, before, polled)
        bench.write({"last.md": "# Last\n\nzebrafish\n"})
        watching.until_found("zebrafish", "last.md")
        # What it found may have been found by its first look, before it begins to poll.
        eventually(lambda: [folder.state for folder in watching.engine.watcher.state().folders] == [POLLING])
        reconfigure(watching.engine, polled, off)
        assert not watching.engine.watcher.active
        reconfigure(watching.engine, off, polled)
        assert watching.engine.watcher.active


def test_a_commit_is_taken_in_because_refs_moved_and_not_at_the_next_look(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.LOOK_SECONDS", 600.0)
    monkeypatch.setitem(HistoryWatch.__init__.__kwdefaults__ or {}, "cooldown", 0.3)
    bench.write(GOOD)
    repository = GitRepository(bench.folder)
    repository.commit("Begin")
    bench.index()
    with watched(bench) as watching:
        bench.write({"last.md": "# Last\n\nzebrafish\n"})
        watching.until_found("zebrafish", "last.md")
        repository.commit("Mention a zebrafish")
        watching.until(lambda: any(run.commits for run in watching.runs))
        repository.git("reset", "-q", "--soft", "HEAD~1")
        watching.until(lambda: any(run.commits_removed for run in watching.runs))


def test_folders_are_compared_again_now_and_then(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.LOOK_SECONDS", 0.1)
    bench.write(GOOD)
    often = {**QUICK["watch"], "reconciliation_interval_seconds": 0.2}
    with watched(bench, watch=often) as watching:
        watching.until_found("dough", "bread.md")
        # As if the system had not told of it: the notice is taken away before anybody looks.
        with watching.engine.watcher.condition:
            bench.write({"untold.md": "# Untold\n\nzebrafish\n"})
            for folder in watching.engine.watcher.folders.values():
                folder.stop.set()
        watching.until_found("zebrafish", "untold.md")


def test_a_storm_of_three_thousand_changes_is_taken_in(bench: Bench) -> None:
    bench.write(GOOD)
    with watched(bench) as watching:
        watching.until_found("dough", "bread.md")
        for folder in range(20):
            (bench.folder / f"f{folder}").mkdir()
            for number in range(150):  # in all more than the paths after which a whole folder is looked at
                (bench.folder / f"f{folder}" / f"{number}.txt").write_text(f"word{folder * 150 + number}\n")
        watching.until(lambda: watching.engine.freshness().documents == 3_003)
        assert watching.found("2999") == ["f19/149.txt"]
        for folder in range(20):
            shutil.rmtree(bench.folder / f"f{folder}")
        watching.until(lambda: watching.engine.freshness().documents == 3)
    settled(bench)


def test_a_root_that_vanishes_loses_nothing_and_is_watched_again_when_it_is_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.RETRY_SECONDS", 0.1)
    bench.write(GOOD)
    with watched(bench) as watching:
        watching.until_found("dough", "bread.md")
        aside = bench.folder.rename(bench.folder.with_name("aside"))
        watching.engine.watcher.look_again()
        while watching.engine.watcher.state().folders[0].state != MISSING:
            assert watching.engine.freshness().documents == 3
        aside.rename(bench.folder)
        bench.write({"back.md": "# Back\n\nzebrafish\n"})
        watching.engine.watcher.look_again()
        watching.until_found("zebrafish", "back.md")


def test_a_change_made_while_another_process_indexes_waits_its_turn(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.BUSY_SECONDS", 0.05)
    bench.write(GOOD)
    with watched(bench) as watching:
        watching.until_found("dough", "bread.md")
        leases, project = watching.engine.store.leases, watching.engine.project.id
        lease = leases.take(project, "index", "elsewhere/1 1 x", 3_600.0, {})
        bench.write({"later.md": "# Later\n\nzebrafish\n"})
        eventually(lambda: watching.engine.freshness().queued)
        assert watching.found("zebrafish") == []
        leases.release(lease)
        watching.until_found("zebrafish", "later.md")


def test_what_octavo_wrote_is_no_change_that_waits(bench: Bench) -> None:
    bench.write(GOOD)
    with watched(bench, watch={"debounce_ms": 30_000}, writing={"collections": ["notes"]}) as watching:
        engine = watching.engine
        eventually(lambda: [folder.state for folder in engine.watcher.state().folders] == [WATCHING])
        eventually(lambda: not engine.watcher.state().queued)
        doc_create(engine, DocCreateRequest("zebra.md", "Zebra"))
        doc_rename(engine, DocRenameRequest("bread.md", to="loaf.md"))
        eventually(lambda: engine.watcher.state().queued)
        assert engine.freshness().queued == 0
        bench.write({"okapi.md": "# Okapi\n"})
        eventually(lambda: engine.freshness().queued == 1)


@pytest.mark.parametrize("place", [".octavo/library.db", "library.db"])
def test_the_writes_of_a_library_in_its_own_folder_are_no_changes_that_wait(bench: Bench, place: str) -> None:
    bench.write(GOOD | {".gitignore": "ignored/\n"})
    bench.library = bench.folder / place
    bench.library.parent.mkdir(exist_ok=True)
    with watched(bench, watch={"debounce_ms": 30_000}) as watching:
        engine = watching.engine
        eventually(lambda: [folder.state for folder in engine.watcher.state().folders] == [WATCHING])
        eventually(lambda: not engine.watcher.state().queued)
        remember(engine, RememberRequest("The key is behind the door."))
        bench.write({"node_modules/a.md": "x\n", "ignored/b.md": "x\n", ".bread.md.swp": "x", "okapi.md": "# Okapi\n"})
        eventually(lambda: engine.freshness().queued == 1)
        assert engine.watcher.state().queued == 1


def test_watching_can_be_stopped_and_started_again(bench: Bench) -> None:
    bench.write(GOOD)
    with watched(bench) as watching:
        watching.until_found("dough", "bread.md")
        assert watching.engine.watcher.stop(PATIENCE)
        assert not watching.engine.watcher.state().active
        bench.write({"meanwhile.md": "# Meanwhile\n\nzebrafish\n"})
        assert watching.found("zebrafish") == []
        watching.engine.watcher.start()
        watching.until_found("zebrafish", "meanwhile.md")
        os.utime(bench.folder / "meanwhile.md", (1, 1))
    assert not any(thread.name.startswith("octavo-watch") for thread in threading.enumerate())


def test_who_waits_for_the_first_documents_goes_on_once_the_folder_is_read(bench: Bench) -> None:
    with watched(bench) as watching:  # a folder without a document
        assert watching.engine.watcher.await_documents(PATIENCE)
        assert not watching.engine.watcher.reads_first_time()


def test_vectors_that_wait_are_made_one_lot_after_the_other(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.LOOK_SECONDS", 5.0)
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.EMBED_AT_ONCE", 1)
    monkeypatch.setattr("octavo.engine.indexing.folder_watcher.PAUSE_SECONDS", 0.0)
    notes = int(PATIENCE / 2.5)  # twice as many as there are looks in that time
    bench.write({f"{number}.md": f"# Note {number}\n\nAbout harbour {number}.\n" for number in range(notes)})
    with bench.opened() as engine:
        engine.index(embed=False)
    with watched(bench) as watching:
        engine, rest, until = watching.engine, threading.Event(), time.monotonic() + PATIENCE
        while engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)[0] < notes:
            assert time.monotonic() < until
            rest.wait(0.05)


def test_a_file_that_keeps_changing_does_not_hold_up_the_others() -> None:
    paths = {"busy.md": QueuedPath(5.0, 10.9), "quiet.md": QueuedPath(10.0, 10.0)}
    folder = WatchedFolder(collection=None, paths=paths)  # type: ignore[arg-type]
    assert folder.due(1.0) == 11.0
    assert folder.take(11.0, 1.0) == {"quiet.md"}
    assert set(folder.paths) == {"busy.md"}
    assert folder.due(1.0) == 11.9


def test_a_file_that_never_stops_changing_is_looked_at_all_the_same() -> None:
    folder = WatchedFolder(collection=None, paths={"busy.md": QueuedPath(0.0, 1_000.0)})  # type: ignore[arg-type]
    assert folder.take(1_000.0, 1.0) == {"busy.md"}


def test_a_collection_is_followed_although_the_first_attempt_failed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(GOOD)
    failures = iter([StorageError("the disk was slow")])
    collections = OpenLibrary.collections

    def failing_once(library: OpenLibrary) -> tuple[Collection, ...]:
        if threading.current_thread().name.startswith("octavo-watch") and (failure := next(failures, None)):
            raise failure
        return collections(library)

    monkeypatch.setattr(OpenLibrary, "collections", failing_once)
    with watched(bench) as watching:
        watching.until_found("prune", "garden/apples.md")
