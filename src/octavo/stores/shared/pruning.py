"""Pruning: earlier versions and unreferenced content, counted and removed on request."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.model.ids import ProjectId
from octavo.model.stored import EarlierVersion, UnusedContent
from octavo.stores.shared.database import Database
from octavo.stores.shared.projects import KeyCache


class PruningRepository:
    """Fits `ports.Pruning`. Current documents and memories are out of its reach."""

    def __init__(self, database: Database, keys: KeyCache) -> None:
        self._database = database
        self._keys = keys

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""
        rows = self._database.rows("versions_earlier", {"project": self._keys.project(project)})
        return tuple(EarlierVersion(*row) for row in rows)

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None:
        owner = self._keys.project(project)
        rows = ({"project": owner, "document": version.document, "version": version.version} for version in versions)
        self._database.run_many("version_remove", rows)

    def unused(self, project: ProjectId) -> UnusedContent:
        """Texts of no document, version or memory, and vectors of no chunk."""
        return UnusedContent(*self._database.rows("unused", {"project": self._keys.project(project)})[0])

    def remove_unused(self, project: ProjectId) -> None:
        where = {"project": self._keys.project(project)}
        for unused in ("texts", "vectors", "inputs", "references"):
            self._database.run(f"{unused}_unused_remove", where)
