"""An empty folder and a library beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    for name in ("notes", "home"):
        (tmp_path / name).mkdir()
    return Bench(tmp_path / "notes", tmp_path / "library.db", tmp_path / "home")
