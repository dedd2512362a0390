"""Which projects a library holds, and which of them a folder, a repository or a name means."""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument, NotFound
from recto.model.collection import DEFAULT_WORKSPACE, Collection, PlaceKind, Project
from recto.model.limits import Field
from recto.operations.quoting import one_line

_SHOWN = 200
_ABSOLUTE = r"^(/|[A-Za-z]:[/\\])"
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")  # git@host:owner/name
_URL = re.compile(r"[a-z][a-z0-9+]*://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)", re.IGNORECASE)
_REPOSITORY = (
    r"^\s*([A-Za-z][A-Za-z0-9+]*://([^@/]*@)?[^/:@]+(:[0-9]+)?/|([A-Za-z0-9_.-]+@)?[A-Za-z0-9_.-]+:)[^\s/][^\n]*$"
)
_UNNAMEABLE = re.compile(r"[^\w. -]+")

WorkspaceName = Annotated[
    str, Field(min_length=1, max_length=100, pattern="^[^/]+$", description="The workspace: a group of projects.")
]


@dataclass(frozen=True, slots=True)
class ProjectsListRequest:
    workspace: WorkspaceName | None = None


@dataclass(frozen=True, slots=True)
class ProjectState:
    """`current` is the one this server answers for."""

    name: str
    workspace: str
    current: bool
    documents: int
    chunks: int
    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectsListAnswer:
    projects: tuple[ProjectState, ...]


@dataclass(frozen=True, slots=True)
class ProjectsResolveRequest:
    """A name goes before a repository, a repository before a path."""

    __pydantic_config__ = {  # noqa: RUF012
        "json_schema_extra": {"anyOf": [{"required": ["path"]}, {"required": ["repo_url"]}, {"required": ["name"]}]}
    }

    path: (
        Annotated[
            str,
            Field(pattern=_ABSOLUTE, max_length=4_096, description="An absolute path, such as the working directory."),
        ]
        | None
    ) = None
    repo_url: (
        Annotated[
            str,
            Field(
                min_length=3,
                max_length=2_000,
                pattern=_REPOSITORY,
                description="A git repository's address, such as https://host/owner/name.",
            ),
        ]
        | None
    ) = None
    name: Annotated[str, Field(min_length=1, max_length=200, description="The project's name.")] | None = None
    workspace: WorkspaceName | None = None
    create_if_missing: Annotated[bool, Field(description="Make the project when there is none.")] = False


@dataclass(frozen=True, slots=True)
class ResolvedCollection:
    """`uri_prefix` is what uris of documents under the path start with; empty when all of them are."""

    project: str
    name: str
    root: str
    uri_prefix: str


@dataclass(frozen=True, slots=True)
class ProjectsResolveAnswer:
    """The project, how it was found, and every collection above or below the path, nearest first.

    `by` is name, repository, folder or collection.
    """

    project: str
    workspace: str
    current: bool
    created: bool
    by: str
    collections: tuple[ResolvedCollection, ...]


def projects_list(engine: Engine, request: ProjectsListRequest) -> ProjectsListAnswer:
    catalog = engine.store.catalog
    listed = []
    for project in sorted(catalog.projects(), key=lambda one: one.name):
        if request.workspace not in (None, project.workspace):
            continue
        counts = engine.store.counts(project.id)
        names = tuple(one.name for one in catalog.collections(project.id))
        current = project.id == engine.project.id
        listed.append(ProjectState(project.name, project.workspace, current, counts.documents, counts.chunks, names))
    return ProjectsListAnswer(tuple(listed[:_SHOWN]))


def projects_list_text(answer: ProjectsListAnswer) -> str:
    lines = [
        one_line(
            f"- {one.name}{' (current)' if one.current else ''}: {one.documents} documents, {one.chunks} chunks"
            f" in {', '.join(one.collections) or 'no collections'}"
        )
        for one in answer.projects
    ]
    return "\n".join(lines) or "There is no such project."


def projects_resolve(engine: Engine, request: ProjectsResolveRequest) -> ProjectsResolveAnswer:
    """The project that is meant; made, and known by what it was asked for with, where there is none and one is wanted.

    Nothing on disk is looked at.
    """
    if not (request.path or request.repo_url or request.name):
        raise InvalidArgument("give a path, a repository's address or a name")
    path = Path(os.path.normpath(request.path)) if request.path else None
    repository = repository_place(request.repo_url) if request.repo_url else None
    near = _collections(engine, path) if path else []
    found = _found(engine, request, path, repository, near)
    project, by = found or (None, "created")
    created = project is None
    if request.create_if_missing:
        project = _known_by(engine, project or _new_name(engine, request, path, repository), path, repository)
    if project is None:
        raise NotFound(
            f"no project is known by {request.name or repository or path}",
            hint="ask again with create_if_missing, or `recto add FOLDER --name NAME` for a folder's documents",
        )
    return ProjectsResolveAnswer(
        project=project.name,
        workspace=project.workspace,
        current=project.id == engine.project.id,
        created=created,
        by=by,
        collections=tuple(_resolved(path, owner, one) for owner, one in near[:_SHOWN]) if path else (),
    )


def projects_resolve_text(answer: ProjectsResolveAnswer) -> str:
    made = ", made just now" if answer.created else f", by its {answer.by}"
    here = "" if answer.current else " (not the one this server answers for)"
    lines = [f"Project {answer.project}{made}{here}"]
    for one in answer.collections:
        under = f", uris under {one.uri_prefix}" if one.uri_prefix else ""
        lines.append(f"- {one.project}: {one.name} ({one.root}{under})")
    return "\n".join(one_line(line) for line in lines)


def repository_place(url: str) -> str:
    """A repository however its address is written: `git@host:a/b.git` and `https://you:key@host/a/b` are one."""
    written = url.strip()
    match = _URL.fullmatch(written) or _SCP.fullmatch(written)
    if match is None:
        raise InvalidArgument(f"{written[:100]} is not a repository's address", hint="such as https://host/owner/name")
    return f"{match[1].lower()}/{match[2].strip('/').removesuffix('.git')}"


def _found(
    engine: Engine,
    request: ProjectsResolveRequest,
    path: Path | None,
    repository: str | None,
    near: list[tuple[Project, Collection]],
) -> tuple[Project, str] | None:
    catalog = engine.store.catalog
    if request.name:
        named = _full_name(request.name, request.workspace)
        for project in catalog.projects():
            if project.name == named:
                return project, "name"
        return None  # a name says which project is meant: no other will do

    def fits(project: Project) -> bool:
        return request.workspace in (None, project.workspace)

    if repository:
        for project, place in catalog.places(PlaceKind.REPOSITORY):
            if place == repository and fits(project):
                return project, "repository"
    if path:
        folders = [(project, Path(place)) for project, place in catalog.places(PlaceKind.FOLDER) if fits(project)]
        above = [(project, place) for project, place in folders if path.is_relative_to(place)]
        deepest = max((len(place.parts) for _, place in above), default=0)
        inside = [(project, one) for project, one in near if fits(project) and path.is_relative_to(one.root)]
        if above and (not inside or deepest >= len(inside[0][1].root.parts)):
            return next(project for project, place in above if len(place.parts) == deepest), "folder"
        for project, _ in near:
            if fits(project):
                return project, "collection"
    return None


def _full_name(name: str, workspace: str | None) -> str:
    return name if workspace in (None, DEFAULT_WORKSPACE) or "/" in name else f"{workspace}/{name}"


def _new_name(engine: Engine, request: ProjectsResolveRequest, path: Path | None, repository: str | None) -> str:
    """What was said, or the end of the address or path; a name that another project has is told apart by a number."""
    if request.name:
        return _full_name(request.name, request.workspace)
    bare = repository.rpartition("/")[2] if repository else path.name if path else ""
    bare = _UNNAMEABLE.sub("-", bare).strip(" -.") or "project"
    taken = {project.name for project in engine.store.catalog.projects()}
    name, number = _full_name(bare, request.workspace), 1
    while name in taken:
        number += 1
        name = _full_name(f"{bare}-{number}", request.workspace)
    return name


def _known_by(engine: Engine, project: Project | str, path: Path | None, repository: str | None) -> Project:
    """Writes down what the project is known by, and makes it when it is only a name yet."""
    catalog = engine.store.catalog
    with engine.store.transaction():
        made = project if isinstance(project, Project) else catalog.ensure_project(project)
        if repository:
            catalog.put_place(made.id, PlaceKind.REPOSITORY, repository)
        if path:
            catalog.put_place(made.id, PlaceKind.FOLDER, str(path))
    return made


def _collections(engine: Engine, path: Path) -> list[tuple[Project, Collection]]:
    """At, above or below the path, nearest first."""
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
    return [(project, collection) for *_, project, collection in found]


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
