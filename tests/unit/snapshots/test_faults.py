"""Whatever is killed, cut, flipped, missing or full: searches answer as the library does, and the next build works."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from snapshot_samples import Bench

from octavo.config.search_snapshot_settings import Snapshots
from octavo.errors import Busy, DamagedSnapshot, StorageError
from octavo.ingest import search_snapshot_build as publishing
from octavo.ingest.search_snapshot_build import check, publish
from octavo.ingest.search_snapshot_setup import SnapshotSetup
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.model.ids import SnapshotId
from octavo.model.query import Filters, Terms
from octavo.observability.progress import NoProgress
from octavo.search_snapshots import folder as folders
from octavo.search_snapshots.folder import SnapshotFolder
from octavo.search_snapshots.reader import SEGMENTS, OpenSnapshot

APPLE = Terms("apple", words=("apple",))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.put("a/one.md", "apple banana", "cherry apple apple")
    made.put("a/two.md", "date elder", "fig apple")
    made.put("b/three.md", "grape hazel")
    made.embed(100)
    return made


def accelerator(bench: Bench) -> Accelerator:
    settings = Snapshots(threshold=1, shards=4)
    profiles = bench.making.profiles
    root = bench.folder.root
    return Accelerator(
        SnapshotSetup(
            bench.store,
            lambda: bench.store.snapshot_marks,
            lambda: bench.store.snapshots,
            bench.project,
            root,
            settings,
            "octavo-6",
            lambda: profiles,
            bench.clock,
        )
    )


def test_a_snapshot_is_up_to_date_until_something_is_written(bench: Bench) -> None:
    assert not accelerator(bench).is_up_to_date()
    bench.publish()
    assert accelerator(bench).is_up_to_date() and not accelerator(bench).upkeep.due()
    bench.put("c/four.md", "apple cherry")
    assert not accelerator(bench).is_up_to_date()


def test_a_snapshot_that_lost_a_file_is_not_up_to_date(bench: Bench) -> None:
    manifest = bench.publish()
    (bench.folder.path(manifest.id) / SEGMENTS[0]).unlink()
    assert accelerator(bench).manifest() is None and not accelerator(bench).is_up_to_date()


def answers(bench: Bench) -> None:
    """From a process that just started: the library's own answer."""
    bench.reopen()
    wanted = bench.store.lexical.search(bench.project, APPLE, Filters(), 10)
    assert wanted
    assert bench.lexical.search(bench.project, APPLE, Filters(), 10) == wanted
    vector = bench.vector("query")
    found = [one.key for one in bench.vectors.search(vector, 3)]
    assert found == [one.key for one in bench.exact.search(vector, 3)]


STEPS = ["begin", "lexical", "shards", "entries", "check", "manifest", "rename", "enter", "switch", "prune"]


@pytest.mark.parametrize("step", STEPS)
def test_a_builder_killed_at_any_step_leaves_a_library_that_answers_and_can_be_built_again(
    bench: Bench, step: str, tmp_path: Path
) -> None:
    first = bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    killed = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_builder.py")), str(tmp_path), step], timeout=120
    )
    assert killed.returncode == -signal.SIGKILL
    answers(bench)
    current = accelerator(bench).upkeep.recover()
    answers(bench)
    assert current is not None
    assert (current == first.id) == (step not in {"prune"})
    assert not [path for path in bench.folder.root.iterdir() if path.name.endswith(".building")]
    bench.publish()
    answers(bench)
    assert bench.snapshots.current() is not None


def damage_truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def damage_missing(path: Path) -> None:
    path.unlink()


def damage_flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x40
    path.write_bytes(data)


def damage_emptied(path: Path) -> None:
    path.write_bytes(b"")


DAMAGE = (damage_truncated, damage_missing, damage_flipped, damage_emptied)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["lexical-base.seg", "hidden.arr", "shard_*.vec", "manifest.json"])
def test_a_damaged_file_is_found_at_start_up_and_an_earlier_snapshot_taken_instead(
    bench: Bench, damage: Callable[[Path], None], name: str
) -> None:
    first = bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    second = bench.publish()
    target = min(bench.folder.path(second.id).glob(name))
    # What was carried over is one file in both: it is the newer snapshot's alone that is damaged here.
    copy = target.with_name("copy")
    shutil.copy(target, copy)
    copy.replace(target)
    damage(target)
    bench.reopen()
    assert accelerator(bench).upkeep.recover() == first.id
    answers(bench)
    assert bench.snapshots.current() is not None


@pytest.mark.parametrize("damage", [damage_truncated, damage_missing, damage_emptied])
def test_a_damaged_file_that_nobody_looked_for_costs_speed_and_no_answer(
    bench: Bench, damage: Callable[[Path], None]
) -> None:
    made = bench.publish()
    for name in made.files:
        damage(bench.folder.path(made.id) / name)
    answers(bench)


def test_a_flipped_byte_in_the_only_snapshot_leaves_the_library_to_answer(bench: Bench) -> None:
    made = bench.publish()
    for name in made.files:
        damage_flipped(bench.folder.path(made.id) / name)
    assert accelerator(bench).upkeep.recover() is None
    assert bench.folder.ids() == ()
    answers(bench)
    assert bench.snapshots.current() is None
    bench.publish()
    answers(bench)
    assert bench.snapshots.current() is not None


@pytest.mark.parametrize("text", ["", "nowhere", "../library.db", "..", "\0", "x" * 5000])
def test_a_pointer_to_nowhere_is_put_right(bench: Bench, text: str) -> None:
    made = bench.publish()
    (bench.folder.root / "CURRENT").write_text(text)
    answers(bench)
    assert accelerator(bench).upkeep.recover() == made.id
    assert bench.folder.current_id() == made.id


def test_a_snapshot_that_is_published_while_recovery_waits_for_its_turn_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    upkeep = accelerator(bench).upkeep
    exclusive, made = SnapshotFolder.exclusive, []

    @contextmanager
    def after_another(folder: SnapshotFolder) -> Iterator[None]:
        monkeypatch.setattr(SnapshotFolder, "exclusive", exclusive)
        made.append(bench.publish())  # as another process, which had the lock until now
        with folder.exclusive():
            yield

    monkeypatch.setattr(SnapshotFolder, "exclusive", after_another)
    assert upkeep.recover() == made[0].id
    assert made[0].id in bench.folder.ids()
    answers(bench)
    current = bench.snapshots.current()
    assert current is not None and current.manifest.id == made[0].id


def test_a_full_disk_fails_the_build_with_a_hint_and_leaves_nothing_behind(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bench.publish()
    bench.put("b/four.md", "apple fig")

    def full(path: Path, windows: object) -> None:
        path.write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(publishing, "save_shard", full)
    bench.embed(100)
    with pytest.raises(StorageError, match="No space left"):
        bench.publish()
    monkeypatch.undo()
    assert sorted(path.name for path in bench.folder.root.iterdir()) == [first.id, "CURRENT", "LOCK"]
    assert bench.store.snapshots.known(bench.project) == {first.id: True}
    answers(bench)
    bench.publish()
    answers(bench)


def test_a_disk_that_is_full_at_any_file_costs_that_build_and_nothing_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.publish()
    written, to_disk = [0], os.fsync

    def full_at(number: int | None) -> None:
        written[0] = 0

        def fsync(handle: int) -> None:
            written[0] += 1
            if written[0] == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            to_disk(handle)

        monkeypatch.setattr(os, "fsync", fsync)

    def changed(number: int) -> None:
        bench.put(f"b/{number}.md", f"apple {number}")
        bench.embed(100)
        bench.reopen()

    full_at(None)
    changed(0)
    bench.publish()
    files = written[0]
    assert files > 5
    for number in range(1, files + 1):
        changed(number)
        full_at(number)
        with pytest.raises(StorageError, match="No space left"):
            bench.publish()
        full_at(None)
        answers(bench)
        assert not [path for path in bench.folder.root.iterdir() if path.name.endswith(".building")]
    bench.publish()
    answers(bench)


def test_of_two_processes_that_build_at_once_at_least_one_does_and_nothing_is_broken(
    bench: Bench, tmp_path: Path
) -> None:
    bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    command = [sys.executable, str(Path(__file__).with_name("killed_builder.py")), str(tmp_path), "none"]
    builders = [subprocess.Popen(command) for _ in range(2)]
    ended = sorted(one.wait(timeout=120) for one in builders)
    assert ended in ([0, 0], [0, 5])
    answers(bench)
    current = bench.snapshots.current()
    assert current is not None and current.manifest.chunks == bench.store.counts(bench.project).chunks


def test_of_two_builders_at_once_one_is_told_that_the_other_is_at_work(bench: Bench) -> None:
    with (
        bench.folder.building(SnapshotId("one")),
        pytest.raises(Busy, match="another process is building"),
        folders.SnapshotFolder(bench.folder.root).building(SnapshotId("two")),
    ):
        pass
    bench.publish()
    answers(bench)


def test_a_reader_goes_on_with_an_old_snapshot_while_it_is_pruned(bench: Bench) -> None:
    first = bench.publish()
    held = bench.snapshots.current()
    assert held is not None
    before = held.shards.search(bench.vector("query"), 3)
    postings = held.segments[0].postings("apple")
    for number in range(4):
        bench.put(f"b/{number}.md", f"apple {number}")
        bench.embed(100)
        bench.reopen()
        bench.publish()
    assert first.id not in bench.folder.ids()
    assert len(bench.folder.ids()) == 3
    assert held.shards.search(bench.vector("query"), 3)[0].tolist() == before[0].tolist()
    assert len(held.segments[0].postings("apple")) == len(postings)
    answers(bench)


def test_a_snapshot_of_another_library_is_not_used(bench: Bench, tmp_path: Path) -> None:
    made = bench.publish()
    other = Bench(tmp_path / "other")
    other.put("a/one.md", "apple only here")
    other.embed(10)
    shutil.copytree(bench.folder.root, other.folder.root)
    answers(other)
    assert other.snapshots.current() is None
    assert made.id in other.folder.ids()


def test_a_library_restored_from_an_earlier_copy_does_not_use_a_later_snapshot(bench: Bench, tmp_path: Path) -> None:
    bench.store.close()
    shutil.copytree(tmp_path, tmp_path.with_name("earlier"), dirs_exist_ok=True)
    later = Bench(tmp_path)
    later.written = {"a/one.md": []}
    later.publish()
    later.store.close()
    shutil.copy(tmp_path.with_name("earlier") / "library.db", tmp_path / "library.db")
    restored = Bench(tmp_path)
    answers(restored)
    assert restored.snapshots.current() is None


def test_going_back_lets_the_earlier_snapshot_answer_with_what_was_written_since(bench: Bench) -> None:
    first = bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    second = bench.publish()
    assert accelerator(bench).upkeep.roll_back() == first.id
    answers(bench)
    current = bench.snapshots.current()
    assert current is not None and current.manifest.id == first.id
    assert accelerator(bench).upkeep.roll_back(second.id) == second.id
    answers(bench)


def test_what_did_not_change_is_carried_over_as_the_same_file(bench: Bench) -> None:
    first = bench.publish()
    bench.put("b/four.md", "apple fig")
    bench.embed(100)
    second = bench.publish()
    carried = [name for name, entry in second.files.items() if entry.carried]
    assert carried
    for name in carried:
        one, other = bench.folder.path(first.id) / name, bench.folder.path(second.id) / name
        assert one.samefile(other)
        assert first.files[name].sha256 == second.files[name].sha256
    assert len([name for name in second.files if name.startswith("shard_") and name not in carried]) == 1


def test_counts_that_do_not_hold_fail_the_check(bench: Bench) -> None:
    made = bench.publish()
    wrong = replace(made, chunks=made.chunks + 1)
    with pytest.raises(DamagedSnapshot, match="holds"):
        check(OpenSnapshot(bench.folder.path(made.id), wrong, 1))
    assert publish(bench.making, None, NoProgress()).chunks == made.chunks


def test_nothing_is_carried_over_from_a_snapshot_that_the_library_does_not_know(bench: Bench) -> None:
    """As after a restore that happens while the next one is being built."""
    first = bench.publish()
    previous = bench.snapshots.current()
    assert previous is not None
    with bench.store.transaction():
        bench.store.snapshots.forget(bench.project, [first.id], 0)
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)
    made = publish(bench.making, previous, NoProgress())
    assert (made.previous, any(entry.carried for entry in made.files.values())) == (None, False)
    answers(bench)


def test_what_is_carried_over_and_does_not_pass_the_check_is_built_again_from_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.publish()
    bench.put("b/four.md", "apple fig", "hazel")
    bench.embed(100)

    def strict(snapshot: OpenSnapshot) -> None:
        if snapshot.manifest.previous is not None:
            raise DamagedSnapshot("it holds 5 chunks, not 6")
        check(snapshot)

    monkeypatch.setattr(publishing, "check", strict)
    assert accelerator(bench).upkeep.publish(NoProgress()).previous is None
    answers(bench)
