"""The vault in examples/ as a library that is opened from Python."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from python_calls import HASHING, VAULT

import octavo
from octavo.operations.table import OPERATIONS


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexed once, with what the operations' examples speak of."""
    path = tmp_path_factory.mktemp("python") / "library.db"
    with octavo.open(path, create=True, config=HASHING) as library:
        library.add("observatory", VAULT, writable=True)
        library.add("scratch", tmp_path_factory.mktemp("scratch"))
        library.index()
        library.remember(**OPERATIONS["remember"].example)
        library.remember("Perhaps paint the dome green.", title="A passing thought")
        library.sessions_start(**OPERATIONS["sessions_start"].example)
        library.canonical_upsert(**OPERATIONS["canonical_upsert"].example)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copy(made, tmp_path / "library.db"))


@pytest.fixture
def library(path: Path) -> Iterator[octavo.Library]:
    with octavo.open(path, config=HASHING) as library:
        yield library
