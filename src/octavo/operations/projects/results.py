"""What the operations on projects and sessions answer, and how they are told in lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.fast_dataclass import dataclass
from octavo.operations.styled_answer_lines import DETAIL, Line, Part


@dataclass(frozen=True, slots=True)
class ProjectState:
    """`current` is the project this server answers for."""

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
class ResolvedCollection:
    """`uri_prefix` is what uris of documents under the path start with; empty when all of them are."""

    project: str
    name: str
    root: str
    uri_prefix: str


@dataclass(frozen=True, slots=True)
class ProjectsResolveAnswer:
    """The project, how it was found, and every collection above or below the path, nearest first.

    `by` is name, repository, folder or collection, or created.
    """

    project: str
    workspace: str
    current: bool
    created: bool
    by: str
    collections: tuple[ResolvedCollection, ...]


@dataclass(frozen=True, slots=True)
class SessionState:
    """`memories` counts its active memories in the scopes asked for, its summary included."""

    session: str
    title: str
    author: str
    started_at: str
    memories: int
    ended_at: str | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
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
