"""A disk that is not mounted costs no document, wherever its mount point lies and whatever stands in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from workbench import Bench

from octavo.ingest import prepared_file_batches as ingest_batches
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.prepared_file import Origin, PreparedFile
from octavo.model.folder_scan import SeenFile
from octavo.model.projects_and_collections import CollectionSettings

NOTES = {"disk/a.md": "# A\n\nApples.\n", "disk/deep/b.md": "# B\n\nPears.\n"}
OTHER = {"top.md": "# Top\n\nCherries.\n"}


@contextmanager
def taken_away(folder: Path, *, holding: str = "", at: float = 1_600_000_000) -> Iterator[None]:
    """The folder's content is elsewhere, and what stands there is the mount point."""
    content = folder.parent.parent / f"{folder.name}-elsewhere"
    above = folder.parent.stat()
    shutil.move(folder, content)
    folder.mkdir()
    if holding:
        (folder / holding).write_text("Nothing is mounted here.\n", "utf-8")
    os.utime(folder, (at, at))
    os.utime(folder.parent, ns=(above.st_atime_ns, above.st_mtime_ns))
    try:
        yield
    finally:
        shutil.rmtree(folder)
        shutil.move(content, folder)


@pytest.mark.parametrize("holding", ["", ".keep", "README", "unmounted.md"])
@pytest.mark.parametrize("old", [True, False])
def test_a_mount_point_below_the_root_keeps_what_was_indexed_from_its_disk(
    bench: Bench, holding: str, old: bool
) -> None:
    bench.write(NOTES | OTHER)
    if old:  # files older than their mount point, as on an archive disk
        for name in NOTES:
            os.utime(bench.folder / name, (1_500_000_000, 1_500_000_000))
    bench.index()
    with taken_away(bench.folder / "disk", holding=holding):
        report = bench.index()
        assert report.removed == 0
        assert report.doubtful == 2
        assert bench.found("apples") != []
        assert any("may not be mounted" in problem.reason for problem in report.unreadable)
    assert bench.index().removed == (1 if holding in ("unmounted.md", "README") else 0)
    assert bench.found("pears") != []


@pytest.mark.parametrize("holding", ["", ".keep", "unmounted.md"])
def test_a_root_with_few_files_keeps_them_too_until_the_removal_is_confirmed(bench: Bench, holding: str) -> None:
    bench.write(OTHER)
    bench.index()
    with taken_away(bench.folder, holding=holding):
        run = bench.run()
        assert "may not be mounted" in run.missing[0].reason
        assert bench.found("cherries") != []
        with bench.opened() as engine:
            (report,) = engine.index(confirm_removals=True).collections
        assert report.removed == 1
        assert bench.found("cherries") == []


def test_files_that_were_really_deleted_leave_at_once(bench: Bench) -> None:
    bench.write(NOTES | OTHER)
    bench.index()
    (bench.folder / "disk" / "a.md").unlink()
    assert bench.index().removed == 1
    shutil.rmtree(bench.folder / "disk" / "deep")
    assert bench.index().removed == 1
    (bench.folder / "top.md").unlink()
    assert bench.index().removed == 1


def test_a_folder_ignored_later_leaves_although_nothing_in_it_was_deleted(bench: Bench) -> None:
    bench.write(NOTES | OTHER)
    bench.index()
    (bench.folder / ".octavoignore").write_text("a.md\nb.md\n", "utf-8")
    assert bench.index().removed == 2


HIDING: dict[str, Callable[[Bench], None]] = {
    "everything": lambda bench: bench.write({".octavoignore": "*\n"}),
    "their folder": lambda bench: bench.write({".octavoignore": "private/\n"}),
    "by git": lambda bench: bench.write({".gitignore": "private/\n"}),
    "by git, inside": lambda bench: bench.write({"private/.gitignore": "*\n"}),
    "by the collection": lambda bench: setattr(bench, "collection", CollectionSettings(ignore=("private/",))),
    "not included": lambda bench: setattr(bench, "collection", CollectionSettings(include=("public/**",))),
}


@pytest.mark.parametrize("hide", HIDING.values(), ids=HIDING)
@pytest.mark.parametrize("count", [3, 30])
def test_notes_that_are_all_ignored_since_leave_because_they_are_still_there(
    bench: Bench, hide: Callable[[Bench], None], count: int
) -> None:
    bench.write({f"private/{number}.md": f"# Note {number}\n\nApples.\n" for number in range(count)})
    bench.index()
    hide(bench)
    assert bench.index().removed == count
    assert bench.found("apples") == []


@pytest.mark.parametrize("ignored", [False, True])
def test_many_files_that_are_not_there_at_all_stay_whatever_is_ignored(bench: Bench, ignored: bool) -> None:
    bench.write({f"{number}.md": f"# Note {number}\n\nApples.\n" for number in range(30)})
    bench.index()
    with taken_away(bench.folder, holding=".octavoignore"):
        (bench.folder / ".octavoignore").write_text("*\n" if ignored else "\n", "utf-8")
        assert "may not be mounted" in bench.run().missing[0].reason
        assert bench.found("apples") != []


def _mounted(folder: Path) -> Callable[[], None]:
    """Mounts a file system in memory; what unmounts it. Skips where this process may not."""
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")

    def unmount() -> None:
        subprocess.run(["umount", str(folder)], check=True, capture_output=True)

    return unmount


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount command")
@pytest.mark.parametrize("where", ["", "disk", "deep/disk"])
@pytest.mark.parametrize("holding", ["", "stray.md"])
def test_unmounting_a_real_disk_removes_nothing(bench: Bench, where: str, holding: str) -> None:
    bench.write({"top.md": "# Top\n"} if where else {})
    point = bench.folder / where
    point.mkdir(parents=True, exist_ok=True)
    if holding:
        (point / holding).write_text("Stray.\n", "utf-8")
    unmount = _mounted(point)
    mounted = True
    try:
        (point / "a.md").write_text("# A\n\nApples.\n", "utf-8")
        os.utime(point / "a.md", (1_500_000_000, 1_500_000_000))
        bench.index()
        unmount()
        mounted = False
        run = bench.run()
        assert sum(report.removed for report in run.collections) == 0
        assert bench.found("apples") != []
    finally:
        if mounted:
            unmount()


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount command")
@pytest.mark.parametrize("where", ["", "disk", "deep/disk"])
@pytest.mark.parametrize("looked", [True, False])
def test_what_is_written_to_a_mount_point_without_its_disk_removes_nothing(
    bench: Bench, where: str, looked: bool
) -> None:
    """Its folder is modified then, as it is when files are deleted: only the disk tells the difference."""
    bench.write({"top.md": "# Top\n"} if where else {})
    point = bench.folder / where
    point.mkdir(parents=True, exist_ok=True)
    unmount = _mounted(point)
    try:
        (point / "a.md").write_text("# A\n\nApples.\n", "utf-8")
        (point / "below").mkdir()
        (point / "below" / "b.md").write_text("# B\n\nPears.\n", "utf-8")
        bench.index()
        (point / "below" / "c.md").write_text("# C\n\nPlums.\n", "utf-8")
        assert bench.index().added == 1
        (point / "below" / "c.md").unlink()
        assert bench.index().removed == 1  # with its disk there, a file that is gone is gone
    finally:
        unmount()
    if looked:
        bench.run()
    (point / "stray.md").write_text("Stray.\n", "utf-8")
    run = bench.run()
    assert sum(report.removed for report in run.collections) == 0
    assert [len({problem.uri for problem in report.unreadable}) for report in run.collections] == [1] * bool(where)
    assert bench.found("apples") != [] and bench.found("pears") != []
    if where:
        shutil.rmtree(point)
        assert bench.index().removed == 0  # the mount point went with its disk
        assert bench.found("apples") != [] and bench.found("pears") != []
    else:
        (point / "stray.md").unlink()
    with bench.opened() as engine:
        (report,) = engine.index(confirm_removals=True).collections
    assert report.removed == (3 if where else 2)  # with stray.md, which is indexed where only a part is in doubt


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount command")
@pytest.mark.parametrize("rule", ["*", "disk/", "a.md"])
def test_a_disk_that_is_mounted_and_ignored_leaves(bench: Bench, rule: str) -> None:
    bench.write({"disk/.keep": "", "top.md": "# Top\n"})
    unmount = _mounted(bench.folder / "disk")
    try:
        (bench.folder / "disk" / "a.md").write_text("# A\n\nApples.\n", "utf-8")
        bench.index()
        (bench.folder / ".octavoignore").write_text(f"{rule}\n", "utf-8")
        bench.index()
        assert bench.found("apples") == []
    finally:
        unmount()


def test_a_changed_time_with_the_same_content_changes_modified_at_and_nothing_else(bench: Bench) -> None:
    bench.write(OTHER)
    bench.index()
    os.utime(bench.folder / "top.md", (1_234_567_890, 1_234_567_890))
    report = bench.index()
    assert (report.unchanged, report.changed, report.chunks) == (1, 0, 0)
    with bench.opened() as engine:
        (document,) = engine.store.documents.find(engine.project.id, "top.md")
    assert document.modified_at == 1_234_567_890
    assert document.version == 1


def test_a_run_that_is_always_stopped_early_finishes_some_day(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_batches, "BATCH_SECONDS", 0.0)
    bench.write({f"{number}.md": f"# Note {number}\n" for number in range(30)})
    kept = [0]
    original = Preparer.file
    for _ in range(20):
        left = 5

        def dying(self: Preparer, origin: Origin, file: SeenFile) -> PreparedFile:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return original(self, origin, file)

        with monkeypatch.context() as killed:
            killed.setattr(Preparer, "file", dying)
            try:
                bench.index()
                break
            except KeyboardInterrupt:
                kept.append(len(bench.ledger()))
    assert len(bench.ledger()) == 30
    assert kept == sorted(set(kept))
