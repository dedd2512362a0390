"""The queue of writers lies on the library's folder, which a writer of notes may have locked itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from octavo.note_editing.folder_lock import folder_lock
from octavo.stores.sqlite import write_lock_queue
from octavo.stores.sqlite.write_lock_queue import WriteQueue

if sys.platform != "win32":
    import fcntl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")


def test_a_process_that_locked_the_folder_for_a_note_does_not_wait_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(write_lock_queue.time, "sleep", waits.append)
    queue = WriteQueue(tmp_path)
    with folder_lock(tmp_path, tmp_path / "writes"), queue.first(0.05):
        pass
    assert not waits
    with folder_lock(tmp_path / "..", tmp_path / "writes"), queue.first(0.05):
        pass
    assert not waits
    queue.close()


def test_a_folder_that_somebody_else_locked_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(write_lock_queue.time, "sleep", waits.append)
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    queue = WriteQueue(tmp_path)
    with queue.first(0.05):
        pass
    assert waits
    os.close(other)
    queue.close()
