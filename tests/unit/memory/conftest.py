"""An engine over a library in memory, with a clock that stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import engine_over, wired
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.memory.project_memories import ProjectMemories
from octavo.stores.sqlite.store import SqliteStore


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def engine(tmp_path: Path, clock: SetClock) -> Iterator[Engine]:
    with engine_over(SqliteStore.in_memory(clock), wired(tmp_path), clock) as engine:
        yield engine


@pytest.fixture
def memories(engine: Engine) -> ProjectMemories:
    return engine.memories
