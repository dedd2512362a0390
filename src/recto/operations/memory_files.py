"""Keep a folder of Markdown and the memories of a project in step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recto.engine.engine import Engine
from recto.memory.files import sync

PROJECT_FOLDER = ".memories"
USER_PROJECT = "user"


@dataclass(frozen=True, slots=True)
class FileProblem:
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryFilesAnswer:
    """Paths within the folder, by what happened. `conflicts` changed on both sides: both texts are versions now."""

    folder: str
    created: tuple[str, ...]
    revised: tuple[str, ...]
    written: tuple[str, ...]
    archived: tuple[str, ...]
    trashed: tuple[str, ...]
    conflicts: tuple[str, ...]
    problems: tuple[FileProblem, ...]
    unchanged: int


def memory_files(engine: Engine, folder: Path, *, accept_deletions: bool = False) -> MemoryFilesAnswer:
    """Not for clients elsewhere: it reads and writes a folder of whoever asks."""
    done = sync(engine.desk, folder, accept_deletions=accept_deletions)
    return MemoryFilesAnswer(
        folder=str(folder),
        created=tuple(done.created),
        revised=tuple(done.revised),
        written=tuple(done.written),
        archived=tuple(done.archived),
        trashed=tuple(done.trashed),
        conflicts=tuple(done.conflicts),
        problems=tuple(FileProblem(path, reason) for path, reason in done.problems),
        unchanged=done.unchanged,
    )
