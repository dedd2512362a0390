"""Reads and writes memory items, their versions, the log of changes, and sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.model.ids import ProjectId
from octavo.model.memory import (
    MemoryAction,
    MemoryCommit,
    MemoryFile,
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
from octavo.sql_repositories.database_port import columns, listed
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class MemoryRepository(ProjectRepository):
    """Items, their versions, the log of changes and the sessions they were made in. The texts are documents' texts."""

    def put(self, item: MemoryItem, commit: MemoryCommit, version: MemoryVersion | None = None) -> None:
        """Writes the item as it stands now, what changed it, and its new version where there is one.

        Versions and commits are only ever added: a version number or an idempotency key used twice is a `Conflict`.
        """
        where = self._in(item.project_id, id=item.id)
        self._database.run("memory_put", where | _item_row(item))
        # A first version without links has nothing to replace: most commits are such, and every statement costs time.
        if item.links or version is None or version.number > 1:
            self._put_links(where, item)
        if version is not None:
            self._database.run("memory_version_put", where | _version_row(version))
        self._database.run("memory_commit_put", where | _commit_row(commit))

    def record(self, project: ProjectId, commit: MemoryCommit) -> None:
        """Adds to the log alone: the item stays as it is."""
        where = self._in(project, id=commit.item_id)
        self._database.run("memory_commit_put", where | _commit_row(commit))

    def get(self, project: ProjectId, item: MemoryId) -> MemoryItem | None:
        row = self._first("memory_get", project, id=item)
        return _item(project, row) if row else None

    def under(self, project: ProjectId, canonical_key: str) -> MemoryItem | None:
        """The item with this canonical key, whatever its status."""
        row = self._first("memory_under", project, canonical_key=canonical_key)
        return _item(project, row) if row else None

    def last_position(self, project: ProjectId, sequence: str) -> int:
        """The last place taken in a sequence; 0 when there is none."""
        return int(self._value("memory_last_position", project, sequence=sequence))

    def validity(self, project: ProjectId, items: Sequence[MemoryId]) -> Mapping[MemoryId, tuple[float, float | None]]:
        """When what the items tell now begins and stops being true."""
        return {
            MemoryId(row[0]): (row[1], row[2])
            for row in self._rows("memories_validity", project, items=json.dumps(list(items)))
        }

    def moments(self, project: ProjectId, instant: float) -> Mapping[MemoryId, MemoryCommit]:
        """The last change of each item up to an instant: how everything stood then."""
        commits = (_commit(row) for row in self._rows("memory_moments", project, instant=instant))
        return {commit.item_id: commit for commit in commits}

    def linking(
        self, project: ProjectId, targets: Sequence[str], types: Sequence[str] = ()
    ) -> tuple[tuple[MemoryLink, MemoryId], ...]:
        """Links of active items to these targets, with the items they start from, by target, oldest item first."""
        rows = self._rows(
            "memories_linking",
            project,
            targets=json.dumps(list(targets), ensure_ascii=False),
            types=listed(types),
        )
        return tuple((MemoryLink(target, type_), MemoryId(item)) for target, type_, item in rows)

    def find(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Oldest first."""
        items = (
            _item(project, row) for row in self._database.rows("memories_find", self._parameters(project, filters))
        )
        return tuple(item for item in items if filters.admits_tags(item.tags))

    def named(self, project: ProjectId, filters: MemoryFilter) -> tuple[MemoryId, ...]:
        """The same, by their ids alone."""
        rows = self._database.rows("memories_named", self._parameters(project, filters))
        tagged = filters.tags_all or filters.tags_any
        return tuple(MemoryId(row[0]) for row in rows if not tagged or filters.admits_tags(tuple(json.loads(row[1]))))

    def _parameters(self, project: ProjectId, filters: MemoryFilter) -> dict[str, Any]:
        return self._in(
            project,
            kinds=listed(filters.kinds),
            scopes=listed(filters.scopes),
            status=filters.status,
            pinned_only=filters.pinned_only,
            created_after=filters.created_after,
            created_before=filters.created_before,
            items=listed(filters.items),
            not_items=listed(filters.not_items),
            canonical_only=filters.canonical_only,
            doc_classes=listed(filters.doc_classes),
            sequences=listed(filters.sequences),
        )

    def same_text(self, project: ProjectId, scope: str, fingerprint: str) -> tuple[MemoryItem, ...]:
        """Active items of a scope whose text has this fingerprint, oldest first."""
        return tuple(
            _item(project, row)
            for row in self._rows("memories_same_text", project, scope=scope, fingerprint=bytes.fromhex(fingerprint))
        )

    def versions(self, project: ProjectId, item: MemoryId) -> tuple[MemoryVersion, ...]:
        rows = self._rows("memory_versions", project, id=item)
        return tuple(_version(item, row) for row in rows)

    def commits(self, project: ProjectId, item: MemoryId) -> tuple[MemoryCommit, ...]:
        """In the order they were made."""
        rows = self._rows("memory_commits", project, id=item)
        return tuple(_commit(row) for row in rows)

    def commit_under(self, project: ProjectId, key: str) -> MemoryCommit | None:
        """What an idempotency key was used for."""
        row = self._first("memory_commit_under", project, idempotency_key=key)
        return _commit(row) if row else None

    def put_session(self, session: MemorySession) -> None:
        self._run("memory_session_put", session.project_id, **columns(session))

    def session(self, project: ProjectId, session: SessionId) -> MemorySession | None:
        row = self._first("memory_session", project, id=session)
        return MemorySession(SessionId(row[0]), project, *row[1:]) if row else None

    def sessions(self, project: ProjectId) -> tuple[MemorySession, ...]:
        """Oldest first."""
        rows = self._rows("memory_sessions", project)
        return tuple(MemorySession(SessionId(row[0]), project, *row[1:]) for row in rows)

    def put_file(self, project: ProjectId, folder: str, file: MemoryFile) -> None:
        self._run("memory_file_put", project, folder=folder, **columns(file, item=file.item_id))

    def remove_file(self, project: ProjectId, folder: str, path: str) -> None:
        self._run("memory_file_remove", project, folder=folder, path=path)

    def files(self, project: ProjectId, folder: str) -> tuple[MemoryFile, ...]:
        """Which files of a folder stand for which memories, by path."""
        rows = self._rows("memory_files", project, folder=folder)
        return tuple(MemoryFile(path, MemoryId(item), version, digest) for path, item, version, digest in rows)

    def folders(self, project: ProjectId) -> tuple[str, ...]:
        """The folders of which files are known, in order."""
        return tuple(folder for (folder,) in self._rows("memory_folders", project))

    def _put_links(self, where: Mapping[str, Any], item: MemoryItem) -> None:
        self._database.run("memory_links_remove", where)
        if item.links:
            self._database.run_many(
                "memory_link_put",
                [
                    {**where, "ordinal": ordinal, "target": link.target, "type": link.type}
                    for ordinal, link in enumerate(item.links)
                ],
            )


def _item_row(item: MemoryItem) -> dict[str, Any]:
    links = json.dumps([(link.target, link.type) for link in item.links], ensure_ascii=False)
    return columns(item, links=links, fingerprint=bytes.fromhex(item.fingerprint))


def _version_row(version: MemoryVersion) -> dict[str, Any]:
    return columns(version, text_hash=bytes.fromhex(version.text_hash), session=version.session_id)


def _commit_row(commit: MemoryCommit) -> dict[str, Any]:
    return columns(commit, session=commit.session_id, idempotency_key=commit.key)


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
        canonical_key=row[13],
        doc_class=row[14],
        sequence=row[15],
        position=row[16],
    )


def _version(item: MemoryId, row: tuple[Any, ...]) -> MemoryVersion:
    number, title, digest, tags, author, reason, session, *times = row
    return MemoryVersion(
        item, number, title, digest.hex(), tuple(json.loads(tags)), author, reason, session or None, *times
    )


def _commit(row: tuple[Any, ...]) -> MemoryCommit:
    item, action, version, status, pinned, author, reason, session, *rest = row
    return MemoryCommit(
        item, MemoryAction(action), version, MemoryStatus(status), bool(pinned), author, reason, session or None, *rest
    )
