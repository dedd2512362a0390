"""Projects and collections, and the integer keys by which other tables refer to them."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from octavo.errors import LibraryError, NotFound
from octavo.model.document import Kind
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import CollectionId, DocumentId, ProjectId, project_id
from octavo.model.index_recipe import ChunkSizes, Recipe
from octavo.model.projects_and_collections import Collection, CollectionSettings, PlaceKind, Project
from octavo.sql_repositories.database_port import Clock, Database, Row, first, value


class KeyCache:
    """Looks up and caches the integer keys of projects, collections and embedding profiles.

    The cache is per thread and lasts for one transaction: another process may change rows in between, and a key that
    was rolled back may be assigned again, to something else.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._local = threading.local()

    def project(self, project: ProjectId) -> int:
        known = self._known()
        if (project,) not in known:
            known.update({(ProjectId(row[1]),): row[0] for row in self._database.rows("projects")})
        try:
            return known[project,]
        except KeyError:
            raise NotFound(f"there is no project {project} in this library") from None

    def only_project(self) -> bool:
        """Whether a search may skip the project check because the library has no other project."""
        return len(self._database.rows("projects")) == 1

    def collection(self, project: ProjectId, collection: CollectionId) -> int:
        known = self._known()
        if (project, collection) not in known:
            self.collections(project)
        try:
            return known[project, collection]
        except KeyError:
            raise NotFound(f"there is no collection {collection} in this project") from None

    def collections(self, project: ProjectId) -> list[Row]:
        """The rows of its collections, whose keys are then known."""
        rows = self._database.rows("collections", {"project": self.project(project)})
        self._known().update({(project, CollectionId(row[1])): row[0] for row in rows})
        return rows

    def profile(self, project: ProjectId, body: str) -> int:
        """The key of a profile by its canonical form, or 0, which no row has, if nothing was embedded with it yet."""
        known = self._known()
        if (project, "profile", body) not in known:
            row = first(self._database, "profile_key", {"project": self.project(project), "body": body})
            if row is None:
                return 0
            known[project, "profile", body] = row[0]
        return known[project, "profile", body]

    def forget(self) -> None:
        self._known().clear()

    def _known(self) -> dict[tuple[str, ...], int]:
        keys: dict[tuple[str, ...], int] | None = getattr(self._local, "known", None)
        if keys is None:
            keys = self._local.known = {}
        return keys


class ProjectRepository:
    """One kind of rows of a library. Its queries are of one project, which stands first among their parameters."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def _in(self, project: ProjectId, /, **parameters: Any) -> dict[str, Any]:
        return {"project": self._keys.project(project), **parameters}

    def _rows(self, name: str, project: ProjectId, /, **parameters: Any) -> list[Row]:
        return self._database.rows(name, self._in(project, **parameters))

    def _first(self, name: str, project: ProjectId, /, **parameters: Any) -> Row | None:
        return first(self._database, name, self._in(project, **parameters))

    def _value(self, name: str, project: ProjectId, /, **parameters: Any) -> Any:
        return value(self._database, name, self._in(project, **parameters))

    def _run(self, name: str, project: ProjectId, /, **parameters: Any) -> None:
        self._database.run(name, self._in(project, **parameters))


class CatalogRepository(ProjectRepository):
    """Projects, collections, and of each project the recipe and the name of the reranker it has chosen, if any."""

    def ensure_project(self, name: str) -> Project:
        project = Project(project_id(name), name)
        if project not in self.projects():
            self._database.run("project_put", {"id": project.id, "name": name, "now": self._clock()})
        return project

    def projects(self) -> tuple[Project, ...]:
        return tuple(Project(ProjectId(row[1]), row[2]) for row in self._database.rows("projects"))

    def put_place(self, project: ProjectId, kind: PlaceKind, place: str) -> None:
        self._run("project_place_put", project, kind=kind.value, place=place, now=self._clock())

    def places(self, kind: PlaceKind) -> tuple[tuple[Project, str], ...]:
        """What projects are known by, of every project, longest known first."""
        rows = self._database.rows("project_places", {"kind": kind.value})
        return tuple((Project(ProjectId(row[0]), row[1]), row[2]) for row in rows)

    def reranker(self, project: ProjectId) -> str | None:
        places = self.places(PlaceKind.RERANKER)
        return next((name for owner, name in places if owner.id == project), None)

    def choose_reranker(self, project: ProjectId, name: str | None) -> None:
        kind = PlaceKind.RERANKER
        self._run("project_places_forget", project, kind=kind.value)
        if name is not None:
            self.put_place(project, kind, name)

    def collections(self, project: ProjectId) -> tuple[Collection, ...]:
        return tuple(_collection(project, *row[1:5]) for row in self._keys.collections(project))

    def put_collection(self, collection: Collection) -> None:
        self._run(
            "collection_put",
            collection.project_id,
            id=collection.id,
            name=collection.name,
            root=str(collection.root),
            settings=json.dumps(_stored(collection.settings), sort_keys=True),
            now=self._clock(),
        )

    def remove_collection(self, project: ProjectId, collection: CollectionId) -> None:
        """Takes the collection's documents, ledger and chunks along."""
        where = self._in(project, collection=self._keys.collection(project, collection))
        for row in self._database.rows("collection_documents", where):
            removed = {"project": where["project"], "id": DocumentId(row[0]), "now": self._clock()}
            self._database.run("version_mark_removed", removed)
            self._database.run("document_remove", removed)
        self._database.run("collection_remove", where)
        self._keys.forget()

    def recipe(self, project: ProjectId) -> Recipe | None:
        row = self._first("recipe_active", project)
        return _recipe(json.loads(row[0])) if row else None

    def record_recipe(self, project: ProjectId, recipe: Recipe) -> None:
        key = self._keys.project(project)
        self._database.run("recipes_retire", {"project": key})
        self._database.run(
            "recipe_put", {"project": key, "id": recipe.id, "body": recipe.canonical(), "now": self._clock()}
        )


@lru_cache(256)
def _collection(project: ProjectId, id_: str, name: str, root: str, settings: str) -> Collection:
    """Every search asks for the same ones."""
    return Collection(CollectionId(id_), project, name, Path(root), _settings(name, settings))


def _stored(settings: CollectionSettings) -> dict[str, Any]:
    """Everything but the folder, which is the root's."""
    return {name: value for name, value in asdict(settings).items() if name != "folder"}


def _settings(collection: str, stored: str) -> CollectionSettings:
    try:
        body: dict[str, Any] = json.loads(stored)
        kind = body.pop("kind", None)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in body.items()
        }
        return CollectionSettings(**values, kind=Kind(kind) if kind else None)
    except (ValueError, TypeError, AttributeError) as error:
        raise LibraryError(
            f"the settings of the collection {collection} are damaged, or those of a newer Octavo: {error}",
            hint="run `octavo db check`, then `octavo db repair`",
        ) from error


def _recipe(body: dict[str, Any]) -> Recipe:
    return Recipe(
        parser=body["parser"],
        chunker=body["chunker"],
        analyzer=body["analyzer"],
        sizes=ChunkSizes(**body["sizes"]),
        embedding=EmbeddingProfile(**body["embedding"]),
    )
