"""Indexing, searching and remembering ask nobody: the promise that all five programs make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import sys

def heard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise SystemExit(f"{event} {arguments[1:]}")

sys.addaudithook(heard)
import octavo

with octavo.open(sys.argv[1] + "/library.db", create=True) as library:
    library.add(sys.argv[1] + "/notes")
    library.index()
    library.remember("Backups go to tape.")
    print(library.search("where do copies go").hits[0].uri, len(library.recall("tape").memories))
"""


def test_a_library_is_made_searched_and_remembered_into_without_a_connection(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "backup.md").write_text("# Backup\n\nCopies of the database go to tape.\n", "utf-8")
    done = subprocess.run([sys.executable, "-c", _PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "backup.md 1\n"
