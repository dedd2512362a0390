"""mcp-memory-service's SQLite file: its memories, and the links that it found between them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from octavo.errors import OctavoError
from octavo.memory.draft import MemoryDraft
from octavo.model.memory import MemoryKind, MemoryLink
from octavo_import.foreign_sqlite_file import SqliteFile
from octavo_import.memory_import import ImportedMemory, ImportedVersion, MemorySource, SourceProject, kind_of

DATABASE = "sqlite_vec.db"
_PAGE = 500
_KINDS = {"error": MemoryKind.BUG, "learning": MemoryKind.REFLECTION, "pattern": MemoryKind.OBSERVATION}
"""Types that Octavo calls otherwise. One that it does not know is a note; the type itself stays in the metadata."""


def claims(place: Path) -> bool:
    file = place / DATABASE if place.is_dir() else place
    if not file.is_file():
        return False
    try:
        with closing(_opened(file)) as opened:
            return {"content_hash", "memory_type"} <= opened.columns("memories")
    except OctavoError:
        return False


def open_source(place: Path) -> MemoryService:
    return MemoryService(_opened(place / DATABASE if place.is_dir() else place))


class MemoryService(MemorySource):
    program = "mcp-memory-service"

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._links: dict[str, list[MemoryLink]] = defaultdict(list)
        if columns := file.columns("memory_graph"):
            kind = "relationship_type" if "relationship_type" in columns else "null"
            for source, target, said in file.rows("links", type=kind):
                self._links[source].append(MemoryLink(target, said or "related"))

    def projects(self) -> tuple[SourceProject, ...]:
        return (SourceProject(),)

    def memories(self, project: SourceProject) -> Iterator[ImportedMemory]:
        current, after = "deleted_at is null" if "deleted_at" in self._file.columns("memories") else "true", ""
        while rows := self._file.rows("memories", {"after": after, "limit": _PAGE}, current=current):
            for row in rows:
                yield self._memory(*row)
            after = rows[-1][0]

    def close(self) -> None:
        self._file.close()

    def _memory(
        self, name: str, content: str, tags: str | None, kind: str | None, metadata: str | None, at: float
    ) -> ImportedMemory:
        said = {"memory_type": kind} if kind else {}
        draft = MemoryDraft(
            "",
            kind=kind_of(kind or "", _KINDS),
            tags=tuple(tag.strip() for tag in (tags or "").split(",")),
            metadata={**_object(metadata), **said, "content_hash": name},
        )
        return ImportedMemory(name, draft, (ImportedVersion(content, at),), links=self._links.get(name, ()))


def _opened(file: Path) -> SqliteFile:
    return SqliteFile(file, MemoryService.program, "memory_service")


def _object(text: str | None) -> dict[str, Any]:
    try:
        said = json.loads(text or "{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
