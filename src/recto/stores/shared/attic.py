"""Earlier versions and what nothing refers to any more: counted, and let go when somebody says so."""

from __future__ import annotations

from collections.abc import Iterable

from recto.model.ids import ProjectId
from recto.model.stored import EarlierVersion, Unused
from recto.stores.shared.database import Database
from recto.stores.shared.projects import Keys


class AtticRepository:
    """Fits `ports.Attic`. What is current, and what was remembered, is out of its reach."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""
        rows = self._database.rows("versions_earlier", {"project": self._keys.project(project)})
        return tuple(EarlierVersion(*row) for row in rows)

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None:
        owner = self._keys.project(project)
        rows = ({"project": owner, "document": one.document, "version": one.version} for one in versions)
        self._database.run_many("version_remove", rows)

    def unused(self, project: ProjectId) -> Unused:
        """Texts of no document, version or memory, and vectors of no chunk."""
        return Unused(*self._database.rows("unused", {"project": self._keys.project(project)})[0])

    def remove_unused(self, project: ProjectId) -> None:
        where = {"project": self._keys.project(project)}
        for name in ("texts_unused_remove", "vectors_unused_remove", "inputs_unused_remove"):
            self._database.run(name, where)
