"""Records which snapshots a library knows, and the watermark that tells what has changed since one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.model.ids import ChunkKey, ProjectId, SnapshotId
from octavo.model.search_snapshot import Watermark
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class SqliteSnapshotMarks(ProjectRepository):
    """Fits `ports.SnapshotMarks`."""

    def begin(self, project: ProjectId, snapshot: SnapshotId) -> None:
        self._run("snapshot_begin", project, id=snapshot, now=self._clock())

    def finish(self, project: ProjectId, snapshot: SnapshotId) -> None:
        self._run("snapshot_finish", project, id=snapshot)

    def forget(self, project: ProjectId, snapshots: Sequence[SnapshotId], seen: int) -> None:
        key = self._keys.project(project)
        self._database.run_many("snapshot_forget", ({"project": key, "id": snapshot} for snapshot in snapshots))
        self._database.run("chunk_changes_forget", {"project": key, "last": seen})

    def known(self, project: ProjectId) -> Mapping[SnapshotId, bool]:
        rows = self._rows("snapshots_known", project)
        return {SnapshotId(row[0]): bool(row[1]) for row in rows}

    def mark(self, project: ProjectId) -> Watermark:
        where = self._in(project)
        return Watermark(
            generation=int(value(self._database, "generation")),
            block=int(value(self._database, "lexical_blocks_newest", where)),
            change=int(value(self._database, "chunk_changes_newest", where)),
            vector=int(value(self._database, "vectors_newest", where)),
        )

    def changed(self, project: ProjectId, since: Watermark) -> tuple[ChunkKey, ...]:
        return tuple(ChunkKey(row[1]) for row in self._rows("chunk_changes_after", project, after=since.change))
