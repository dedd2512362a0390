"""Ragdocs' memory folders: a server keeps them in step, both ways, without being asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.operations.memory.memory_reading_and_writing import memory_sync, remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemorySyncRequest, RecallRequest, RememberRequest

_NOTE = '---\ntype: "plan"\ntags: ["refactor"]\n---\n\nMove the {what} to the cellar, see [[N2]].\n'


def _soon(holds: Callable[[], bool], seconds: float = 60.0) -> float:
    """Seconds until it holds."""
    never, start = threading.Event(), time.monotonic()
    while not holds():
        assert time.monotonic() < start + seconds, "it never came"
        never.wait(0.05)
    return time.monotonic() - start


def test_a_file_in_a_folder_of_memories_is_found_and_a_memory_gets_its_file(tmp_path: Path) -> None:
    folder, configured = tmp_path / ".memories", tmp_path / "mine"
    for place in (folder, configured):
        place.mkdir()
    (folder / "first.md").write_text(_NOTE.format(what="printer"), "utf-8")
    settings = {"watch.memory_folders": [str(configured)], "watch.debounce_ms": 250}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        memory_sync(engine, MemorySyncRequest(str(folder)))

        def known(word: str) -> bool:
            return any(word in memory.text for memory in recall(engine, RecallRequest(word)).memories)

        assert known("printer")
        engine.watcher.start()
        _soon(lambda: len([*configured.glob("*.md")]) == 1)  # what there is, in the configured folder too
        (folder / "second.md").write_text(_NOTE.format(what="scanner"), "utf-8")
        _soon(lambda: known("scanner"))
        (configured / "third.md").write_text(_NOTE.format(what="plotter"), "utf-8")
        _soon(lambda: known("plotter"))
        remember(engine, RememberRequest("The kettle whistles at six."))
        _soon(lambda: any("kettle" in file.read_text("utf-8") for file in folder.glob("*.md")))


def test_a_folder_that_is_not_there_is_neither_made_nor_taken_for_empty(tmp_path: Path) -> None:
    folder, other = tmp_path / "stick", tmp_path / "other"
    for place in (folder, other):
        place.mkdir()
    (folder / "first.md").write_text(_NOTE.format(what="printer"), "utf-8")
    settings = {"watch.memory_folders": [str(other)], "watch.debounce_ms": 250}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        memory_sync(engine, MemorySyncRequest(str(folder)))
        folder.rename(tmp_path / "elsewhere")
        remember(engine, RememberRequest("The kettle whistles at six."))
        engine.watcher.start()
        _soon(lambda: len([*other.glob("*.md")]) == 2)
        assert not folder.exists()
        assert recall(engine, RecallRequest("printer")).memories
