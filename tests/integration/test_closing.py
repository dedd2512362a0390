"""A library is not closed under what still uses it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from engines import engine_over, wired
from numpy.typing import NDArray
from set_clock import SetClock

from octavo.config.schema import Jobs
from octavo.embedding.hashing_embedder import HashingEmbedder
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.requests import MemoryCommitRequest
from octavo.stores.sqlite.store import SqliteStore


class Slow(HashingEmbedder):
    """Embeds once it is let."""

    begun, let = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.begun.set()
        assert self.let.wait(60)
        return super().embed(texts)


def test_a_server_that_ends_while_a_job_runs_leaves_the_library_open_under_it(tmp_path: Path) -> None:
    clock = SetClock()
    engine = engine_over(SqliteStore(tmp_path / "library.db", clock=clock), wired(tmp_path), clock, embedder=Slow)
    calls = Calls(lambda: engine, threads=1)
    memory_commit(calls.engine(), MemoryCommitRequest(text="The boiler is in the cellar."))
    engine.job_threads.start(Jobs(poll_seconds=0.01))
    assert Slow.begun.wait(60)
    assert not calls.close(timeout=0.01)
    assert engine.store.database.connections.open > 0  # type: ignore[attr-defined]
    Slow.let.set()
    assert engine.job_threads.stop(60.0)
    assert engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile) == (1, 1)
    assert calls.close(timeout=60.0)
    assert engine.store.database.connections.open == 0  # type: ignore[attr-defined]
