"""The answers about projects and sessions as lines, for every writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.operations.lines import DETAIL, Line, Part, columns, count, degraded_lines
from octavo.operations.projects.answers import ProjectsListAnswer, ProjectsResolveAnswer, SessionsAnswer, SessionState


def projects_list_lines(answer: ProjectsListAnswer) -> Iterator[Line]:
    rows = [
        (
            Part(project.name, "title"),
            Part("current" if project.current else "", "good"),
            Part(f"{count(project.documents, 'document')}, {count(project.chunks, 'chunk')}", "dim"),
            Part(", ".join(project.collections), "dim"),
        )
        for project in answer.projects
    ]
    yield from columns(rows) if rows else [(Part("No projects."),)]


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


def session_state_lines(answer: SessionState) -> Iterator[Line]:
    yield from _table([answer])


def sessions_lines(answer: SessionsAnswer) -> Iterator[Line]:
    yield from _table(answer.sessions) if answer.sessions else [(Part("No sessions."),)]
    yield from degraded_lines(answer.degraded)


def _table(sessions: Sequence[SessionState]) -> Iterator[Line]:
    yield from columns(
        [
            (
                Part(session.session, "place"),
                Part(session.started_at[:16].replace("T", " "), "dim"),
                Part("ended" if session.ended_at else "open", "dim" if session.ended_at else "good"),
                Part(count(session.memories, "memory", "memories"), "dim"),
                Part(session.title, "title"),
            )
            for session in sessions
        ]
    )
