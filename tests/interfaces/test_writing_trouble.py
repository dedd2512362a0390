"""Writes that meet a full disk, a killed process or a file that may not be changed; random edits, each undone."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

import octavo
from octavo.errors import Conflict
from octavo.note_editing.note_files import StagedFile, overwrite, read, write_new

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "edits.py"
VAULT = Path(__file__).parents[2] / "examples" / "vault"
posix = pytest.mark.skipif(os.name != "posix", reason="needs fork and limits")


@pytest.fixture(scope="module")
def edits() -> ModuleType:
    spec = importlib.util.spec_from_file_location("edits", BENCHMARK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for path in VAULT.rglob("*.md"):
        target = folder / path.relative_to(VAULT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return folder


def test_random_edits_of_real_notes_are_undone_to_the_byte(edits: ModuleType, tmp_path: Path) -> None:
    done = edits.edits_of_files(copied(tmp_path), 60, seed=7)
    assert sum(done["edits"].values()) - done["edits"].get("refused", 0) == 60


def test_random_edits_through_the_library_are_undone_to_the_byte(edits: ModuleType, tmp_path: Path) -> None:
    assert edits.edits_of_library(copied(tmp_path), 6, seed=7)["edits"]


def test_a_section_moved_across_a_large_note_is_told_in_two_hunks_and_undone_from_two_parts(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    before = "".join(f"# Nöte {number}\n\n{'Words. ' * 40}\n\n" for number in range(1200)).encode()
    (notes / "large.md").write_bytes(before)
    settings = {"embedding": {"provider": "hashing"}, "daemon": {"enabled": False}}
    with octavo.open(tmp_path / "library.db", create=True, config=settings) as library:
        library.add(notes, name="notes", writable=True)
        for source, target in ((7, 1100), (1190, 20)):
            path, parent = [f"Nöte {source}"], [f"Nöte {target}"]
            shown = library.doc.move_section("large.md", path, parent, dry_run=True)
            answer = library.doc.move_section("large.md", path, parent)
            assert (shown.diff, shown.hash, shown.start_line) == (answer.diff, answer.hash, answer.start_line)
            lines = (notes / "large.md").read_text("utf-8").split("\n")
            assert lines[answer.start_line - 1] == f"## Nöte {source}"
            assert answer.diff.count("@@ -") == 2 and f"+## Nöte {source}\n" in answer.diff
            assert f"-# Nöte {source}\n" in answer.diff and len(answer.diff) < 2_000
            library.doc.restore("large.md")
            assert (notes / "large.md").read_bytes() == before
        library.doc.rename("large.md", heading_path=["Nöte 5"], heading="Fünf")
        assert (notes / "large.md").read_bytes() == before.replace("# Nöte 5\n".encode(), "# Fünf\n".encode(), 1)


@posix
def test_killed_writers_leave_the_old_file_or_the_new_one_and_no_draft(edits: ModuleType) -> None:
    found = edits.kills(8, seed=7)
    assert (found["old or new"], found["drafts after the next write"]) == (8, 0)


_FULL = """
import resource, signal, sys
from pathlib import Path
from octavo.errors import StorageError
from octavo.note_editing.note_files import overwrite, read, write_new
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
path = Path(sys.argv[1])
try:
    if path.exists():
        overwrite(read(path, path.name, 1 << 20), b"x" * 5_000)
    else:
        write_new(path, b"x" * 5_000)
except StorageError as error:
    sys.exit(0 if error.hint == "nothing was changed" else 2)
sys.exit(1)
"""


@posix
@pytest.mark.parametrize("name", ["note.md", "deep/new.md"])
def test_a_disk_without_room_leaves_everything_as_it_was(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "note.md").write_text("# A\n")
    assert subprocess.run([sys.executable, "-c", _FULL, str(folder / name)]).returncode == 0
    assert (folder / "note.md").read_text() == "# A\n"
    assert [entry.name for entry in folder.iterdir()] == ["note.md"]


def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("# A\n")
    old, young = tmp_path / ".octavo-0123456789abcdef.draft", tmp_path / ".octavo-fedcba9876543210.draft"
    for draft in (old, young):
        draft.write_text("half")
    os.utime(old, (time.time() - 3_600, time.time() - 3_600))
    overwrite(read(path, "note.md", 1 << 20), b"# B\n")
    assert path.read_text() == "# B\n"
    assert (old.exists(), young.exists()) == (False, True)


def test_a_draft_with_a_name_does_the_same(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("# A\n")
    path.chmod(0o640)
    StagedFile(path, b"# B\n", read(path, "note.md", 1 << 20), named=True).replace()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("# B\n", 0o640)
    with pytest.raises(FileExistsError):
        StagedFile(path, b"# C\n", None, named=True).appear()
    with pytest.raises(Conflict):
        write_new(path, b"# C\n")
    assert path.read_text() == "# B\n"
