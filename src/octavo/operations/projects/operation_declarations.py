"""Declares project and session operations."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_MEMORY, WRITES, Annotations, Operation

_SESSION = ("session", "title", "author", "started_at", "ended_at", "memories")
_SHOWN = (
    "{session}|place",
    "{started_at:time}|dim",
    "{ended_at:ended/open}|state",
    "{memories:memory/memories}|dim",
    "{title}|title",
)

_projects = partial(Operation, module="octavo.operations.projects.projects_and_sessions", tool_sets=IN_MEMORY)
_sessions = partial(
    Operation,
    module="octavo.operations.projects.projects_and_sessions",
    tool_sets=IN_MEMORY,
    listing=Listing(columns=_SESSION, shown=_SHOWN),
)

PROJECTS = (
    _projects(
        name="projects_resolve",
        summary="Find the project of a folder, a repository or a name, and make it when asked.",
        description=(
            "From a working directory, a repository's address or a name to the project, with the collections at, above "
            "or below the folder. With create_if_missing the project is made and found by them from then on."
        ),
        help=(
            "The working directory is taken when nothing else is given. With --create the project is made when there "
            "is none, and found by the folder and the repository from then on."
        ),
        listing=Listing(columns=("project", "workspace", "current", "created", "by")),
        examples=("octavo projects resolve --repo https://example.org/acme/site --create",),
        example={"path": "/"},
        annotations=WRITES,
    ),
    _projects(
        name="projects_list",
        summary="List the projects in the library.",
        description="Every project in the library with its collections and counts.",
        listing=Listing(
            rows="projects",
            columns=("name", "workspace", "current", "documents", "chunks", "collections"),
            shown=(
                "{name}|title",
                "{current:current}|good",
                "{documents:document}, {chunks:chunk}|dim",
                "{collections}|dim",
            ),
        ),
        examples=("octavo projects list",),
    ),
    _sessions(
        name="sessions_start",
        summary="Start a session that memories can name.",
        description="Begin a period of work; pass its id as session to what is remembered in it.",
        help="Pass its id to `octavo remember --session`.",
        examples=("octavo sessions start Aligning the finder",),
        creates=True,
        example={"title": "Aligning the finder", "author": "an observer"},
        annotations=Annotations(read_only=False, idempotent=False),
    ),
    _sessions(
        name="sessions_end",
        summary="End a session, once, with a summary that is remembered.",
        description="End a period of work, once; its summary is remembered and found like any memory.",
        examples=('octavo sessions end "Aligning the finder" "The finder is aligned within two minutes of arc."',),
        enqueues=True,
        example={
            "session": "Aligning the finder",
            "summary": "The finder is aligned to the main tube within two minutes of arc.",
        },
        annotations=WRITES,
    ),
    _sessions(
        name="sessions_list",
        summary="List the sessions, latest first, or those in which something was talked about.",
        description=(
            "Which sessions there were, what came of them, and which are still open. With a query: in which of them it "
            "was talked about, best first, even where its words are spread over many memories."
        ),
        listing=Listing(rows="sessions", columns=_SESSION, matches=True, shown=_SHOWN),
        examples=("octavo sessions list --open",),
        example={"query": "shutter motor", "limit": 5},
    ),
)
