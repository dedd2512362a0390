"""Which projects a library holds, and which of them a folder belongs to. Nothing on disk is looked at."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import NotFound
from recto.model.collection import Collection, Project
from recto.model.limits import Field
from recto.operations.quoting import one_line

_SHOWN = 200
_ABSOLUTE = r"^(/|[A-Za-z]:[/\\])"


@dataclass(frozen=True, slots=True)
class ProjectsListRequest:
    pass


@dataclass(frozen=True, slots=True)
class ProjectState:
    """`current` is the one this server answers for."""

    name: str
    current: bool
    documents: int
    chunks: int
    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectsListAnswer:
    projects: tuple[ProjectState, ...]


@dataclass(frozen=True, slots=True)
class ProjectsResolveRequest:
    path: Annotated[
        str, Field(pattern=_ABSOLUTE, max_length=4_096, description="An absolute path, such as the working directory.")
    ]


@dataclass(frozen=True, slots=True)
class ResolvedCollection:
    """`uri_prefix` is what uris of documents under the path start with; empty when all of them are."""

    project: str
    name: str
    root: str
    uri_prefix: str


@dataclass(frozen=True, slots=True)
class ProjectsResolveAnswer:
    """The project of the nearest collection, and every collection above or below the path, nearest first."""

    project: str
    current: bool
    collections: tuple[ResolvedCollection, ...]


def projects_list(engine: Engine, request: ProjectsListRequest) -> ProjectsListAnswer:
    catalog = engine.store.catalog
    listed = []
    for project in sorted(catalog.projects(), key=lambda one: one.name)[:_SHOWN]:
        counts = engine.store.counts(project.id)
        names = tuple(one.name for one in catalog.collections(project.id))
        current = project.id == engine.project.id
        listed.append(ProjectState(project.name, current, counts.documents, counts.chunks, names))
    return ProjectsListAnswer(tuple(listed))


def projects_list_text(answer: ProjectsListAnswer) -> str:
    return "\n".join(
        one_line(
            f"- {one.name}{' (current)' if one.current else ''}: {one.documents} documents, {one.chunks} chunks"
            f" in {', '.join(one.collections) or 'no collections'}"
        )
        for one in answer.projects
    )


def projects_resolve(engine: Engine, request: ProjectsResolveRequest) -> ProjectsResolveAnswer:
    path = Path(os.path.normpath(request.path))
    catalog = engine.store.catalog
    found = sorted(
        (
            _distance(path, collection.root),
            project != engine.project,
            project.name,
            collection.name,
            project,
            collection,
        )
        for project in catalog.projects()
        for collection in catalog.collections(project.id)
        if collection.on_disk and (path.is_relative_to(collection.root) or collection.root.is_relative_to(path))
    )
    if not found:
        raise NotFound(f"no collection is at or around {path}", hint="`recto add FOLDER --name NAME` makes one")
    nearest: Project = found[0][4]
    return ProjectsResolveAnswer(
        project=nearest.name,
        current=nearest.id == engine.project.id,
        collections=tuple(_resolved(path, project, collection) for *_, project, collection in found[:_SHOWN]),
    )


def projects_resolve_text(answer: ProjectsResolveAnswer) -> str:
    lines = [f"Project {answer.project}{'' if answer.current else ' (not the one this server answers for)'}"]
    for one in answer.collections:
        under = f", uris under {one.uri_prefix}" if one.uri_prefix else ""
        lines.append(f"- {one.project}: {one.name} ({one.root}{under})")
    return "\n".join(one_line(line) for line in lines)


def _distance(path: Path, root: Path) -> tuple[bool, int]:
    """Roots that hold the path come first, the deepest of them foremost; then roots below it, the highest foremost."""
    depth = len(root.parts)
    return (False, -depth) if path.is_relative_to(root) else (True, depth)


def _resolved(path: Path, project: Project, collection: Collection) -> ResolvedCollection:
    inside = path.relative_to(collection.root).as_posix() if path.is_relative_to(collection.root) else "."
    return ResolvedCollection(
        project=project.name,
        name=collection.name,
        root=str(collection.root),
        uri_prefix="" if inside == "." else f"{inside}/",
    )
