"""Requests to list and resolve projects, and to start, end and list work sessions."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types
from octavo.operations.memory.requests import Author, ProjectName, Question, Scopes

_ABSOLUTE = r"^(/|[A-Za-z]:[/\\])"
_REPOSITORY = (
    r"^\s*([A-Za-z][A-Za-z0-9+]*://([^@/]*@)?[^/:@]+(:[0-9]+)?/|([A-Za-z0-9_.-]+@)?[A-Za-z0-9_.-]+:)[^\s/][^\n]*$"
)

WorkspaceName = Annotated[
    str, Field("The workspace: a group of projects.", min_length=1, max_length=100, pattern="^[^/]+$", metavar="NAME")
]


class ProjectsListRequest(Value):
    workspace: WorkspaceName | None = None


class ProjectsResolveRequest(Value):
    """A name goes before a repository, a repository before a path."""

    path: Annotated[
        str | None,
        Field("An absolute path, such as the working directory.", pattern=_ABSOLUTE, max_length=4_096, argument="PATH"),
    ] = None
    repo_url: Annotated[
        str | None,
        Field(
            "A git repository's address, such as https://host/owner/name.",
            min_length=3,
            max_length=2_000,
            pattern=_REPOSITORY,
            option="--repo-url/--repo",
            metavar="URL",
        ),
    ] = None
    name: Annotated[argument_types.Name | None, Field("The project's name.", metavar="NAME")] = None
    workspace: WorkspaceName | None = None
    create_if_missing: Annotated[bool, Field("Make the project when there is none.", option="--create")] = False


class SessionsStartRequest(Value):
    title: Annotated[str, Field("What it is about, in a line.", max_length=500, argument="TITLE...")] = ""
    author: Author = ""
    project: ProjectName | None = None


class SessionsEndRequest(Value):
    session: Annotated[str, Field("The session's id or title.", min_length=1, max_length=100, argument="SESSION")]
    summary: Annotated[
        str,
        Field(
            "What was done and found, to be remembered; ends it for good.", max_length=100_000, argument="SUMMARY..."
        ),
    ] = ""
    project: ProjectName | None = None


class SessionsListRequest(Value):
    query: Question = ""
    limit: Annotated[int, Field("How many sessions at most.", ge=1, le=200, option="-n/--limit")] = 200
    scopes: Annotated[Scopes, Field("Only with memories of these scopes.")] = ()
    open_only: Annotated[bool, Field("Only those that have not ended.", option="--open")] = False
    project: ProjectName | None = None
