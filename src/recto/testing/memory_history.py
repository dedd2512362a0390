"""Commits by hash and by file, in memory. A commit whose document is gone is gone with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from recto.model.history import FoundCommit, HistoryEntry
from recto.model.ids import CollectionId, ProjectId
from recto.testing.memory_tables import HeldDocument, Session, known_collection, known_project


class MemoryHistory:
    """Fits `ports.History`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, project: ProjectId, collection: CollectionId, entries: Sequence[HistoryEntry]) -> None:
        tables = self._session.write()
        known_collection(tables, project, collection)
        for entry in entries:
            key = (project, collection, entry.repository, entry.hash)
            before = tables.commits.get(key)
            files = tuple(dict.fromkeys((*(before.files if before else ()), *entry.files)))
            tables.commits[key] = replace(entry, files=files)

    def known(self, project: ProjectId, collection: CollectionId) -> Mapping[str, Mapping[str, str]]:
        known_collection(self._session.read(), project, collection)
        found: dict[str, dict[str, str]] = {}
        for held, entry in self._held(project):
            if held.collection == collection:
                found.setdefault(entry.repository, {})[entry.hash] = entry.made_by
        return found

    def any(self, project: ProjectId) -> bool:
        return next(self._held(project), None) is not None

    def find(self, project: ProjectId, start: str) -> tuple[FoundCommit, ...]:
        found = [self._found(project, *one) for one in self._held(project) if one[1].hash.startswith(start)]
        return tuple(sorted(found, key=lambda one: (one.collection, one.uri)))

    def touching(
        self, project: ProjectId, paths: Sequence[str] | None, collection: CollectionId | None, limit: int
    ) -> tuple[FoundCommit, ...]:
        found = [
            self._found(project, held, entry)
            for held, entry in self._held(project)
            if collection in (None, held.collection) and (paths is None or not set(paths).isdisjoint(entry.files))
        ]
        return tuple(sorted(found, key=lambda one: (-one.committed_at, one.hash))[:limit])

    def admitted(
        self, project: ProjectId, author: str | None, touches: Callable[[str], bool] | None
    ) -> tuple[str, ...]:
        wanted = author.lower() if author else ""
        return tuple(
            sorted(
                held.document.uri
                for held, entry in self._held(project)
                if wanted in entry.author.lower() and (touches is None or any(map(touches, entry.files)))
            )
        )

    def _held(self, project: ProjectId) -> Iterator[tuple[HeldDocument, HistoryEntry]]:
        tables = self._session.read()
        known_project(tables, project)
        for (owner, *_), entry in tables.commits.items():
            held = tables.documents.get((owner, entry.document_id))
            if owner == project and held is not None:
                yield held, entry

    def _found(self, project: ProjectId, held: HeldDocument, entry: HistoryEntry) -> FoundCommit:
        collection = self._session.read().collections[project, held.collection].name
        document = held.document
        return FoundCommit(
            entry.hash, collection, document.uri, document.title, entry.committed_at, document.id, document.metadata
        )
