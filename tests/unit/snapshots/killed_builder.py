"""Builds a snapshot and kills itself at a named step: what a power cut or an impatient person would do.

At the step `none` it lives, and ends with code 5 if another builder was faster.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from snapshot_samples import Bench

from octavo.errors import Busy
from octavo.ingest import search_snapshot_build as publishing
from octavo.search_snapshots.folder import SnapshotFolder
from octavo.stores.sqlite.snapshot_build_source import SqliteSnapshotSource


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def after(work: Callable[..., Any]) -> Callable[..., Any]:
    def done(*values: Any, **named: Any) -> None:
        work(*values, **named)
        die()

    return done


STEPS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "begin": (SqliteSnapshotSource, "begin", after),
    "lexical": (publishing, "publish_lexical", after),
    "shards": (publishing, "save_shard", after),
    "entries": (publishing, "entries", after),
    "check": (publishing, "check", after),
    "manifest": (SnapshotFolder, "publish", lambda _: die),
    "rename": (publishing, "enter_snapshot", lambda _: die),
    "enter": (publishing, "enter_snapshot", after),
    "switch": (SnapshotFolder, "switch", lambda _: die),
    "prune": (publishing, "prune", lambda _: die),
}

if __name__ == "__main__":
    bench = Bench(Path(sys.argv[1]))
    bench.written = {"a/one.md": []}
    if sys.argv[2] != "none":
        owner, name, broken = STEPS[sys.argv[2]]
        setattr(owner, name, broken(getattr(owner, name)))
    try:
        bench.publish()
    except Busy:
        sys.exit(5)
