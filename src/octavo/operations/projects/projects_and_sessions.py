"""Projects: which one a folder belongs to, and which there are; sessions: a period of work that memories belong to."""

from __future__ import annotations

import os.path
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from octavo.algorithms.model_inputs.prompt_quotations import one_line
from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.engine.caller_permissions import refuse_bound_caller
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.memory import memories_from_hits, work_sessions
from octavo.memory.session_ranking import ranked, session_of
from octavo.model.memory import MemoryFilter, MemoryId, MemorySession
from octavo.model.projects_and_collections import DEFAULT_WORKSPACE, Collection, PlaceKind, Project
from octavo.model.query import Query
from octavo.operations.answer_conversion import filled
from octavo.operations.memory.requests import MIN_SIMILARITY
from octavo.operations.memory.results import when
from octavo.operations.projects.requests import (
    ProjectsListRequest,
    ProjectsResolveRequest,
    SessionsEndRequest,
    SessionsListRequest,
    SessionsStartRequest,
)
from octavo.operations.styled_answer_lines import DETAIL, Line, Part
from octavo.retrieval.profiles_by_name import MEMORY_PROFILE, profile_named


class ProjectState(Value):
    """`current` is the project this server answers for."""

    name: str
    workspace: str
    current: bool
    documents: int
    chunks: int
    collections: tuple[str, ...]


class ProjectsListAnswer(Value):
    projects: tuple[ProjectState, ...]


class ResolvedCollection(Value):
    """`uri_prefix` is what uris of documents under the path start with; empty when all of them are."""

    project: str
    name: str
    root: str
    uri_prefix: str


class ProjectsResolveAnswer(Value):
    """The project, how it was found, and every collection above or below the path, nearest first.

    `by` is name, repository, folder or collection, or created.
    """

    project: str
    workspace: str
    current: bool
    created: bool
    by: str
    collections: tuple[ResolvedCollection, ...]


class SessionState(Value):
    """`memories` counts its active memories in the scopes asked for, its summary included."""

    session: str
    title: str
    author: str
    started_at: str
    memories: int
    ended_at: str | None = None
    summary: str = ""


class SessionsAnswer(Value):
    """Latest first; with a query, best first. `degraded` says what could not be searched for it."""

    sessions: tuple[SessionState, ...]
    degraded: tuple[str, ...] | None = None


def projects_resolve_lines(answer: ProjectsResolveAnswer) -> Iterator[Line]:
    how = "made just now" if answer.created else f"found by its {answer.by}"
    elsewhere = "" if answer.current else "; not the current project"
    yield Part(answer.project, "title"), Part(f"  {how}{elsewhere}", "dim")
    for collection in answer.collections:
        yield (
            Part("  "),
            Part(f"{collection.project}: ", DETAIL),
            Part(collection.name, "place"),
            Part(f"  {collection.root}", "dim"),
            Part(f"  uris under {collection.uri_prefix}" if collection.uri_prefix else "", "dim"),
        )


_MOST = 200  # projects or collections in an answer
_SCP = regex(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")  # git@host:owner/name
_URL = regex(r"[a-z][a-z0-9+]*://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)", re.IGNORECASE)
_NOT_IN_NAMES = regex(r"[^\w. -]+")


def projects_list(engine: Engine, request: ProjectsListRequest) -> ProjectsListAnswer:
    catalog = engine.store.catalog
    listed = []
    for project in sorted(engine.visible_projects(), key=lambda project: project.name):
        if request.workspace not in (None, project.workspace):
            continue
        counts = engine.store.counts(project.id)
        names = tuple(collection.name for collection in catalog.collections(project.id))
        current = project.id == engine.project.id
        listed.append(ProjectState(project.name, project.workspace, current, counts.documents, counts.chunks, names))
    return ProjectsListAnswer(tuple(listed[:_MOST]))


def projects_resolve(engine: Engine, request: ProjectsResolveRequest) -> ProjectsResolveAnswer:
    """The project that a name, a repository or a path belongs to; with `create_if_missing`, a new one if there is none.

    The repository and path of a created project are recorded, so that they resolve to it from then on. Nothing on disk
    is read.
    """
    if not (request.path or request.repo_url or request.name):
        raise InvalidArgument("give a path, a repository's address or a name")
    path = Path(os.path.normpath(request.path)) if request.path else None
    repository = repository_place(request.repo_url) if request.repo_url else None
    nearby = _collections_around(engine, path) if path else []
    resolved = _find(engine, request, path, repository, nearby)
    project, by = resolved or (None, "created")
    created = project is None
    if request.create_if_missing:
        refuse_bound_caller("projects_resolve with create_if_missing")
        project = _record(engine, project or _new_name(engine, request, path, repository), path, repository)
    if project is None:
        raise NotFound(
            f"there is no project for {request.name or repository or path}",
            hint="`octavo projects resolve --create` makes it, `octavo add` adds a folder's documents",
        )
    return ProjectsResolveAnswer(
        project=project.name,
        workspace=project.workspace,
        current=project.id == engine.project.id,
        created=created,
        by=by,
        collections=tuple(_resolved(path, owner, collection) for owner, collection in nearby[:_MOST]) if path else (),
    )


def repository_place(url: str) -> str:
    """`host/owner/name` of an address in any form: `git@host:a/b.git` and `https://you:key@host/a/b` are the same."""
    address = url.strip()
    match = _URL.fullmatch(address) or _SCP.fullmatch(address)
    if match is None:
        raise InvalidArgument(f"{address[:100]} is not a repository's address", hint="such as https://host/owner/name")
    return f"{match[1].lower()}/{match[2].strip('/').removesuffix('.git')}"


def _find(
    engine: Engine,
    request: ProjectsResolveRequest,
    path: Path | None,
    repository: str | None,
    nearby: list[tuple[Project, Collection]],
) -> tuple[Project, str] | None:
    catalog = engine.store.catalog
    if request.name:
        named = _full_name(request.name, request.workspace)
        for project in engine.visible_projects():
            if project.name == named:
                return project, "name"
        return None  # a name is explicit: no other project will do

    visible = engine.visible_projects()

    def in_workspace(project: Project) -> bool:
        return request.workspace in (None, project.workspace) and project in visible

    if repository:
        for project, place in catalog.places(PlaceKind.REPOSITORY):
            if place == repository and in_workspace(project):
                return project, "repository"
    if path:
        folders = [
            (project, Path(place)) for project, place in catalog.places(PlaceKind.FOLDER) if in_workspace(project)
        ]
        above = [(project, place) for project, place in folders if path.is_relative_to(place)]
        deepest = max((len(place.parts) for _, place in above), default=0)
        roots = [
            collection.root
            for project, collection in nearby
            if in_workspace(project) and path.is_relative_to(collection.root)
        ]
        if above and (not roots or deepest >= len(roots[0].parts)):
            return next(project for project, place in above if len(place.parts) == deepest), "folder"
        for project, _ in nearby:
            if in_workspace(project):
                return project, "collection"
    return None


def _full_name(name: str, workspace: str | None) -> str:
    return name if workspace in (None, DEFAULT_WORKSPACE) or "/" in name else f"{workspace}/{name}"


def _new_name(engine: Engine, request: ProjectsResolveRequest, path: Path | None, repository: str | None) -> str:
    """The given name, or the last part of the address or path, with a number when another project has it."""
    if request.name:
        return _full_name(request.name, request.workspace)
    bare = repository.rpartition("/")[2] if repository else path.name if path else ""
    bare = _NOT_IN_NAMES.sub("-", bare).strip(" -.") or "project"
    taken = {project.name for project in engine.store.catalog.projects()}
    name, number = _full_name(bare, request.workspace), 1
    while name in taken:
        number += 1
        name = _full_name(f"{bare}-{number}", request.workspace)
    return name


def _record(engine: Engine, project: Project | str, path: Path | None, repository: str | None) -> Project:
    """Records the repository and folder of a project; creates the project when it is only a name yet."""
    catalog = engine.store.catalog
    with engine.store.transaction():
        stored = project if isinstance(project, Project) else catalog.ensure_project(project)
        if repository:
            catalog.put_place(stored.id, PlaceKind.REPOSITORY, repository)
        if path:
            catalog.put_place(stored.id, PlaceKind.FOLDER, str(path))
    return stored


def _collections_around(engine: Engine, path: Path) -> list[tuple[Project, Collection]]:
    """At, above or below the path, nearest first."""
    catalog = engine.store.catalog
    nested = sorted(
        (
            _distance(path, collection.root),
            project != engine.project,
            project.name,
            collection.name,
            project,
            collection,
        )
        for project in engine.visible_projects()
        for collection in catalog.collections(project.id)
        if collection.on_disk and (path.is_relative_to(collection.root) or collection.root.is_relative_to(path))
    )
    return [(project, collection) for *_, project, collection in nested]


def _distance(path: Path, root: Path) -> tuple[bool, int]:
    """Sorts roots above the path first, the deepest of them foremost; then roots below it, the highest foremost."""
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


_SEARCH_DEPTH = 200  # memories that are searched for before they are grouped by session


def sessions_start(engine: Engine, request: SessionsStartRequest) -> SessionState:
    return _state(work_sessions.start(engine.memories, one_line(request.title.strip()), request.author), 0)


def sessions_end(engine: Engine, request: SessionsEndRequest) -> SessionState:
    named = work_sessions.session_named(engine.memories, request.session.strip())
    ended = work_sessions.end(engine.memories, named.id, request.summary)
    items = engine.store.memories.find(engine.project.id, MemoryFilter())
    return _state(ended, sum(session_of(item) == ended.id for item in items))


def sessions_list(engine: Engine, request: SessionsListRequest) -> SessionsAnswer:
    query, scopes = request.query.strip(), request.scopes
    answering, degraded = _answering(engine, query, scopes) if query else ((), ())
    with engine.store.reading():
        known = {session.id: session for session in reversed(engine.store.memories.sessions(engine.project.id))}
        items = engine.store.memories.find(engine.project.id, MemoryFilter(scopes=scopes))
        order = ranked(engine.memories, items, answering, _words(query)) if query else list(known)
    counts = Counter(session_of(item) for item in items)
    sessions = [known[name] for name in order if name in known and (name in counts or not scopes)]
    sessions = [session for session in sessions if session.ended_at is None or not request.open_only]
    states = tuple(_state(session, counts[session.id]) for session in sessions[: request.limit])
    return SessionsAnswer(states, degraded or None)


def _answering(engine: Engine, query: str, scopes: tuple[str, ...]) -> tuple[tuple[MemoryId, ...], tuple[str, ...]]:
    """The memories that answer, and what could not be searched for them."""
    filters = memories_from_hits.narrowed(engine.memories, MemoryFilter(scopes=scopes))
    if filters is None:
        return (), ()
    search_query = Query(query, _SEARCH_DEPTH, filters)
    candidates, degraded = engine.reader.candidates_degraded(search_query, profile_named(MEMORY_PROFILE))
    return memories_from_hits.answering(candidates, MIN_SIMILARITY), degraded


def _words(query: str) -> tuple[str, ...]:
    terms, _ = parse_query(query, Analyzer())
    return (*terms.words, *(word for phrase in terms.phrases for word in phrase))


def _state(session: MemorySession, memories: int) -> SessionState:
    return filled(SessionState, session, session=session.id, memories=memories, written=when)
