"""Fast vectors become full ones: what is asked for most and what changed last first, as long as memory allows."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from recto.engine.builds import RUNNING
from recto.errors import Busy, StorageError

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.model.ids import ChunkKey
    from recto.model.recipe import EmbeddingProfile
    from recto.observability.progress import Progress
    from recto.retrieval.stage import Library

_PACE, _PACE_SECONDS = "full vectors", 600.0
_MOST = 10_000  # chunks counted between two writings: enough to know what is asked for most


class Hits:
    """How often searches showed each chunk. Held in memory, so that a search writes nothing.

    What is counted reaches the library when vectors are computed, or when the engine closes, and only of chunks that
    wait for theirs. It never leaves the library.
    """

    def __init__(self) -> None:
        self._shown: Counter[ChunkKey] = Counter()
        self._lock = threading.Lock()

    def note(self, keys: Iterable[ChunkKey]) -> None:
        with self._lock:
            if len(self._shown) < _MOST:
                self._shown.update(keys)

    def write_down(self, engine: Engine) -> None:
        """It only orders work, so a busy library does without."""
        with self._lock:
            shown, self._shown = self._shown, Counter()
        if shown:
            with suppress(Busy, StorageError):
                engine.store.embeddings.note_hits(engine.project.id, engine.embedder.profile, shown)

    def leave(self, engine: Engine) -> None:
        """When the engine closes: not while somebody indexes, for whose transactions this would wait."""
        build = engine.builds.current() if self._shown else None
        if build is None or build.state != RUNNING:
            self.write_down(engine)


def upgrade(engine: Engine, most: int, progress: Progress) -> int:
    """Full vectors for some of what waits; how many. A new snapshot follows once there are enough."""
    from recto.engine.indexing import publish
    from recto.ingest.embed import embed_pending

    make_inputs(engine, progress)
    if _without_full(engine, progress):
        return 0
    engine.hits.write_down(engine)
    fast, started = fast_profile(engine), time.perf_counter()
    embedded = embed_pending(engine.store, engine.project.id, engine.embedder, progress, wanted=most, fast=fast)
    if embedded == most:
        _say_how_fast(engine, embedded / (time.perf_counter() - started))
    publish(engine, progress)
    return embedded


def make_inputs(engine: Engine, progress: Progress) -> None:
    """Of chunks that a run without embedding wrote."""
    from recto.ingest.postponed import make_postponed
    from recto.model.collection import CollectionSettings

    # What a collection says of its chunks' sizes is done with: they are cut.
    preparer = partial(engine._parts.preparer, CollectionSettings())
    make_postponed(engine.store, engine.project.id, lambda: preparer().inputs, progress)


def seconds_left(engine: Engine, waiting: int) -> float | None:
    """How long the full vectors of so many chunks take at the pace of whoever computes them; None if nobody does."""
    said = engine.store.leases.current(engine.project.id, _PACE)
    return waiting / said.detail["a_second"] if said is not None else None


def _say_how_fast(engine: Engine, a_second: float) -> None:
    """For everybody who looks at the library; forgotten some time after the last batch."""
    with suppress(Busy, StorageError):
        mine = f"{os.getpid()} {id(engine)}"
        engine.store.leases.take(engine.project.id, _PACE, mine, _PACE_SECONDS, {"a_second": round(a_second, 3)})


def embed_newest(engine: Engine, most: int, progress: Progress) -> int:
    """Full vectors for what was just written; how many."""
    from recto.ingest.embed import embed_pending

    if not most or _without_full(engine, progress):
        return 0
    fast = fast_profile(engine)
    return embed_pending(engine.store, engine.project.id, engine.embedder, progress, newest=most, fast=fast)


def fast_profile(engine: Engine) -> EmbeddingProfile | None:
    """Whose vectors stand in for full ones here."""
    make = engine._parts.fast
    fast = None if make is None else make(engine.embedder)
    return None if fast is None else fast.profile


def write_down(library: Library) -> None:
    """What the stages of a search want kept. It only saves work, so a busy library does without."""
    with suppress(Busy, StorageError):
        for write in library.later:
            write()


def _without_full(engine: Engine, progress: Progress) -> bool:
    """Whether full vectors are not to be computed now; then what has none gets a fast one."""
    if not engine._parts.constrained():
        return False
    from recto.ingest.fast import embed_fast

    fast = None if engine._parts.fast is None else engine._parts.fast(engine.embedder)
    if fast is not None:
        embed_fast(engine.store, engine.project.id, fast, engine.embedder.profile, progress)
    return True
