"""`recto sessions` and `recto projects`: stretches of work, and whose memories they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.projects import ProjectsResolveAnswer, ProjectState
    from recto.operations.sessions import SessionState

_SESSION = ("session", "title", "author", "started_at", "ended_at", "memories")
_PROJECT = ("name", "workspace", "current", "documents", "chunks", "collections")
_RESOLVED = ("project", "workspace", "current", "created", "by")


@click.group()
@shared_options
def sessions() -> None:
    """Start a stretch of work, end it with a summary, look at those there were."""


@sessions.command("start")
@click.argument("title", default="")
@click.option("--author", default="", metavar="NAME", help="Who works.")
@shared_options
@pass_choices
def start(choices: Choices, title: str, author: str) -> None:
    """Start a session; pass its id to `recto remember --session`."""
    from recto.operations.sessions import SessionsStartRequest, sessions_start

    with opened(choices, create=True) as opening:
        done = sessions_start(opening.engine, SessionsStartRequest(title, author))
    choices.answer(_one(done))


@sessions.command("end")
@click.argument("session")
@click.argument("summary", nargs=-1)
@shared_options
@pass_choices
def end(choices: Choices, session: str, summary: tuple[str, ...]) -> None:
    """End a session, given its id or title, once and for all; SUMMARY is remembered."""
    from recto.operations.jobs import work_shortly
    from recto.operations.sessions import SessionsEndRequest, sessions_end

    with opened(choices) as opening:
        choices.answer(_one(sessions_end(opening.engine, SessionsEndRequest(session, " ".join(summary)))))
        if summary:
            work_shortly(opening.engine, opening.config.jobs)


@sessions.command("list")
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="Only with memories of this scope.")
@click.option("-n", "--limit", type=click.IntRange(1, 200), default=200, metavar="N", help="How many at most.")
@click.option("--open", "open_only", is_flag=True, help="Only those that have not ended.")
@shared_options
@pass_choices
def list_sessions(
    choices: Choices, words: tuple[str, ...], scopes: tuple[str, ...], limit: int, open_only: bool
) -> Exit:
    """List the sessions, latest first; with a QUERY, those in which it was talked about, best first."""
    from recto.operations.sessions import SessionsListRequest, sessions_list

    with opened(choices) as opening:
        found = sessions_list(opening.engine, SessionsListRequest(" ".join(words), limit, scopes, open_only)).sessions
    rows = [plain(one) for one in found]
    choices.answer(Answer({"sessions": rows}, rows, _SESSION, lambda width: _lines(found)))
    return Exit.OK if found or not words else Exit.NO_MATCH


@click.group()
@shared_options
def projects() -> None:
    """Look at the projects of the library, and find or make the one a folder belongs to."""


@projects.command("list")
@click.option("--workspace", metavar="NAME", help="Only of this workspace.")
@shared_options
@pass_choices
def list_projects(choices: Choices, workspace: str | None) -> None:
    """List the projects."""
    from recto.operations.projects import ProjectsListRequest
    from recto.operations.projects import projects_list as find

    with opened(choices) as opening:
        found = find(opening.engine, ProjectsListRequest(workspace)).projects
    rows = [plain(one) for one in found]
    choices.answer(Answer({"projects": rows}, rows, _PROJECT, lambda width: _project_lines(found)))


@projects.command("resolve")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--repo", "repo_url", metavar="URL", help="A git repository's address.")
@click.option("--name", metavar="NAME", help="The project's name.")
@click.option("--workspace", metavar="NAME", help="The workspace to look in, or to make it in.")
@click.option("--create", is_flag=True, help="Make the project when there is none.")
@shared_options
@pass_choices
def resolve(
    choices: Choices, path: Path | None, repo_url: str | None, name: str | None, workspace: str | None, create: bool
) -> Exit:
    """Say which project a folder, a repository or a name means; the working directory, unless said.

    With --create the project is made when there is none, and known by the folder and the repository from then on.
    """
    from recto.operations.projects import ProjectsResolveRequest, projects_resolve

    folder = path or (Path() if not (repo_url or name) else None)
    request = ProjectsResolveRequest(
        str(folder.absolute()) if folder is not None else None, repo_url, name, workspace, create
    )
    with opened(choices, create=create) as opening:
        found = projects_resolve(opening.engine, request)
    row = plain(found)
    choices.answer(Answer(row, [row], _RESOLVED, lambda width: _resolved_lines(found)))
    return Exit.OK


def _one(done: SessionState) -> Answer:
    row = plain(done)
    return Answer(row, [row], _SESSION, lambda width: _lines((done,)))


def _lines(found: tuple[SessionState, ...]) -> Iterator[Line]:
    if not found:
        yield (Part("There is no session."),)
        return
    yield from columns(
        [
            (
                Part(one.session, "place"),
                Part(one.started_at[:16], "dim"),
                Part("ended" if one.ended_at else "open", "dim" if one.ended_at else "good"),
                Part(count(one.memories, "memory", "memories"), "dim"),
                Part(one.title, "title"),
            )
            for one in found
        ]
    )


def _project_lines(found: tuple[ProjectState, ...]) -> Iterator[Line]:
    if not found:
        yield (Part("There is no such project."),)
        return
    yield from columns(
        [
            (
                Part(one.name, "title"),
                Part("current" if one.current else "", "good"),
                Part(f"{count(one.documents, 'document')}, {count(one.chunks, 'chunk')}", "dim"),
                Part(", ".join(one.collections), "dim"),
            )
            for one in found
        ]
    )


def _resolved_lines(found: ProjectsResolveAnswer) -> Iterator[Line]:
    how = "made just now" if found.created else f"by its {found.by}"
    yield Part(found.project, "title"), Part(f"  {how}" + ("" if found.current else "; use it with --project"), "dim")
    for one in found.collections:
        yield (Part(f"  {one.name}  {one.root}" + (f"  {one.uri_prefix}" if one.uri_prefix else "")),)
