"""Several files change together or not at all: killed before any step, they are all as they were, or all new."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.errors import StorageError
from octavo.writing.files import overwrite_all, read
from octavo.writing.journal import JOURNAL, all_or_nothing, interrupted
from octavo.writing.lock import folder_lock

# Each child kills itself before its n-th change of a folder; then the next writer takes the lock.
_KILLED = """
import json, os, signal, sys
from pathlib import Path
from octavo.writing.files import File, overwrite_all, read
from octavo.writing.journal import Renamed, all_or_nothing
from octavo.writing.lock import folder_lock

root = Path(sys.argv[1]).resolve()
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
    with folder_lock(root), all_or_nothing(root, changes, Renamed(source, target, made)):
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
    with folder_lock(root):
        pass
    states.append((between, files(), sorted(path.name for path in root.iterdir())))
    step += 1
print(json.dumps(states))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_before_any_step_all_files_are_old_or_all_are_new(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(root)], capture_output=True, text=True, check=True, timeout=300
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


def test_what_somebody_changed_since_is_not_put_back(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(b"old")
    changes = [(read(tmp_path / name, name, 100), b"new") for name in ("a.md", "b.md")]
    killed = all_or_nothing(tmp_path, changes, None)
    killed.__enter__()  # and never left
    overwrite_all(changes)
    (tmp_path / "b.md").write_bytes(b"edited by hand")
    assert interrupted(tmp_path)
    with folder_lock(tmp_path):
        assert not interrupted(tmp_path)
    assert [(tmp_path / name).read_bytes() for name in ("a.md", "b.md")] == [b"old", b"edited by hand"]


def test_an_error_takes_everything_back_and_leaves_no_journal(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    file = read(tmp_path / "a.md", "a.md", 100)
    with pytest.raises(ValueError, match="half-way"), all_or_nothing(tmp_path, [(file, b"new")], None):
        overwrite_all([(file, b"new")])
        raise ValueError("half-way")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.md", b"old")]


def test_a_journal_that_cannot_be_read_stops_writers_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b"{")
    with pytest.raises(StorageError, match="could not be put back"), folder_lock(tmp_path):
        pass
    assert interrupted(tmp_path)
