"""Projects, collections, recipes and the ledger, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recto.model.collection import Collection, PlaceKind, Project
from recto.model.ids import CollectionId, ProjectId, project_id
from recto.model.ledger import LedgerEntry
from recto.model.recipe import Recipe
from recto.stores.shared.clock import Clock
from recto.testing.memory_documents import MemoryDocuments
from recto.testing.memory_tables import Session, known_collection, known_project


class MemoryCatalog:
    """Fits `ports.Catalog`."""

    def __init__(self, session: Session, documents: MemoryDocuments, clock: Clock) -> None:
        self._session = session
        self._documents = documents
        self._clock = clock

    def ensure_project(self, name: str) -> Project:
        wanted = Project(project_id(name), name)
        if wanted.id not in self._session.read().projects:
            self._session.write().projects[wanted.id] = wanted
        return wanted

    def projects(self) -> tuple[Project, ...]:
        return tuple(sorted(self._session.read().projects.values(), key=lambda project: project.name))

    def put_place(self, project: ProjectId, kind: PlaceKind, place: str) -> None:
        tables = self._session.write()
        tables.places.setdefault((known_project(tables, project), kind.value, place), self._clock())

    def places(self, kind: PlaceKind) -> tuple[tuple[Project, str], ...]:
        tables = self._session.read()
        found = [
            (since, tables.projects[project], place)
            for (project, of, place), since in tables.places.items()
            if of == kind
        ]
        found.sort(key=lambda one: (one[0], one[1].name, one[2]))
        return tuple((project, place) for _, project, place in found)

    def collections(self, project: ProjectId) -> tuple[Collection, ...]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (collection for (owner, _), collection in tables.collections.items() if owner == project)
        return tuple(sorted(mine, key=lambda collection: collection.name))

    def put_collection(self, collection: Collection) -> None:
        tables = self._session.write()
        known_project(tables, collection.project_id)
        tables.collections[collection.project_id, collection.id] = collection

    def remove_collection(self, project: ProjectId, collection: CollectionId) -> None:
        tables = self._session.write()
        known_collection(tables, project, collection)
        for owner, document in list(tables.documents):
            if owner == project and tables.documents[owner, document].collection == collection:
                self._documents.remove(project, document)
        for key in [key for key in tables.ledger if key[:2] == (project, collection)]:
            del tables.ledger[key]
        del tables.collections[project, collection]

    def recipe(self, project: ProjectId) -> Recipe | None:
        tables = self._session.read()
        return tables.recipes.get(known_project(tables, project))

    def record_recipe(self, project: ProjectId, recipe: Recipe) -> None:
        tables = self._session.write()
        tables.recipes[known_project(tables, project)] = recipe


class MemoryLedger:
    """Fits `ports.Ledger`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        # No part of a transaction: that a folder was looked at is true whatever becomes of one.
        self._checks: dict[tuple[ProjectId, CollectionId], float] = {}

    def entries(self, project: ProjectId, collection: CollectionId) -> Mapping[str, LedgerEntry]:
        tables = self._session.read()
        known_collection(tables, project, collection)
        return {key[2]: entry for key, entry in tables.ledger.items() if key[:2] == (project, collection)}

    def record(self, project: ProjectId, collection: CollectionId, entries: Iterable[LedgerEntry]) -> None:
        tables = self._session.write()
        known_collection(tables, project, collection)
        for entry in entries:
            tables.ledger[project, collection, entry.uri] = entry

    def forget(self, project: ProjectId, collection: CollectionId, uris: Iterable[str]) -> None:
        tables = self._session.write()
        known_collection(tables, project, collection)
        for uri in uris:
            tables.ledger.pop((project, collection, uri), None)

    def at(self, project: ProjectId, collection: CollectionId, paths: Sequence[str]) -> Mapping[str, LedgerEntry]:
        below = tuple(f"{path}/" for path in paths)
        entries = self.entries(project, collection)
        return {uri: entry for uri, entry in entries.items() if uri in paths or uri.startswith(below)}

    def note_check(self, project: ProjectId, collection: CollectionId) -> None:
        known_collection(self._session.read(), project, collection)
        self._checks[project, collection] = self._clock()

    def checks(self, project: ProjectId) -> Mapping[CollectionId, float]:
        tables = self._session.read()
        known_project(tables, project)
        return {
            collection: at
            for (owner, collection), at in self._checks.items()
            if owner == project and (owner, collection) in tables.collections
        }
