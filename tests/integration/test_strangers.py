"""A folder of a stranger's: whatever lies in it is data. Nothing outside of it is read, moved or written."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import GOOD, Bench

from octavo.config.load import journals_folder
from octavo.model.location import DatabaseUrl

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices are those of POSIX systems")

JOURNAL = ".octavo-writes.journal"
SECRET = b"the text of a file outside\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "id").write_bytes(SECRET)
    return folder


def untouched(outside: Path) -> bool:
    return {path.name: path.read_bytes() for path in outside.iterdir()} == {"id": SECRET}


def hostile_journal(source: str, target: str) -> bytes:
    overwritten = {
        "path": "../outside/id",
        "old": base64.b64encode(b"theirs").decode(),
        "new": hashlib.sha256(SECRET).hexdigest(),
    }
    moved = {"source": source, "target": target, "made": []}
    return json.dumps({"version": 1, "renamed": moved, "files": [overwritten]}).encode()


JOURNALS: dict[str, Callable[[Path], object]] = {
    "moves a file out": lambda path: path.write_bytes(hostile_journal("../outside/.bashrc", "bread.md")),
    "moves a file in": lambda path: path.write_bytes(hostile_journal("in.md", "../outside/id")),
    "a list": lambda path: path.write_bytes(b"[]"),
    "an object": lambda path: path.write_bytes(b"{}"),
    "nothing": lambda path: path.write_bytes(b""),
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link out": lambda path: path.symlink_to("../outside/id"),
    "a folder": Path.mkdir,
    "a terabyte": lambda path: (path.touch(), os.truncate(path, 1 << 40)),
}


@pytest.mark.parametrize("kind", JOURNALS)
def test_a_journal_found_in_a_folder_is_reported_and_never_acted_on(bench: Bench, outside: Path, kind: str) -> None:
    bench.write(GOOD)
    JOURNALS[kind](bench.folder / JOURNAL)
    report = bench.index()
    assert untouched(outside) and {path.name for path in bench.folder.iterdir()} == {*GOOD_TOP, JOURNAL}
    assert report.added == len(GOOD) and not report.failed
    reasons = [problem.reason for problem in report.skipped if problem.uri == JOURNAL]
    assert kind == "a folder" or ["nothing in a folder is replayed" in reason for reason in reasons] == [True]


GOOD_TOP = {uri.partition("/")[0] for uri in GOOD}


def test_pending_writes_are_kept_beside_the_library_and_never_inside_the_folder_they_are_of(tmp_path: Path) -> None:
    notes, data = tmp_path / "notes", journals_folder(DatabaseUrl("postgresql://host/db"), tmp_path)
    assert journals_folder(tmp_path / "l.db", notes) == tmp_path / "l.db.writes"
    assert journals_folder(notes / ".octavo" / "library.db", notes) == data == journals_folder(None, notes)
    assert not data.is_relative_to(tmp_path)
