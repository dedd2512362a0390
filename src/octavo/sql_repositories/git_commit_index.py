"""The commit index: commits by hash, and the files they touched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.model.ids import CollectionId, DocumentId, ProjectId
from octavo.model.indexed_commit import FoundCommit, HistoryEntry
from octavo.sql_repositories.database_port import columns
from octavo.sql_repositories.filter_parameters import folded
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_AFTER_HEX = "g"  # sorts after every hexadecimal digit


class HistoryRepository(ProjectRepository):
    """Commits by hash, and which of them touched which file. A commit leaves with its document."""

    def put(self, project: ProjectId, collection: CollectionId, entries: Sequence[HistoryEntry]) -> None:
        """Of commits whose documents have been put in the same transaction, or before."""
        where = self._in(project, collection=self._keys.collection(project, collection))
        owner = where["project"]
        ids = json.dumps([entry.document_id for entry in entries])
        keys = {row[0]: row[1] for row in self._database.rows("commit_documents", {"project": owner, "ids": ids})}
        self._database.run_many(
            "commit_put",
            (
                where | columns(entry, document=keys[entry.document_id], author=folded(entry.author), files=None)
                for entry in entries
            ),
        )
        paths = dict.fromkeys(path for entry in entries for path in entry.files)
        self._database.run_many("commit_path_put", ({"project": owner, "path": path} for path in paths))
        self._database.run_many(
            "commit_file_put",
            (
                {"project": owner, "path": path, "document": keys[entry.document_id]}
                for entry in entries
                for path in entry.files
            ),
        )

    def known(self, project: ProjectId, collection: CollectionId) -> Mapping[str, Mapping[str, str]]:
        """Repository → hash → by which recipe it was made."""
        where = self._in(project, collection=self._keys.collection(project, collection))
        hashes: dict[str, dict[str, str]] = {}
        for repository, hash_, made_by in self._database.rows("commits_known", where):
            hashes.setdefault(repository, {})[hash_] = made_by
        return hashes

    def any(self, project: ProjectId) -> bool:
        return bool(self._rows("commits_any", project))

    def find(self, project: ProjectId, start: str) -> tuple[FoundCommit, ...]:
        """Commits whose hash starts so, by collection and uri."""
        return tuple(_found(row) for row in self._rows("commits_found", project, first=start, last=start + _AFTER_HEX))

    def touching(
        self, project: ProjectId, paths: Sequence[str] | None, collection: CollectionId | None, limit: int
    ) -> tuple[FoundCommit, ...]:
        """Commits that changed one of these files, newest first; with None, whatever they changed."""
        where = self._in(project, collection=collection, limit=limit)
        if paths is None:
            return tuple(_found(row) for row in self._database.rows("commits_newest", where))
        parameters = where | {"paths": json.dumps(list(dict.fromkeys(paths)))}
        return tuple(_found(row) for row in self._database.rows("commits_touching", parameters))

    def admitted(
        self, project: ProjectId, author: str | None, touches: Callable[[str], bool] | None
    ) -> tuple[str, ...]:
        """Uris of the commits whose author contains this, whatever the case, and that changed such a file."""
        where = self._in(project, author=folded(author) if author else None)
        if touches is None:
            return tuple(row[0] for row in self._database.rows("commits_by_author", where))
        paths = [row[0] for row in self._database.rows("commit_paths", where) if touches(row[0])]
        return tuple(row[0] for row in self._database.rows("commits_by_path", where | {"paths": json.dumps(paths)}))


def _found(row: tuple[Any, ...]) -> FoundCommit:
    return FoundCommit(row[0], row[1], row[2], row[3], row[4], DocumentId(row[5]), json.loads(row[6]))
