"""Synchronise a folder of Markdown with the memories of a project."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.memory.folder_sync import sync
from octavo.memory.sync_report import SyncReport
from octavo.model.library_location import expand_user
from octavo.operations.memory.requests import MemorySyncRequest


def memory_sync(engine: Engine, request: MemorySyncRequest) -> SyncReport:
    return sync(engine.memories, expand_user(request.folder), accept_deletions=request.accept_deletions)
