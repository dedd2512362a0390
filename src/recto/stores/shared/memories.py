"""Memory items, their versions, the log of changes, and sessions."""

from __future__ import annotations

import json
from typing import Any

from recto.model.ids import ProjectId
from recto.model.memory import (
    MemoryAction,
    MemoryCommit,
    MemoryFilter,
    MemoryId,
    MemoryItem,
    MemoryKind,
    MemoryLink,
    MemorySession,
    MemoryStatus,
    MemoryVersion,
    SessionId,
)
from recto.stores.shared.database import Database, first
from recto.stores.shared.projects import Keys


class MemoryRepository:
    """Fits `ports.Memories`."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys

    def put(self, item: MemoryItem, commit: MemoryCommit, version: MemoryVersion | None = None) -> None:
        where = {"project": self._keys.project(item.project_id), "id": item.id}
        self._database.run("memory_put", where | _item_row(item))
        if version is not None:
            self._database.run("memory_version_put", where | _version_row(version))
        self._database.run("memory_commit_put", where | _commit_row(commit))

    def get(self, project: ProjectId, item: MemoryId) -> MemoryItem | None:
        row = first(self._database, "memory_get", {"project": self._keys.project(project), "id": item})
        return _item(project, row) if row else None

    def find(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryItem, ...]:
        where = {
            "project": self._keys.project(project),
            "kinds": _listed(filters.kinds),
            "scopes": _listed(filters.scopes),
            "status": filters.status,
            "pinned_only": filters.pinned_only,
            "created_after": filters.created_after,
            "created_before": filters.created_before,
            "items": _listed(filters.items),
            "not_items": _listed(filters.not_items),
        }
        found = (_item(project, row) for row in self._database.rows("memories_find", where))
        return tuple(item for item in found if filters.admits_tags(item.tags))

    def same_text(self, project: ProjectId, scope: str, fingerprint: str) -> tuple[MemoryItem, ...]:
        where = {
            "project": self._keys.project(project),
            "scope": scope,
            "fingerprint": bytes.fromhex(fingerprint),
        }
        return tuple(_item(project, row) for row in self._database.rows("memories_same_text", where))

    def versions(self, project: ProjectId, item: MemoryId) -> tuple[MemoryVersion, ...]:
        rows = self._database.rows("memory_versions", {"project": self._keys.project(project), "id": item})
        return tuple(_version(item, row) for row in rows)

    def commits(self, project: ProjectId, item: MemoryId) -> tuple[MemoryCommit, ...]:
        rows = self._database.rows("memory_commits", {"project": self._keys.project(project), "id": item})
        return tuple(_commit(row) for row in rows)

    def commit_under(self, project: ProjectId, key: str) -> MemoryCommit | None:
        where = {"project": self._keys.project(project), "idempotency_key": key}
        row = first(self._database, "memory_commit_under", where)
        return _commit(row) if row else None

    def put_session(self, session: MemorySession) -> None:
        self._database.run(
            "memory_session_put",
            {
                "project": self._keys.project(session.project_id),
                "id": session.id,
                "title": session.title,
                "author": session.author,
                "started_at": session.started_at,
                "ended_at": session.ended_at,
                "summary": session.summary,
            },
        )

    def session(self, project: ProjectId, session: SessionId) -> MemorySession | None:
        row = first(self._database, "memory_session", {"project": self._keys.project(project), "id": session})
        return MemorySession(SessionId(row[0]), project, *row[1:]) if row else None

    def sessions(self, project: ProjectId) -> tuple[MemorySession, ...]:
        rows = self._database.rows("memory_sessions", {"project": self._keys.project(project)})
        return tuple(MemorySession(SessionId(row[0]), project, *row[1:]) for row in rows)


def _listed(values: tuple[str, ...]) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None


def _item_row(item: MemoryItem) -> dict[str, Any]:
    return {
        "kind": item.kind.value,
        "scope": item.scope,
        "title": item.title,
        "tags": json.dumps(item.tags, ensure_ascii=False),
        "links": json.dumps([(link.target, link.type) for link in item.links], ensure_ascii=False),
        "metadata": json.dumps(item.metadata, ensure_ascii=False, sort_keys=True),
        "pinned": item.pinned,
        "status": item.status.value,
        "version": item.version,
        "fingerprint": bytes.fromhex(item.fingerprint),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


def _version_row(version: MemoryVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "title": version.title,
        "text_hash": bytes.fromhex(version.text_hash),
        "tags": json.dumps(version.tags, ensure_ascii=False),
        "author": version.author,
        "reason": version.reason,
        "session": version.session_id,
        "created_at": version.created_at,
        "valid_from": version.valid_from,
        "valid_to": version.valid_to,
        "supersedes": version.supersedes,
    }


def _commit_row(commit: MemoryCommit) -> dict[str, Any]:
    return {
        "action": commit.action.value,
        "version": commit.version,
        "status": commit.status.value,
        "pinned": commit.pinned,
        "author": commit.author,
        "reason": commit.reason,
        "session": commit.session_id,
        "idempotency_key": commit.key,
        "payload": commit.payload,
        "at": commit.at,
    }


def _item(project: ProjectId, row: tuple[Any, ...]) -> MemoryItem:
    return MemoryItem(
        id=MemoryId(row[0]),
        project_id=project,
        kind=MemoryKind(row[1]),
        scope=row[2],
        title=row[3],
        tags=tuple(json.loads(row[4])),
        links=tuple(MemoryLink(*pair) for pair in json.loads(row[5])),
        metadata=json.loads(row[6]),
        pinned=bool(row[7]),
        status=MemoryStatus(row[8]),
        version=row[9],
        fingerprint=row[10].hex(),
        created_at=row[11],
        updated_at=row[12],
    )


def _version(item: MemoryId, row: tuple[Any, ...]) -> MemoryVersion:
    return MemoryVersion(
        item_id=item,
        number=row[0],
        title=row[1],
        text_hash=row[2].hex(),
        tags=tuple(json.loads(row[3])),
        author=row[4],
        reason=row[5],
        session_id=SessionId(row[6]) if row[6] else None,
        created_at=row[7],
        valid_from=row[8],
        valid_to=row[9],
        supersedes=row[10],
    )


def _commit(row: tuple[Any, ...]) -> MemoryCommit:
    return MemoryCommit(
        item_id=MemoryId(row[0]),
        action=MemoryAction(row[1]),
        version=row[2],
        status=MemoryStatus(row[3]),
        pinned=bool(row[4]),
        author=row[5],
        reason=row[6],
        session_id=SessionId(row[7]) if row[7] else None,
        key=row[8],
        payload=row[9],
        at=row[10],
    )
