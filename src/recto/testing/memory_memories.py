"""Memory items, versions, the log and sessions, in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from recto.errors import Conflict
from recto.model.ids import ProjectId
from recto.model.memory import (
    MemoryCommit,
    MemoryFile,
    MemoryFilter,
    MemoryId,
    MemoryItem,
    MemoryLink,
    MemorySession,
    MemoryStatus,
    MemoryVersion,
    SessionId,
)
from recto.testing.memory_tables import Session, known_project


class MemoryMemories:
    """Fits `ports.Memories`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, item: MemoryItem, commit: MemoryCommit, version: MemoryVersion | None = None) -> None:
        tables = self._session.write()
        project = known_project(tables, item.project_id)
        held = tables.memory_items.get((project, item.id))
        metadata = json.loads(json.dumps(item.metadata, sort_keys=True))
        versions = tables.memory_versions.get((project, item.id), ())
        commits = tables.memory_commits.get(project, ())
        if version is not None and version.number in {one.number for one in versions}:
            raise Conflict(f"{item.id} already has a version {version.number}")
        if commit.key is not None and commit.key in {one.key for one in commits}:
            raise Conflict(f"the idempotency key {commit.key} is already used")
        other = self.under(item.project_id, item.canonical_key) if item.canonical_key is not None else None
        if other is not None and other.id != item.id:
            raise Conflict(f"{other.id} already has the key {item.canonical_key}")
        created_at = held.created_at if held else item.created_at
        tables.memory_items[project, item.id] = replace(item, metadata=metadata, created_at=created_at)
        if version is not None:
            tables.memory_versions[project, item.id] = (*versions, version)
        tables.memory_commits[project] = (*commits, commit)

    def get(self, project: ProjectId, item: MemoryId) -> MemoryItem | None:
        tables = self._session.read()
        return tables.memory_items.get((known_project(tables, project), item))

    def under(self, project: ProjectId, canonical_key: str) -> MemoryItem | None:
        return next((item for item in self._items(project) if item.canonical_key == canonical_key), None)

    def last_position(self, project: ProjectId, sequence: str) -> int:
        return max((item.position for item in self._items(project) if item.sequence == sequence), default=0)

    def validity(self, project: ProjectId, items: Sequence[MemoryId]) -> Mapping[MemoryId, tuple[float, float | None]]:
        versions = {item: self.versions(project, item) for item in items}
        return {item: (held[-1].valid_from, held[-1].valid_to) for item, held in versions.items() if held}

    def moments(self, project: ProjectId, instant: float) -> Mapping[MemoryId, MemoryCommit]:
        tables = self._session.read()
        log = tables.memory_commits.get(known_project(tables, project), ())
        return {commit.item_id: commit for commit in log if commit.at <= instant}

    def linking(
        self, project: ProjectId, targets: Sequence[str], types: Sequence[str] = ()
    ) -> tuple[tuple[MemoryLink, MemoryId], ...]:
        found = [
            (link, item.id)
            for item in self._items(project)
            for link in item.links
            if item.status is MemoryStatus.ACTIVE and link.target in targets and (not types or link.type in types)
        ]
        return tuple(sorted(found, key=lambda pair: pair[0].target))

    def find(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryItem, ...]:
        return tuple(item for item in self._items(project) if _admits(filters, item))

    def named(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryId, ...]:
        return tuple(item.id for item in self.find(project, filters))

    def same_text(self, project: ProjectId, scope: str, fingerprint: str) -> tuple[MemoryItem, ...]:
        return tuple(
            item
            for item in self._items(project)
            if (item.scope, item.fingerprint, item.status) == (scope, fingerprint, MemoryStatus.ACTIVE)
        )

    def versions(self, project: ProjectId, item: MemoryId) -> tuple[MemoryVersion, ...]:
        tables = self._session.read()
        found = tables.memory_versions.get((known_project(tables, project), item), ())
        return tuple(sorted(found, key=lambda version: version.number))

    def commits(self, project: ProjectId, item: MemoryId) -> tuple[MemoryCommit, ...]:
        tables = self._session.read()
        log = tables.memory_commits.get(known_project(tables, project), ())
        return tuple(commit for commit in log if commit.item_id == item)

    def commit_under(self, project: ProjectId, key: str) -> MemoryCommit | None:
        tables = self._session.read()
        log = tables.memory_commits.get(known_project(tables, project), ())
        return next((commit for commit in log if commit.key == key), None)

    def put_session(self, session: MemorySession) -> None:
        tables = self._session.write()
        key = (known_project(tables, session.project_id), session.id)
        held = tables.memory_sessions.get(key)
        begun = replace(session, author=held.author, started_at=held.started_at) if held else session
        tables.memory_sessions[key] = begun

    def session(self, project: ProjectId, session: SessionId) -> MemorySession | None:
        tables = self._session.read()
        return tables.memory_sessions.get((known_project(tables, project), session))

    def sessions(self, project: ProjectId) -> tuple[MemorySession, ...]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (session for (owner, _), session in tables.memory_sessions.items() if owner == project)
        return tuple(sorted(mine, key=lambda session: (session.started_at, session.id)))

    def put_file(self, project: ProjectId, folder: str, file: MemoryFile) -> None:
        tables = self._session.write()
        tables.memory_files[known_project(tables, project), folder, file.path] = file

    def remove_file(self, project: ProjectId, folder: str, path: str) -> None:
        tables = self._session.write()
        tables.memory_files.pop((known_project(tables, project), folder, path), None)

    def files(self, project: ProjectId, folder: str) -> tuple[MemoryFile, ...]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (file for (owner, where, _), file in tables.memory_files.items() if (owner, where) == (project, folder))
        return tuple(sorted(mine, key=lambda file: file.path))

    def _items(self, project: ProjectId) -> list[MemoryItem]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (item for (owner, _), item in tables.memory_items.items() if owner == project)
        return sorted(mine, key=lambda item: (item.created_at, item.id))


def _admits(filters: MemoryFilter, item: MemoryItem) -> bool:
    return (
        (not filters.kinds or item.kind in filters.kinds)
        and (not filters.scopes or item.scope in filters.scopes)
        and filters.status in (None, item.status)
        and (item.pinned or not filters.pinned_only)
        and (filters.created_after is None or item.created_at >= filters.created_after)
        and (filters.created_before is None or item.created_at < filters.created_before)
        and (not filters.items or item.id in filters.items)
        and item.id not in filters.not_items
        and (item.canonical_key is not None or not filters.canonical_only)
        and (not filters.doc_classes or item.doc_class in filters.doc_classes)
        and (not filters.sequences or item.sequence in filters.sequences)
        and filters.admits_tags(item.tags)
    )
