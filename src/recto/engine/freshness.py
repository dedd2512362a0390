"""How much of what is on the disk an answer could see, and which of its hits the disk contradicts."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recto.errors import RectoError
from recto.model.ledger import LedgerEntry
from recto.model.result import Freshness, Hit

if TYPE_CHECKING:
    from recto.engine.engine import Engine

CHANGED, GONE = "changed", "gone"
_AT_ONCE = 0.05  # seconds of counting that a search takes upon itself
_SHARE = 20  # of the time of one processor that counting may take: a twentieth


class Counts:
    """What only a change of the library changes, counted again once it has changed.

    A large library is counted beside the searches, and not after every commit; they are given the last count meanwhile.
    """

    def __init__(self, count: Callable[[], Freshness], generation: Callable[[], int]) -> None:
        self._count = count
        self._generation = generation
        self._known: tuple[int, Freshness] | None = None
        self._took = self._not_before = 0.0
        self._lock = threading.Lock()
        self._beside: threading.Thread | None = None

    def now(self) -> Freshness:
        generation, known = self._generation(), self._known
        if known is None or (known[0] != generation and self._took < _AT_ONCE):
            return self._counted(generation)
        if known[0] != generation and time.perf_counter() >= self._not_before:
            with self._lock:
                if self._beside is None or not self._beside.is_alive():
                    self._beside = threading.Thread(target=self._quietly, name="recto-count", daemon=True)
                    self._beside.start()
        return known[1]

    def stop(self) -> None:
        """Waits for a count that is under way: it reads from what is about to be closed."""
        if self._beside is not None:
            self._beside.join()

    def _quietly(self) -> None:
        with suppress(RectoError):  # whoever searches meets it as well
            self._counted(self._generation())

    def _counted(self, generation: int) -> Freshness:
        started = time.thread_time()
        fresh = self._count()
        self._took = time.thread_time() - started
        self._not_before = time.perf_counter() + _SHARE * self._took
        self._known = (generation, fresh)
        return fresh


def counted(engine: Engine) -> Freshness:
    """What only a change of the library changes."""
    counts = engine.store.counts(engine.project.id)
    done, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    return Freshness(counts.documents, total - done, counts.failed, done / total if total else 1.0)


def as_of_now(engine: Engine, fresh: Freshness, now: float) -> Freshness:
    """With what changes by itself: what waits to be looked at, and how long ago the folders were last compared."""
    checks = engine.store.ledger.checks(engine.project.id)
    age = max(0, round(now - min(checks.values()))) if checks else None
    queued = engine.watching.state().queued if engine.watched else 0
    return replace(fresh, queued=queued, age_seconds=age)


def marked(engine: Engine, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, with those marked whose file is no longer what was indexed. Only these files are looked at."""
    wanted: dict[str, set[str]] = {}
    for hit in hits:
        wanted.setdefault(hit.collection, set()).add(hit.citation.uri)
    said: dict[tuple[str, str], str] = {}
    for collection in engine.collections() if wanted else ():
        if collection.name in wanted and collection.on_disk:
            entries = engine.store.ledger.at(engine.project.id, collection.id, sorted(wanted[collection.name]))
            for uri in wanted[collection.name] & entries.keys():
                said[collection.name, uri] = _since(collection.root, entries[uri])
    stale = [said.get((hit.collection, hit.citation.uri)) for hit in hits]
    return tuple(replace(hit, stale=why) if why else hit for hit, why in zip(hits, stale, strict=True))


def _since(root: Path, entry: LedgerEntry) -> str:
    """What became of a file; nothing where that cannot be told: an empty root may be a disk that is not mounted."""
    try:
        status = (root / entry.uri).stat()
    except (FileNotFoundError, NotADirectoryError):
        return GONE if _holds_anything(root) else ""
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(status.st_mode):
        return GONE
    same = (status.st_size, status.st_mtime_ns) == (entry.stamp.size, entry.stamp.mtime_ns)
    return "" if same else CHANGED


def _holds_anything(root: Path) -> bool:
    try:
        with os.scandir(root) as entries:
            return any(True for _ in entries)
    except OSError:
        return False
