"""A small library for tests of how an engine starts and what it does without."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.engine.wiring import open_library


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder, library = tmp_path / "notes", tmp_path / "library.db"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nAbout harbour {number}.\n")
    with open_library(library, create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    return library
