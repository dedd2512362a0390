"""Synchronise a folder of Markdown with the memories of a project."""

from __future__ import annotations

from pathlib import Path

from octavo.engine.engine import Engine
from octavo.memory.files import sync
from octavo.memory.sync_report import SyncReport
from octavo.operations.memory.requests import MemorySyncRequest


def memory_sync(engine: Engine, request: MemorySyncRequest) -> SyncReport:
    return sync(engine.memories, Path(request.folder).expanduser(), accept_deletions=request.accept_deletions)
