"""How much of what is on the disk an answer could see, and which of its hits the disk contradicts."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recto.model.ledger import LedgerEntry
from recto.model.result import Freshness, Hit

if TYPE_CHECKING:
    from recto.engine.engine import Engine

CHANGED, GONE = "changed", "gone"


def counted(engine: Engine) -> Freshness:
    """What only a change of the library changes."""
    counts = engine.store.counts(engine.project.id)
    done, total = engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile)
    return Freshness(counts.documents, total - done, counts.failed, done / total if total else 1.0)


def as_of_now(engine: Engine, fresh: Freshness, now: float) -> Freshness:
    """With what changes by itself: what waits to be looked at, and how long ago the folders were last compared."""
    checks = engine.store.ledger.checks(engine.project.id)
    age = max(0, round(now - min(checks.values()))) if checks else None
    queued = engine.watching.state().queued if engine.watching.active else 0
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
    return tuple(replace(hit, stale=said.get((hit.collection, hit.citation.uri)) or None) for hit in hits)


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
