"""Several files change together or not at all: killed before any step, they are all as they were, or all new."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.errors import StorageError
from octavo.note_editing.folder_lock import folder_lock
from octavo.note_editing.multi_file_write_journal import Journal, all_or_nothing, journal_of
from octavo.note_editing.note_files import overwrite_all, read

# Each child kills itself before its n-th change of a folder; then the next writer takes the lock.
_KILLED = """
import json, os, signal, sys
from pathlib import Path
from octavo.note_editing.note_files import File, overwrite_all, read
from octavo.note_editing.multi_file_write_journal import Renamed, all_or_nothing
from octavo.note_editing.folder_lock import folder_lock

root, journals = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
old = {"a.md": b"old a", "sub/b.md": b"old b", "c.md": b"old c"}
EVENTS = ("os.rename", "os.link", "os.remove", "os.mkdir")

def files():
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}

def change():
    files = [read(root / name, name, 100) for name in old]
    source, target = root / "a.md", root / "new" / "deep" / "d.md"
    files[0] = File(target, files[0].content, files[0].stamp, files[0].mode)
    changes = [(file, file.content.replace(b"old", b"new")) for file in files]
    made = [target.parent, target.parent.parent]
    with (
        folder_lock(root, journals) as journal,
        all_or_nothing(journal, changes, Renamed(source, target, made)),
    ):
        target.parent.mkdir(parents=True)
        source.rename(target)
        overwrite_all(changes)

states, step, code = [], 0, -1
while code:
    for path in sorted(root.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (root / "sub").mkdir()
    for name, content in old.items():
        (root / name).write_bytes(content)
    child = os.fork()
    if not child:
        seen = []
        def hook(event, arguments):
            if event in EVENTS:
                seen.append(event)
                if len(seen) > step:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        change()
        os._exit(0)
    code = os.waitpid(child, 0)[1]
    between = files()
    with folder_lock(root, journals):
        assert not list(journals.glob("*.json"))
    states.append((between, files(), sorted(path.name for path in root.iterdir())))
    step += 1
print(json.dumps(states))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_before_any_step_all_files_are_old_or_all_are_new(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(root), str(tmp_path / "writes")],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    states = json.loads(done.stdout)
    old = {"a.md": "old a", "sub/b.md": "old b", "c.md": "old c"}
    new = {"new/deep/d.md": "new a", "sub/b.md": "new b", "c.md": "new c"}
    after = [files for _, files, _ in states]
    assert after.count(old) + after.count(new) == len(states) and after[0] == old and after[-1] == new
    assert all(
        names == (["a.md", "c.md", "sub"] if files == old else ["c.md", "new", "sub"]) for _, files, names in states
    )
    halves = [files for files, _, _ in states if not {"old", "new"} > {text[:3] for text in files.values()}]
    assert halves, "some were stopped between two files, and put back"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_bytes(b"old")
    return folder


def stopped(notes: Path) -> Journal:
    """The journal of a writer that was killed after it had changed two notes."""
    journal = journal_of(notes, notes.parent / "writes")
    changes = [(read(notes / name, name, 100), b"new") for name in ("a.md", "b.md")]
    aside = notes.parent / "kept.json"
    with all_or_nothing(journal, changes, None):
        overwrite_all(changes)
        aside.hardlink_to(journal.path)
    aside.rename(journal.path)
    return journal


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_somebody_changed_since_is_not_put_back(notes: Path) -> None:
    journal = stopped(notes)
    (notes / "b.md").write_bytes(b"edited by hand")
    assert journal.interrupted
    with folder_lock(notes, journal.path.parent):
        assert not journal.interrupted
    assert contents(notes) == {"a.md": b"old", "b.md": b"edited by hand"}


def test_an_error_takes_everything_back_and_leaves_no_journal(notes: Path) -> None:
    journal = journal_of(notes, notes.parent / "writes")
    file = read(notes / "a.md", "a.md", 100)
    with pytest.raises(ValueError, match="half-way"), all_or_nothing(journal, [(file, b"new")], None):
        overwrite_all([(file, b"new")])
        raise ValueError("half-way")
    assert contents(notes.parent) == {"notes/a.md": b"old", "notes/b.md": b"old"}


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b"null", b'{"version": 2}', b'{"version": 1, "files": []}'])
def test_a_journal_that_cannot_be_read_stops_writers_and_is_kept(notes: Path, content: bytes) -> None:
    journal = stopped(notes)
    journal.path.write_bytes(content)
    with pytest.raises(StorageError, match="could not be put back"), folder_lock(notes, journal.path.parent):
        pass
    assert journal.interrupted and contents(notes) == {"a.md": b"new", "b.md": b"new"}


@pytest.mark.skipif(os.name != "posix", reason="modes and owners are those of POSIX")
def test_a_journal_is_its_owners_alone(notes: Path) -> None:
    path = stopped(notes).path
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


def test_another_folder_in_the_same_place_is_not_touched(notes: Path) -> None:
    journal = stopped(notes)
    notes.rename(notes.with_name("moved"))
    notes.mkdir()
    for name in ("a.md", "b.md"):
        (notes / name).write_bytes(b"new")
    with folder_lock(notes, journal.path.parent):
        assert contents(notes) == {"a.md": b"new", "b.md": b"new"}
    with folder_lock(notes.with_name("moved"), journal.path.parent):
        assert contents(notes.with_name("moved")) == {"a.md": b"old", "b.md": b"old"}


def test_what_a_journal_says_of_files_outside_its_folder_is_not_done(notes: Path) -> None:
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "mine").write_bytes(b"new")
    journal = stopped(notes)
    kept = json.loads(journal.path.read_bytes())
    (notes / "link").symlink_to(outside)
    kept["files"] += [
        kept["files"][0] | {"path": name} for name in ("../outside/mine", "link/mine", str(outside / "mine"))
    ]
    kept["renamed"] = {"source": "../outside/there", "target": "b.md", "made": ["../outside/empty"]}
    (outside / "empty").mkdir()
    journal.path.write_text(json.dumps(kept), "utf-8")
    with folder_lock(notes, journal.path.parent):
        assert contents(notes) == {"a.md": b"old", "b.md": b"old"}
    assert contents(outside) == {"mine": b"new"} and (outside / "empty").is_dir()
