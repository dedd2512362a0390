"""The ledger: the outcome of indexing each file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.model.git_commit import is_repository
from octavo.model.ids import CollectionId, ProjectId
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.sql_repositories.projects_and_collections import ProjectRepository

# A table, because creating a member from its value takes longer than everything else done with a row.
_OUTCOMES = {outcome.value: outcome for outcome in FileOutcome}


class LedgerRepository(ProjectRepository):
    """What happened to each file of a collection."""

    def entries(self, project: ProjectId, collection: CollectionId) -> Mapping[str, LedgerEntry]:
        rows = self._database.rows("ledger_entries", self._where(project, collection))
        return {row[0]: _entry(row) for row in rows}

    def repositories(self, project: ProjectId, collection: CollectionId) -> Mapping[str, LedgerEntry]:
        """The lines of git repositories alone."""
        rows = self._database.rows("ledger_repositories", self._where(project, collection))
        return {row[0]: _entry(row) for row in rows if is_repository(row[0])}

    def at(self, project: ProjectId, collection: CollectionId, paths: Sequence[str]) -> Mapping[str, LedgerEntry]:
        """Of the files at these paths and below them: what `entries` says, without reading of all the others."""
        where = self._where(project, collection) | {"paths": json.dumps(list(dict.fromkeys(paths)))}
        return {row[0]: _entry(row) for row in self._database.rows("ledger_at", where)}

    def stamps(self, project: ProjectId, collection: CollectionId, uris: Sequence[str]) -> Mapping[str, FileStamp]:
        where = self._where(project, collection) | {"uris": json.dumps(uris)}
        return {row[0]: FileStamp(*row[1:]) for row in self._database.rows("ledger_stamps", where)}

    def ending(self, project: ProjectId, collection: CollectionId, extensions: Sequence[str]) -> tuple[str, ...]:
        """The uris of files with one of these extensions, which are in lower case with their dot."""
        where = self._where(project, collection) | {"extensions": json.dumps(extensions)}
        return tuple(row[0] for row in self._database.rows("ledger_ending", where))

    def note_check(self, project: ProjectId, collection: CollectionId, at: float | None = None) -> None:
        """The collection was compared with its folder as of `at`, or now: a transaction that moves no generation."""
        with self._database.transaction():
            now = self._clock() if at is None else at
            self._database.run("check_put", self._where(project, collection) | {"now": now})

    def checks(self, project: ProjectId) -> Mapping[CollectionId, float]:
        """When each collection was last compared with its folder; those that never were are left out."""
        rows = self._rows("checks", project)
        return {CollectionId(row[0]): row[1] for row in rows}

    def record(self, project: ProjectId, collection: CollectionId, entries: Iterable[LedgerEntry]) -> None:
        where = self._where(project, collection)
        self._database.run_many(
            "ledger_put",
            (
                (
                    where["project"],
                    where["collection"],
                    entry.uri,
                    entry.outcome.value,
                    entry.stamp.size,
                    entry.stamp.mtime_ns,
                    entry.stamp.inode,
                    entry.content_hash,
                    entry.recipe_id,
                    entry.document_id,
                    entry.reason,
                    json.dumps(entry.warnings, ensure_ascii=False) if entry.warnings else "[]",
                )
                for entry in entries
            ),
        )

    def forget(self, project: ProjectId, collection: CollectionId, uris: Iterable[str]) -> None:
        where = self._where(project, collection)
        self._database.run_many("ledger_forget", ({**where, "uri": uri} for uri in uris))

    def distrust(self, project: ProjectId, collection: CollectionId, uris: Iterable[str]) -> None:
        """What was made of these files is made again when they are next read; the ledger still knows them, so that
        a file that left the disk meanwhile takes its document with it."""
        where = self._where(project, collection)
        self._database.run_many("ledger_distrust", ({**where, "uri": uri} for uri in uris))

    def _where(self, project: ProjectId, collection: CollectionId) -> dict[str, Any]:
        return self._in(project, collection=self._keys.collection(project, collection))


def _entry(row: tuple[Any, ...]) -> LedgerEntry:
    uri, outcome, size, mtime_ns, inode, digest, recipe, document, reason, stored = row
    new, warnings = tuple.__new__, tuple(json.loads(stored)) if stored != "[]" else ()
    # Like the constructors, in half of their time: a run that finds nothing new makes one for every file.
    stamp = new(FileStamp, (size, mtime_ns, inode))
    fields = (uri, _OUTCOMES[outcome], stamp, digest, recipe or None, document or None, reason, warnings)
    return new(LedgerEntry, fields)
