"""An engine over each store, with a clock that stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recto.config.schema import Config, Embedding
from recto.engine.engine import Engine
from recto.engine.wiring import open_engine
from recto.memory.desk import Desk
from recto.stores.sqlite.store import SqliteStore
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["memory", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock) -> Iterator[Engine]:
    path = tmp_path / "library.db"
    with open_engine(Config(library=path, embedding=Embedding(provider="hashing")), create=True) as made:
        store = MemoryStore(clock=clock) if request.param == "memory" else SqliteStore(path, clock=clock)
        with Engine(replace(made._parts, store=store, clock=clock), "sample") as engine:
            yield engine


@pytest.fixture
def desk(engine: Engine) -> Desk:
    return engine.desk
